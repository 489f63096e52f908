#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/http_probe.hpp"
#include "tests/support/process.hpp"

namespace hotrow::test {

/// The program under test.
std::string hotrow_program();

struct ServerOptions {
  std::string database;  ///< As --database takes it.
  std::string name;      ///< Of the server, and of its log file.
  std::string folder;    ///< Where its log goes.
  std::vector<std::string> flags = {};
};

/// One `hotrow serve` process on a port of its own, which stays the same over restarts. Used by one thread.
class Server {
 public:
  explicit Server(ServerOptions options) : options_(std::move(options)) {}

  /// Starts the process and does not wait.
  void launch();
  /// Throws std::runtime_error with its log when it ends, or is not ready before the deadline.
  void wait_until_ready(std::chrono::milliseconds deadline = std::chrono::seconds(30));
  void start() {
    launch();
    wait_until_ready();
  }
  bool ready();

  Process& process() { return *process_; }
  std::uint16_t port() const { return port_; }
  std::string log() const { return read_file(log_file()); }

 private:
  std::string log_file() const { return options_.folder + "/" + options_.name + ".log"; }
  std::uint16_t logged_port() const;

  ServerOptions options_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

/// `hotrow verify` beside whatever runs.
Finished verify(const std::string& database);

/// Creates a promotion with these JSON members. Throws std::runtime_error when that is refused.
void put_promotion(std::uint16_t port, const std::string& id, const std::string& members);

/// Creates an open promotion whose `target`-th entry wins; `more` are further members, each after a comma.
void create_promotion(std::uint16_t port, const std::string& id, std::int64_t target,
                      const std::string& more = "");

}  // namespace hotrow::test
