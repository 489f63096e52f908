#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What single header fields say. Pure; nullopt means malformed.
namespace hotrow::http {

/// The secret of "Bearer <secret>"; nullopt for any other scheme.
std::optional<std::string_view> bearer_secret(std::string_view authorization);

/// The key, bare or as a quoted string (RFC 8941): 1 to 255 visible ASCII characters.
std::optional<std::string> idempotency_key(std::string_view value);

/// If-Match as versions understand it.
struct IfMatch {
  bool any = false;          ///< `*`: whatever version, but it must exist.
  std::int64_t version = 0;  ///< 0 for a tag that is no version of ours: never the present one.
};
std::optional<IfMatch> if_match(std::string_view value);

/// Absent (empty) counts as JSON.
bool is_json(std::string_view content_type);

/// 1 to 128 visible ASCII characters.
bool is_request_id(std::string_view value);

/// W3C Trace Context, version 00: lower-case hexadecimal and not all zeros.
bool is_traceparent(std::string_view value);

/// Whether a client that says `accept` would rather have HTML than JSON: browsers name it first.
bool prefers_html(std::string_view accept);

}  // namespace hotrow::http
