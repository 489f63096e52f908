"""Feeds script/lint a small tree of bad files: every rule must fire where it is marked, and nowhere else.

A line that must be found ends in `// !<rule>`. The mark is a comment, so it changes nothing for the rules.
"""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).parents[2] / "script" / "lint"

LAYERS = """
hotrow_layer(base LINKS sodium)
hotrow_layer(core USES base)
hotrow_layer(store USES core base)
hotrow_layer(engine
             USES store core base)
hotrow_layer(sqlite USES store core base LINKS sqlite3)
hotrow_layer(http USES engine store core base LINKS boost)
hotrow_layer(app USES http sqlite engine store core base)
"""

# Put together here, because script/lint reads this file too.
LEFT_OPEN_WORDS = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
HOME = "/ho" + "me/"

BAD = {
    "src/hotrow/core/upwards.cpp": """
#include "hotrow/core/upwards.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/store/store.hpp" // !layer
#include "hotrow/engine/engine.hpp" // !layer
  #  include "hotrow/http/server.hpp" // !layer
#include "upwards.hpp" // !include
// #include "hotrow/http/server.hpp"
""",
    "src/hotrow/engine/uses_on_a_second_line.cpp": """
#include "hotrow/store/store.hpp"
#include "hotrow/sqlite/sqlite_store.hpp" // !layer
""",
    "src/hotrow/core/foreign.cpp": """
#include <boost/json/object.hpp>
#include <boost/asio.hpp> // !adapter
#include <sqlite3.h> // !adapter
#include <sodium.h> // !adapter
#include <nobody/knows.hpp> // !adapter
#include <vector>
#include <mutex> // !pure
#include <random> // !pure
""",
    "src/hotrow/http/foreign.cpp": """
#include <boost/beast/http.hpp>
#include <boost/asio.hpp>
#include <libpq-fe.h> // !adapter
#include <prometheus/counter.h> // !adapter
#include <spdlog/spdlog.h> // !adapter
#include <re2/re2.h> // !adapter
#include <CLI/CLI.hpp> // !adapter
#include <toml++/toml.h> // !adapter
#include <mutex>
""",
    "src/hotrow/sqlite/calls.cpp": """
void f() {
  auto a = std::chrono::system_clock::now(); // !clock
  auto b = std::time(nullptr); // !clock
  std::this_thread::sleep_for(a); // !sleep
  usleep(10); // !sleep
  std::hash<std::string> h; // !hash
  std::thread t(f); // !thread
  t.detach(); // !thread
  auto n = std::thread::hardware_concurrency();
  const char* text = "system_clock::now() sleep_for(1) std::hash<int>";
  /* sleep_for(1);
     std::hash */
  const char* raw = R"sql(select sleep_for(1), std::hash)sql";
  const auto big = 1'000'000; sleep_for(2); // !sleep
  try { f(); } catch (...) { throw; }
}
""",
    "src/hotrow/base/clock.cpp": """
auto now() { return std::chrono::system_clock::now(); }
""",
    "src/hotrow/app/pause.cpp": """
void drain_delay() { sleep_for(1); }
auto now() { return std::chrono::system_clock::now(); } // !clock
""",
    "tests/app/pause_test.cpp": """
void wait() { sleep_for(1); } // !sleep
""",
    "src/hotrow/engine/exceptions.cpp": """
int f(int n) noexcept {
  if (n) throw n; // !exception
  try { f(1); } catch (int) {} // !exception
  // we never throw
  return 0;
}
""",
    "src/hotrow/core/words.hpp": """
#pragma once
class LockManager; // !word
struct RequestHandler {}; // !word
enum class EntryHelper { a }; // !word
using Processor = int; // !word
template <class StoreImpl> // !word
class Handled;
class Implication;
struct Managers;
const char* text = "class LockManager";
""",
    "tests/core/names_test.cpp": """
TEST(Promotion, GivesOutNoPlaceTwice) {}
TEST(Promotion, E01TwinsShareOneAnswer) {}
TEST(Promotion, E01_TwinsShareOneAnswer) {}
TEST(Promotion, ABatchOfOneIsABatch) {}
TEST(Promotion, LatestEntryWins) {}
TEST_P(Promotion, Works) {} // !test-name
TEST_F(Promotion, test_entry) {} // !test-name
TEST(Promotion, EntryTest) {} // !test-name
TEST(Promotion, Entry) {} // !test-name
TEST(Promotion, EntryWorks) {} // !test-name
TEST(Promotion, DISABLED_GivesOutNoPlaceTwice) {} // !test-name
RC_GTEST_PROP(Promotion, splits, ()) {} // !test-name
void wait() { sleep_for(1); } // !sleep
auto now() { return std::chrono::system_clock::now(); } // !clock
int f() { throw 1; }
""",
    "bench/entries.cpp": """
void wait() { sleep_for(1); }
auto now() { return std::chrono::system_clock::now(); } // !clock
""",
    "src/hotrow/core/left_open.cpp": "".join(f"// {word}: later // !left-open\n" for word in LEFT_OPEN_WORDS),
    "script/paths.sh": f'cd "{HOME}me/hotrow" # // !machine-path\nurl=http://host{HOME}page\nmktemp -d /tmp/aXXXXXX\n',
}


