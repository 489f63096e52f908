#pragma once

#include <functional>
#include <string>

#include "hotrow/http/poller.hpp"
#include "hotrow/http/socket.hpp"

namespace hotrow::http {

/// Takes clients in, on the thread of the loop whose poller it uses.
class Listener : public Watched {
 public:
  using Take = std::function<void(Socket)>;

  Listener(Socket socket, Poller& poller, Take take);

  void on_ready(bool readable, bool writable) override;

  /// Goes on after a pause: called about ten times a second.
  void resume();

  void close() { socket_.close(); }

 private:
  Socket socket_;
  Poller& poller_;
  const Take take_;
  bool paused_ = false;
};

}  // namespace hotrow::http
