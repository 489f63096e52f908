#include "hotrow/app/http_pipe.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <utility>

namespace hotrow {

namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

constexpr std::chrono::seconds exchange_timeout{20};

}  // namespace

Result<PipeServer> find_server(asio::io_context& loop, const HttpUrl& url, const std::string& api_key) {
  beast::error_code error;
  asio::ip::tcp::resolver resolver(loop);
  PipeServer server{.endpoints = resolver.resolve(url.host, url.port, error)};
  if (error) return failure(ErrorKind::transient, "http_unreachable", url.host + ": " + error.message());
  server.head = "Host: " + url.authority + "\r\nContent-Type: application/json\r\n";
  if (!api_key.empty()) server.head += "Authorization: Bearer " + api_key + "\r\n";
  return server;
}

void HttpPipe::ask(const Request& request, Done done) {
  leaves_ = false;
  done_ = std::move(done);
  start(request);
}

void HttpPipe::ask_and_leave(const Request& request, Done done) {
  leaves_ = true;
  done_ = std::move(done);
  start(request);
}

void HttpPipe::start(const Request& request) {
  text_ = request.first_line + servers_[at_].head + request.fields;
  text_ += "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
  if (open_) {
    write();
  } else {
    connect();
  }
}

void HttpPipe::connect() {
  stream_.expires_after(exchange_timeout);
  stream_.async_connect(servers_[at_].endpoints, [this](beast::error_code error, const auto&) {
    if (error) return lost(error);
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), error);
    buffer_.clear();
    open_ = true;
    write();
  });
}

void HttpPipe::write() {
  stream_.expires_after(exchange_timeout);
  asio::async_write(stream_, asio::buffer(text_), [this](beast::error_code error, std::size_t) {
    if (error) return lost(error);
    if (leaves_) return lost(asio::error::operation_aborted);
    read();
  });
}

void HttpPipe::read() {
  parser_.emplace();
  beast::http::async_read(stream_, buffer_, *parser_, [this](beast::error_code error, std::size_t) {
    if (error) return lost(error);
    answered();
  });
}

void HttpPipe::answered() {
  auto& response = parser_->get();
  HttpAnswer answer{.status = static_cast<int>(response.result_int()),
                    .body = std::move(response.body()),
                    .replayed = response["Idempotency-Replayed"] == "true"};
  if (!parser_->keep_alive()) {
    open_ = false;
    stream_.close();
  }
  std::exchange(done_, nullptr)({}, std::move(answer));
}

void HttpPipe::lost(beast::error_code error) {
  open_ = false;
  stream_.close();
  at_ = (at_ + 1) % servers_.size();
  std::exchange(done_, nullptr)(error, {});
}

}  // namespace hotrow
