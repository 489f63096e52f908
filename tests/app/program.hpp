#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hotrow/app/http_client.hpp"

namespace hotrow::test {

/// A folder of one test's own, removed with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Finished {
  int exit_code = -1;  ///< 128 + signal when a signal ended it.
  std::string out;
  std::string err;
};

/// Runs a program to its end.
Finished run(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input = "");

/// Runs hotrow to its end.
Finished hotrow(const std::vector<std::string>& arguments, const std::string& input = "");

/// `hotrow serve` on a free loopback port. Killed with the object, if it still runs.
class RunningServer {
 public:
  explicit RunningServer(const std::vector<std::string>& arguments);
  ~RunningServer();

  /// Waits until it serves. A server that ends before fails the test.
  void wait_until_serving();

  /// Waits until a line of its log holds this text.
  void wait_for_log(const std::string& text);

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  HttpClient client(const std::string& api_key = "") const;

  void send_signal(int number) const;
  pid_t pid() const { return pid_; }
  /// Waits for its end; the exit code as in Finished.
  int wait();
  std::string log() const;

 private:
  void read_log(int from);
  bool wait_log(const std::string& text);

  pid_t pid_ = -1;
  bool ended_ = false;
  int exit_code_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable grown_;
  std::string log_;
  bool log_over_ = false;
  std::jthread reader_;
};

}  // namespace hotrow::test