def function(name: str, lines: int, head: str = "int {name}() {{") -> str:
    """A function of exactly so many lines."""
    body = ["  f();"] * (lines - 2)
    return "\n".join([head.format(name=name), *body, "}"]) + "\n"


def lengths() -> dict[str, str]:
    """Functions at the limit and one line over it, in every place where a brace can mislead a counter."""
    over = " // !function-length"
    return {
        "src/hotrow/core/lengths_a.cpp": "\n".join(
            [
                "namespace hotrow {\nnamespace {",
                function("exactly_seventy", 70),
                function("seventy_one", 71, "int {name}() {{" + over),
                "#define BRACE {\n",
                "constexpr int table[] = {\n" + "  1,\n" * 90 + "};",
            ]
        ),
        "src/hotrow/core/lengths_b.cpp": "\n".join(
            [
                "class Long : public Base<int> {\n public:",
                "  int one() const { return 1; }\n" * 80,
                function("member", 70, "  auto {name}(Options o = {{}}) const -> int {{"),
                " private:\n  int a_{};\n};",
                "enum class Many {\n" + "  a,\n" * 80 + "};",
            ]
        ),
        "src/hotrow/core/lengths_c.cpp": "\n".join(
            [
                function("Long::Long", 71, "Long::Long(int a) : a_{{a}}, b_({{1, 2}}) {{" + over),
                function("generic", 71, "template <class F, class... A> auto {name}(F f) {{" + over),
                function("quotes", 70, "char {name}(char c = '{{', const char* s = \"{{\") {{ // {{"),
                "const auto listed = [] {" + over + "\n" + "  f();\n" * 69 + "}();",
            ]
        ),
    }


