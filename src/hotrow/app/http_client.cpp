#include "hotrow/app/http_client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>

namespace hotrow {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Request = beast::http::request<beast::http::string_body>;
using Parser = beast::http::response_parser<beast::http::string_body>;

/// Each step runs the loop until its own handler was called; the stream's timer makes that certain.
class HttpClient::Connection {
 public:
  explicit Connection(Options options) : options_(std::move(options)), stream_(loop_) {}

  bool is_open() const { return open_; }

  beast::error_code open() {
    asio::ip::tcp::resolver resolver(loop_);
    beast::error_code error;
    const auto endpoints = resolver.resolve(options_.url.host, options_.url.port, error);
    if (error) return error;
    stream_.expires_after(options_.timeout);
    stream_.async_connect(endpoints, [&error](beast::error_code result, const auto&) { error = result; });
    run();
    open_ = !error;
    if (open_) stream_.socket().set_option(asio::ip::tcp::no_delay(true), error);
    return error;
  }

  beast::error_code exchange(const Request& request, HttpAnswer& answer) {
    beast::error_code error;
    stream_.expires_after(options_.timeout);
    beast::http::async_write(stream_, request,
                             [&error](beast::error_code result, std::size_t) { error = result; });
    run();
    if (error) return close(error);

    Parser parser;
    parser.body_limit(boost::none);
    beast::http::async_read(stream_, buffer_, parser,
                            [&error](beast::error_code result, std::size_t) { error = result; });
    run();
    if (error) return close(error);
    answer.status = static_cast<int>(parser.get().result_int());
    answer.body = std::move(parser.get().body());
    if (!parser.keep_alive()) open_ = false;
    return {};
  }

 private:
  void run() {
    loop_.restart();
    loop_.run();
  }

  beast::error_code close(beast::error_code why) {
    open_ = false;
    return why;
  }

  Options options_;
  asio::io_context loop_{1};
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  bool open_ = false;
};

namespace {

Request make_request(const HttpUrl& url, const std::string& api_key, std::string_view method,
                     const std::string& target, const std::string& body) {
  Request request;
  request.version(11);
  request.method_string({method.data(), method.size()});
  request.target(target);
  request.set(beast::http::field::host, url.authority);
  request.set(beast::http::field::user_agent, "hotrow");
  if (!api_key.empty()) request.set(beast::http::field::authorization, "Bearer " + api_key);
  if (!body.empty()) request.set(beast::http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  return request;
}

}  // namespace

HttpClient::HttpClient(Options options) : options_(std::move(options)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::get(const std::string& target) { return send("GET", target, ""); }

Result<HttpAnswer> HttpClient::send(std::string_view method, const std::string& target,
                                    const std::string& body,
                                    const std::vector<std::pair<std::string, std::string>>& headers) {
  Request request = make_request(options_.url, options_.api_key, method, target, body);
  for (const auto& [name, value] : headers) request.set(name, value);

  HttpAnswer answer;
  beast::error_code error;
  const bool kept = connection_ && connection_->is_open();
  if (kept) {
    error = connection_->exchange(request, answer);
    if (!error) return answer;
    if (method != "GET") return failure(ErrorKind::transient, "http_unreachable", error.message());
  }
  connection_ = std::make_unique<Connection>(options_);
  error = connection_->open();
  if (!error) error = connection_->exchange(request, answer);
  if (error) {
    return failure(ErrorKind::transient, "http_unreachable",
                   "http://" + options_.url.authority + ": " + error.message());
  }
  return answer;
}

}  // namespace hotrow
