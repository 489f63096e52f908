#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/app/http_client.hpp"

namespace hotrow {

/// One of a run's servers.
struct PipeServer {
  boost::asio::ip::tcp::resolver::results_type endpoints;
  std::string head;  ///< Of every request to it, between its first line and its own fields.
};

/// Looks up a server's name. Error: transient ("http_unreachable").
Result<PipeServer> find_server(boost::asio::io_context& loop, const HttpUrl& url, const std::string& api_key);

/// One keep-alive connection for a driver of load: one request at a time, without blocking. Whoever gets no
/// answer from one server goes on with the next. Everything happens on the loop's thread; must outlive the
/// loop's run.
class HttpPipe {
 public:
  struct Request {
    std::string first_line;  ///< "GET /v1/... HTTP/1.1\r\n"
    std::string fields;      ///< Further fields, each with its line end.
    std::string body;
  };
  using Done = std::function<void(boost::system::error_code, HttpAnswer)>;

  /// `servers` must outlive the pipe; begins with the one at `first`.
  HttpPipe(boost::asio::io_context& loop, const std::vector<PipeServer>& servers, std::size_t first)
      : stream_(loop), servers_(servers), at_(first % servers.size()) {}

  /// Calls `done` once: with the answer, or with the error for which there is none.
  void ask(const Request& request, Done done);

  /// Sends and hangs up: the answer is lost. `done` is called with an error in every case.
  void ask_and_leave(const Request& request, Done done);

 private:
  using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

  void start(const Request& request);
  void connect();
  void write();
  void read();
  void answered();
  void lost(boost::system::error_code error);

  boost::beast::tcp_stream stream_;
  const std::vector<PipeServer>& servers_;
  std::size_t at_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string text_;
  Done done_;
  bool open_ = false;
  bool leaves_ = false;
};

}  // namespace hotrow
