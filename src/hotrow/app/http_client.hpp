#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotrow/app/http_url.hpp"
#include "hotrow/base/result.hpp"

namespace hotrow {

struct HttpAnswer {
  int status = 0;
  std::string body;
  bool replayed = false;  ///< Idempotency-Replayed: the stored answer of an earlier request.
};

/// Asks one server, one request at a time, over a connection that is kept. Used by one thread; blocks.
class HttpClient {
 public:
  struct Options {
    HttpUrl url;
    std::string api_key;               ///< Sent as a bearer token; empty: none.
    std::chrono::seconds timeout{70};  ///< For one request; a long poll takes up to a minute.
  };

  explicit HttpClient(Options options);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  /// Errors: transient ("http_unreachable"), when no answer was had. A kept connection that the server has
  /// closed meanwhile is opened again, once, and only for GET: the request may have been carried out.
  Result<HttpAnswer> get(const std::string& target);
  Result<HttpAnswer> send(std::string_view method, const std::string& target, const std::string& body,
                          const std::vector<std::pair<std::string, std::string>>& headers = {});

 private:
  class Connection;
  Options options_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace hotrow