class Lint(unittest.TestCase):
    def run_on(self, files: dict[str, str], *arguments: str) -> tuple[set[tuple[str, int, str]], int]:
        with tempfile.TemporaryDirectory() as folder:
            base = {"src/hotrow/CMakeLists.txt": LAYERS, ".clang-format": "DisableFormat: true\n"}
            for name, text in {**base, **files}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("$ROOT", folder), encoding="utf-8")
            run = subprocess.run([LINT, "--root", folder, *arguments], capture_output=True, text=True)
            self.assertIn(run.returncode, (0, 1), run.stderr)
            lines = [re.fullmatch(r"([^:]+):(\d+): ([\w-]+): .+", line) for line in run.stdout.splitlines()]
            self.assertNotIn(None, lines, run.stdout)
            return {(m[1], int(m[2]), m[3]) for m in lines}, run.returncode

    def test_fires_where_marked_and_nowhere_else(self):
        files = {**BAD, **lengths()}
        marked = {
            (name, number, rule)
            for name, text in files.items()
            for number, line in enumerate(text.splitlines(), 1)
            for rule in re.findall(r"// !([\w-]+)", line)
        }
        found, status = self.run_on(files)
        self.assertEqual(sorted(marked), sorted(found))
        self.assertEqual(1, status)

    def test_finds_files_that_are_too_long_only_in_src(self):
        found, _ = self.run_on(
            {
                "src/hotrow/core/at_limit.cpp": "\n" * 400,
                "src/hotrow/core/over_limit.cpp": "\n" * 401,
                "tests/core/over_limit_test.cpp": "\n" * 401,
            }
        )
        self.assertEqual({("src/hotrow/core/over_limit.cpp", 401, "file-length")}, found)

    def test_finds_names_of_files_and_folders_that_say_nothing(self):
        found, _ = self.run_on(
            {
                "src/hotrow/core/util/x.cpp": "",
                "src/hotrow/core/string_utils.cpp": "",
                "src/hotrow/core/utility.cpp": "",
                "tests/common/x_test.cpp": "",
                "src/hotrow/nowhere/x.cpp": "",
                "src/hotrow/core/unguarded.hpp": "struct A;\n",
            }
        )
        self.assertEqual(
            {
                ("src/hotrow/core/util/x.cpp", 1, "word"),
                ("src/hotrow/core/string_utils.cpp", 1, "word"),
                ("tests/common/x_test.cpp", 1, "word"),
                ("src/hotrow/nowhere/x.cpp", 1, "layer"),
                ("src/hotrow/core/unguarded.hpp", 1, "header"),
            },
            found,
        )

    def test_finds_the_first_unformatted_line_of_a_file(self):
        style = {".clang-format": "BasedOnStyle: Google\n"}
        found, status = self.run_on(
            {**style, "src/hotrow/core/a.cpp": "int a;\nint   b;\nint   c;\n", "tests/core/b_test.cpp": "int a;\n"}
        )
        self.assertEqual({("src/hotrow/core/a.cpp", 2, "format")}, found)
        self.assertEqual(1, status)

    def test_says_nothing_about_a_clean_tree(self):
        found, status = self.run_on({"src/hotrow/core/a.cpp": '#include "hotrow/base/time.hpp"\n'})
        self.assertEqual((set(), 0), (found, status))

    def test_finds_documents_that_name_a_test_which_does_not_exist(self):
        found, _ = self.run_on(
            {
                "tests/core/a_test.cpp": "TEST(Promotion, GivesOutNoPlaceTwice) {}\n",
                "tests/e2e/CMakeLists.txt": "add_test(NAME Stampede.EndsWell COMMAND a)\n",
                "docs/guarantees.md": "`Promotion.GivesOutNoPlaceTwice`\n`Stampede.EndsWell` `Suite.Name`\n"
                "`Promotion.GivesOutEveryPlace`\n",
            }
        )
        self.assertEqual({("docs/guarantees.md", 3, "no-test")}, found)

    def test_reports_what_clang_tidy_finds_in_the_tree(self):
        file = "$ROOT/src/hotrow/base/a.cpp"
        command = f'{{"directory": "$ROOT", "file": "{file}", "command": "c++ -c {file}"}}'
        found, status = self.run_on(
            {
                ".clang-tidy": "Checks: '-*,misc-redundant-expression'\n",
                "build/dev/compile_commands.json": f"[{command}]",
                "src/hotrow/base/a.cpp": "int f(int a) {\n  return a - a;\n}\n",
            },
            "--tidy",
        )
        self.assertEqual({("src/hotrow/base/a.cpp", 2, "misc-redundant-expression")}, found)
        self.assertEqual(1, status)


if __name__ == "__main__":
    unittest.main()
