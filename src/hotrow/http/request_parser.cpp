#include "hotrow/http/request_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include "hotrow/http/header_values.hpp"

namespace hotrow::http {
namespace {

namespace beast = boost::beast;
namespace asio = boost::asio;

/// What the shortest end of a chunked body takes: "0", CRLF, CRLF.
constexpr std::size_t last_chunk_bytes = 5;

/// Fields that Beast's table of names does not have.
std::optional<Header> header_by_name(beast::string_view name) {
  if (beast::iequals(name, "Idempotency-Key")) return Header::idempotency_key;
  if (beast::iequals(name, "X-Request-Id")) return Header::request_id;
  if (beast::iequals(name, "traceparent")) return Header::traceparent;
  if (beast::iequals(name, "Last-Event-ID")) return Header::last_event_id;
  return std::nullopt;
}

std::optional<Header> header_of(beast::http::field known, beast::string_view name) {
  using beast::http::field;
  switch (known) {
    case field::host: return Header::host;
    case field::authorization: return Header::authorization;
    case field::content_type: return Header::content_type;
    case field::expect: return Header::expect;
    case field::if_match: return Header::if_match;
    case field::if_none_match: return Header::if_none_match;
    case field::content_encoding: return Header::content_encoding;
    case field::accept: return Header::accept;
    case field::unknown: return header_by_name(name);
    default: return std::nullopt;
  }
}

/// "/a?b" of "http://host/a?b", the form that requests through a proxy have; nullopt when it names no host.
std::optional<std::string> origin_form(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return std::string(target);
  target.remove_prefix(scheme + 3);
  const std::string_view authority = target.substr(0, target.find_first_of("/?#"));
  if (authority.empty() || authority.starts_with(':') || !is_host(authority)) return std::nullopt;
  target.remove_prefix(authority.size());
  return target.starts_with('/') ? std::string(target) : "/" + std::string(target);
}

}  // namespace

RequestParser::RequestParser(Request& request, std::size_t header_bytes_max)
    : request_(request), header_bytes_max_(header_bytes_max) {
  header_limit(static_cast<std::uint32_t>(header_bytes_max));
  body_limit(boost::none);
}

RequestParser::Step RequestParser::parse(std::string_view input) {
  return is_header_done() ? parse_body(input) : parse_header(input);
}

/// Beast bounds what it is shown at a time; fields that come one by one are counted here.
RequestParser::Step RequestParser::parse_header(std::string_view input) {
  error_code ec;
  const std::size_t used = put(asio::buffer(input.data(), input.size()), ec);
  header_bytes_ += used;
  has_request_line_ = has_request_line_ || input.find("\r\n") < header_bytes_max_;
  const bool more = ec == beast::http::error::need_more;
  if (ec && !more) return refused(ec);
  const std::size_t seen = header_bytes_ + (more ? input.size() - used : 0);
  if (seen > header_bytes_max_) return too_large();
  if (more) return {.state = ParseState::needs_more, .used = used};
  return {.state = ParseState::header_done, .used = used};
}

RequestParser::Step RequestParser::parse_body(std::string_view input) {
  std::size_t used = 0;
  while (!is_done()) {
    const std::string_view rest = input.substr(used);
    // Beast 1.81 asserts that more than a piece of the last chunk is there.
    if (rest.empty() || (awaits_chunk_header() && rest.size() < last_chunk_bytes)) break;
    error_code ec;
    const std::size_t step = put(asio::buffer(rest.data(), rest.size()), ec);
    used += step;
    if (ec == beast::http::error::need_more) break;
    if (ec) return refused(ec);
  }
  body_wire_bytes_ += used;
  if (body_wire_bytes_ > 2 * body_bytes_max_ + header_bytes_max_) {
    return refused("payload_too_large", "The body's chunks are too small for their number.");
  }
  if (is_done()) return {.state = ParseState::complete, .used = used};
  if (input.size() - used > header_bytes_max_) {
    return refused("header_too_large", "A chunk's extension or the trailer is too large.");
  }
  return {.state = ParseState::needs_more, .used = used};
}

bool RequestParser::body_too_large() const {
  const boost::optional<std::uint64_t> length = content_length();
  return length && *length > body_bytes_max_;
}

void RequestParser::on_request_impl(verb, string_view method, string_view target, int version,
                                    error_code& ec) {
  request_.method = method_from_string(method);
  request_.is_head = method == "HEAD";
  std::optional<std::string> origin = origin_form(target);
  if (!origin) return refuse("invalid_request", "The target's authority is no host.", ec);
  request_.target = std::move(*origin);
  request_.is_http_1_0 = version == 10;
}

void RequestParser::on_field_impl(field name, string_view text, string_view value, error_code& ec) {
  if (is_header_done()) return;  // A trailer.
  if (name == field::transfer_encoding) {
    if (request_.is_http_1_0) refuse("invalid_request", "HTTP/1.0 has no transfer codings.", ec);
    if (!request_.is_http_1_0 && !beast::iequals(value, "chunked")) {
      refuse("invalid_request", "The only transfer coding understood is chunked.", ec);
    }
    return;
  }
  const std::optional<Header> header = header_of(name, text);
  if (!header || request_.set(*header, value) || *header == Header::accept) return;
  refuse("invalid_header", "A header field stands there twice.", ec);
}

void RequestParser::on_header_impl(error_code& ec) {
  request_.keeps_alive = keep_alive();
  request_.has_body = chunked() || content_length().value_or(0) > 0;
  if (!request_.is_http_1_0 && !request_.has(Header::host)) {
    return refuse("invalid_request", "HTTP/1.1 requests name a Host.", ec);
  }
  if (!is_host(request_.value(Header::host))) refuse("invalid_request", "Host is no name and port.", ec);
}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) {
  if (length && *length <= body_bytes_max_) request_.body.reserve(*length);
}

std::size_t RequestParser::on_body_impl(string_view bytes, error_code& ec) {
  take_body(bytes, ec);
  return bytes.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code& ec) {
  take_body(bytes, ec);
  chunk_bytes_left_ -= bytes.size();
  return bytes.size();
}

void RequestParser::take_body(string_view bytes, error_code& ec) {
  if (request_.body.size() + bytes.size() > body_bytes_max_) {
    return refuse("payload_too_large", "The body is larger than this call admits.", ec);
  }
  request_.body.append(bytes.data(), bytes.size());
}

void RequestParser::refuse(std::string_view code, std::string_view detail, error_code& ec) {
  refusal_ = {.code = code, .detail = detail};
  ec = beast::http::error::bad_value;
}

RequestParser::Step RequestParser::refused(std::string_view code, std::string_view detail) {
  refusal_ = {.code = code, .detail = detail};
  return {.state = ParseState::refused, .used = 0};
}

RequestParser::Step RequestParser::too_large() {
  if (!has_request_line_) return refused("target_too_long", "The request's target is too long.");
  return refused("header_too_large", "The request's header is too large.");
}

RequestParser::Step RequestParser::refused(const error_code& ec) {
  if (!refusal_.code.empty()) return {.state = ParseState::refused, .used = 0};
  if (ec == beast::http::error::header_limit) return too_large();
  if (ec == beast::http::error::bad_version) {
    return refused("http_version_not_supported", "The request line does not end in HTTP/1.1 or HTTP/1.0.");
  }
  return refused("invalid_request", "The request line, a header field or a chunk is malformed.");
}

}  // namespace hotrow::http
