#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What single header fields say. Pure; nullopt means malformed.
namespace hotrow::http {

/// The secret of "Bearer <secret>"; nullopt for any other scheme.
std::optional<std::string_view> bearer_secret(std::string_view authorization);

/// The key, bare or as a quoted string (RFC 8941): 1 to 255 visible ASCII characters.
std::optional<std::string> idempotency_key(std::string_view value);

/// If-Match or If-None-Match, as versions understand them (RFC 9110, 13.1).
struct VersionTags {
  bool any = false;  ///< `*`: whatever version, but it exists.
  std::vector<std::int64_t> versions =
      {};  ///< Tags that are no versions of ours are left out: none has them.
};
/// Weak tags never match.
std::optional<VersionTags> if_match(std::string_view value);
/// Weak tags match like strong ones.
std::optional<VersionTags> if_none_match(std::string_view value);

/// JSON in UTF-8; absent (empty) counts as that.
bool is_json(std::string_view content_type);

/// Whether a Content-Encoding says that nothing is encoded.
bool is_identity(std::string_view content_encoding);

/// What may stand in Host and as the authority of a target: a name or an address, and perhaps a port.
bool is_host(std::string_view value);

/// 1 to 128 visible ASCII characters.
bool is_request_id(std::string_view value);

/// W3C Trace Context, version 00: lower-case hexadecimal and not all zeros.
bool is_traceparent(std::string_view value);

/// Whether a client that says `accept` would rather have HTML than JSON: browsers name it first.
bool prefers_html(std::string_view accept);

}  // namespace hotrow::http
