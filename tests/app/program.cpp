#include "tests/app/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace hotrow::test {
namespace {

constexpr std::chrono::seconds patience{60};

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Where a child's three streams go, as file descriptors of this process.
struct Streams {
  int in;
  int out;
  int err;
};

pid_t start(const std::string& program, const std::vector<std::string>& arguments, const Streams& streams) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.err, STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << "cannot start " << program;
  return pid;
}

int open_file(const std::string& path, int flags) { return open(path.c_str(), flags | O_CLOEXEC, 0600); }

}  // namespace

Folder::Folder() {
  std::string pattern = testing::TempDir() + "hotrow-test-XXXXXX";
  path_ = mkdtemp(pattern.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Finished run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input) {
  const Folder folder;
  std::ofstream(folder.path("in")) << input;
  const Streams streams{open_file(folder.path("in"), O_RDONLY),
                        open_file(folder.path("out"), O_WRONLY | O_CREAT),
                        open_file(folder.path("err"), O_WRONLY | O_CREAT)};
  const pid_t pid = start(program, arguments, streams);
  for (const int stream : {streams.in, streams.out, streams.err}) close(stream);
  Finished finished;
  finished.exit_code = exit_code_of(pid);
  finished.out = read_file(folder.path("out"));
  finished.err = read_file(folder.path("err"));
  return finished;
}

Finished hotrow(const std::vector<std::string>& arguments, const std::string& input) {
  return run(HOTROW_PROGRAM, arguments, input);
}

RunningServer::RunningServer(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"serve", "--listen", "127.0.0.1:0"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  const int nothing = open_file("/dev/null", O_RDWR);
  pid_ = start(HOTROW_PROGRAM, all, {nothing, nothing, pipe_ends[1]});
  close(nothing);
  close(pipe_ends[1]);
  reader_ = std::jthread([this, from = pipe_ends[0]] { read_log(from); });
}

RunningServer::~RunningServer() {
  if (ended_) return;
  kill(pid_, SIGKILL);
  wait();
}

void RunningServer::read_log(int from) {
  std::array<char, 4096> part{};
  ssize_t size = 0;
  while ((size = read(from, part.data(), part.size())) > 0) {
    const std::lock_guard lock(mutex_);
    log_.append(part.data(), static_cast<std::size_t>(size));
    grown_.notify_all();
  }
  close(from);
  const std::lock_guard lock(mutex_);
  log_over_ = true;
  grown_.notify_all();
}

bool RunningServer::wait_log(const std::string& text) {
  std::unique_lock lock(mutex_);
  const auto there = [&] {
    const std::size_t at = log_.find(text);
    return at != std::string::npos && log_.find('\n', at) != std::string::npos;
  };
  grown_.wait_for(lock, patience, [&] { return log_over_ || there(); });
  return there();
}

void RunningServer::wait_for_log(const std::string& text) { ASSERT_TRUE(wait_log(text)) << log(); }

void RunningServer::wait_until_serving() {
  ASSERT_TRUE(wait_log("\"message\":\"serving\"")) << log();
  const std::string text = log();
  const std::string name = "\"port\":";
  const std::size_t at = text.find(name, text.find("\"message\":\"serving\"")) + name.size();
  std::from_chars(text.data() + at, text.data() + text.size(), port_);
  ASSERT_NE(port_, 0);
}

HttpClient RunningServer::client(const std::string& api_key) const {
  return HttpClient({.url = *parse_http_url(url()), .api_key = api_key});
}

void RunningServer::send_signal(int number) const { kill(pid_, number); }

int RunningServer::wait() {
  if (!ended_) exit_code_ = exit_code_of(pid_);
  ended_ = true;
  return exit_code_;
}

std::string RunningServer::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace hotrow::test
