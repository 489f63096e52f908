#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hotrow::test {

/// Asks `holds` again and again until it says yes; false when it did not before the deadline. How a test
/// waits for something outside its own process.
bool eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds deadline = std::chrono::seconds(30));

/// A folder that is removed with the object, unless it is kept for somebody to look at.
class ScratchFolder {
 public:
  /// Below $TMPDIR or /tmp; the name begins with `name`.
  explicit ScratchFolder(const std::string& name);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

struct ProcessOptions {
  std::string out_file;  ///< Standard output is appended here; empty: thrown away.
  std::string err_file;  ///< Standard error likewise.
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< Beside what is inherited.
};

/// A child process. Used by one thread, which must outlive it: with that thread the child is killed, too, so
/// that a test that is killed leaves nothing behind.
class Process {
 public:
  /// Starts `argv[0]`, looked up in PATH. A program that cannot be run ends with exit code 127.
  Process(const std::vector<std::string>& argv, const ProcessOptions& options);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  ///< SIGKILL, and waits for its end.

  pid_t pid() const { return pid_; }
  bool running();
  void signal(int number);
  /// SIGKILL, and waits for the end.
  void kill_hard();

  /// The exit code, or 128 + the signal that ended it; nullopt when it still runs at the deadline.
  std::optional<int> wait(std::chrono::milliseconds deadline);

 private:
  pid_t pid_ = -1;
  std::optional<int> ended_;
};

/// What a program that ran to its end said.
struct Finished {
  int exit_code = -1;  ///< As of Process::wait(); -1 when it had to be killed at the deadline.
  std::string out;
  std::string err;
};

Finished run_program(const std::vector<std::string>& argv,
                     std::chrono::milliseconds deadline = std::chrono::seconds(60));

/// The whole file; empty when there is none.
std::string read_file(const std::string& path);

}  // namespace hotrow::test
