#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hotrow {

/// Passes TCP connections on to a server of this machine, and can make them fail in ways that a network does.
/// Safe from all threads.
class TcpProxy {
 public:
  explicit TcpProxy(int server_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }

  /// Cuts the connection, without passing it on, when the server sends these bytes. Once.
  void cut_on_answer(std::string bytes);
  /// The same for bytes sent by the client.
  void cut_on_request(std::string bytes);
  /// Passes on nothing more on any connection, and cuts none, until heal().
  void go_silent();
  void heal();
  /// Cuts all connections there are.
  void cut_all();

  /// How often a cut was made on bytes.
  int cuts() const { return cuts_; }

 private:
  struct Pair {
    int client;
    int server;
  };
  void run();
  void accept_one();
  bool pass(const Pair& pair, bool from_client);
  bool triggers(std::optional<std::string>& trap, const char* bytes, std::size_t count);

  int server_port_;
  int port_ = 0;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::mutex mutex_;
  std::optional<std::string> answer_trap_;
  std::optional<std::string> request_trap_;
  std::atomic<bool> silent_ = false;
  std::atomic<bool> cut_all_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> cuts_ = 0;
  std::vector<Pair> pairs_;
  std::jthread thread_;
};

}  // namespace hotrow
