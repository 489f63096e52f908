"""What docs/guarantees.md says of tests and of invariants is so: each test that it names exists, and the SQL that it
prints is the program's own."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUARANTEES = (ROOT / "docs" / "guarantees.md").read_text()
INVARIANTS = ROOT / "src" / "hotrow" / "store" / "market_invariants.cpp"

TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+)\s*,\s*(\w+)", re.M)
INVARIANT = re.compile(r'MarketInvariant\{\s*"(\w+)",\s*((?:"[^"]*"\s*)+),\s*R"\(\n(.*?)\)"\}', re.S)
PRINTED = re.compile(r"^#### `(\w+)`\n\n(.*?)\n\n```sql\n(.*?)\n```$", re.S | re.M)


def tests():
    found = set()
    for file in (ROOT / "tests").rglob("*.cpp"):
        found.update(f"{suite}.{name}" for suite, name in TEST.findall(file.read_text()))
    return found


def invariants():
    found = []
    for name, meaning, sql in INVARIANT.findall(INVARIANTS.read_text()):
        found.append((name, "".join(re.findall(r'"([^"]*)"', meaning)), sql))
    return found


class Guarantees(unittest.TestCase):
    def test_name_only_tests_that_exist(self):
        known = tests()
        named = re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", GUARANTEES)
        self.assertGreater(len(named), 50)
        self.assertEqual([name for name in named if name not in known], [])

    def test_print_each_invariant_of_the_market_as_the_program_counts_it(self):
        wanted = invariants()
        self.assertGreater(len(wanted), 10)
        printed = [(name, " ".join(meaning.split()), sql) for name, meaning, sql in PRINTED.findall(GUARANTEES)]
        self.assertEqual(printed, wanted)


if __name__ == "__main__":
    unittest.main()
