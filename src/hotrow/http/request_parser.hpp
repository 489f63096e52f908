#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <string_view>

#include "hotrow/http/exchange.hpp"

namespace hotrow::http {

/// What a piece of input came to.
enum class ParseState : std::uint8_t {
  needs_more,
  header_done,  ///< Told once; admit_body() before going on.
  complete,
  refused,  ///< See problem().
};

/// Reads one request off a connection into a Request, with Beast's parser underneath. Stricter than that in
/// what two parties could read differently: one Host, no other coding than chunked, known fields once.
/// Used by one thread.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  RequestParser(Request& request, std::size_t header_bytes_max);

  struct Step {
    ParseState state;
    std::size_t used;  ///< Bytes of the input that are done with; the rest must come again, with more behind.
  };
  Step parse(std::string_view input);

  /// After header_done: how large a body may be.
  void admit_body(std::size_t bytes_max) { body_bytes_max_ = bytes_max; }

  /// Whether the announced body is larger than admitted.
  bool body_too_large() const;

  /// Why the request was refused; a code of the problem table and a sentence.
  struct Refusal {
    std::string_view code;
    std::string_view detail;
  };
  Refusal problem() const { return refusal_; }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;

  void on_request_impl(verb, string_view method, string_view target, int version, error_code& ec) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(field name, string_view text, string_view value, error_code& ec) override;
  void on_header_impl(error_code& ec) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& ec) override;
  std::size_t on_body_impl(string_view bytes, error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t size, string_view, error_code&) override {
    chunk_bytes_left_ = size;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) override;
  void on_finish_impl(error_code&) override {}

  void refuse(std::string_view code, std::string_view detail, error_code& ec);
  void note(Header header, string_view value, error_code& ec);
  Step parse_header(std::string_view input);
  Step parse_body(std::string_view input);
  bool awaits_chunk_header() const { return chunked() && chunk_bytes_left_ == 0; }
  void take_body(string_view bytes, error_code& ec);
  Step refused(std::string_view code, std::string_view detail);
  Step refused(const error_code& ec);
  Step too_large();

  Request& request_;
  const std::size_t header_bytes_max_;
  Refusal refusal_{};
  std::size_t header_bytes_ = 0;
  bool has_request_line_ = false;  ///< Within what a header may have.
  std::size_t body_bytes_max_ = 0;
  std::size_t body_wire_bytes_ = 0;  ///< With chunk headers and extensions.
  std::uint64_t chunk_bytes_left_ = 0;
};

}  // namespace hotrow::http
