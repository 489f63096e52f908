#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hotrow::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_interval_ms = 5;

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// In the child, between fork and exec: calls only what is safe there.
void point_at(int target, const char* file) {
  const int opened = open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (opened >= 0) dup2(opened, target);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> child_environment(const ProcessOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const auto& [name, value] : options.environment) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds deadline) {
  const auto end = Clock::now() + deadline;
  while (!holds()) {
    if (Clock::now() >= end) return false;
    poll(nullptr, 0, poll_interval_ms);
  }
  return true;
}

ScratchFolder::ScratchFolder(const std::string& name) {
  path_ = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(path_, ignored);
}

Process::Process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  const std::string out = options.out_file.empty() ? "/dev/null" : options.out_file;
  const std::string err = options.err_file.empty() ? "/dev/null" : options.err_file;
  const std::vector<std::string> environment = child_environment(options);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  point_at(STDIN_FILENO, "/dev/null");
  point_at(STDOUT_FILENO, out.c_str());
  point_at(STDERR_FILENO, err.c_str());
  execvpe(arguments[0], arguments.data(), variables.data());
  _exit(127);
}

Process::~Process() { kill_hard(); }

bool Process::running() { return !wait(std::chrono::milliseconds(0)).has_value(); }

void Process::signal(int number) {
  if (running()) kill(pid_, number);
}

void Process::kill_hard() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  ended_ = exit_code_of(status);
}

std::optional<int> Process::wait(std::chrono::milliseconds deadline) {
  eventually(
      [this] {
        int status = 0;
        if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) ended_ = exit_code_of(status);
        return ended_.has_value();
      },
      deadline);
  return ended_;
}

Finished run_program(const std::vector<std::string>& argv, std::chrono::milliseconds deadline) {
  const ScratchFolder folder("hotrow-run");
  Process process(argv, {.out_file = folder.file("out"), .err_file = folder.file("err")});
  const std::optional<int> code = process.wait(deadline);
  process.kill_hard();
  return {.exit_code = code.value_or(-1),
          .out = read_file(folder.file("out")),
          .err = read_file(folder.file("err"))};
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace hotrow::test
