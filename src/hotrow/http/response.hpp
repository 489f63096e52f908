#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hotrow/base/result.hpp"
#include "hotrow/engine/engine.hpp"
#include "hotrow/http/problem.hpp"

namespace hotrow::http {

class BodyPipe;

namespace media {
inline constexpr std::string_view json = "application/json";
inline constexpr std::string_view problem = "application/problem+json";
inline constexpr std::string_view schema = "application/schema+json";
inline constexpr std::string_view ndjson = "application/x-ndjson";
inline constexpr std::string_view csv = "text/csv; charset=utf-8";
inline constexpr std::string_view html = "text/html; charset=utf-8";
inline constexpr std::string_view text = "text/plain; charset=utf-8";
inline constexpr std::string_view prometheus = "text/plain; version=0.0.4; charset=utf-8";
inline constexpr std::string_view event_stream = "text/event-stream";
}  // namespace media

/// An answer before the connection adds what belongs to every answer (length, date, request id).
struct Response {
  int status = 200;
  std::string_view content_type = media::json;
  std::string headers;  ///< Further header lines, each with its CRLF.
  std::string body;
  std::string_view code;                ///< Of the problem; "" for a success.
  std::int64_t version = 0;             ///< Of the state shown, where If-None-Match may ask for it.
  std::shared_ptr<BodyPipe> pipe = {};  ///< The body comes through here instead, of unknown length.
  bool closes = false;                  ///< The connection cannot go on after this answer.
};

/// What an answer needs to know of its request.
struct AnswerContext {
  std::string_view request_id;
  std::uint32_t jitter = 0;  ///< Random: spreads Retry-After.
};

Response problem_response(const Problem& problem, const AnswerContext& context);

/// What a command's caller is told. Status, body and all headers but Retry-After are a pure function of the
/// reply, so that a stored answer is told again byte for byte.
Response command_response(const Result<Reply>& reply, const AnswerContext& context);

/// For a question that failed: the store is away, or its set-up is wrong. Nothing was done.
Response failure_response(const Error& error, const AnswerContext& context);

/// `busy`: a bound of this server is reached and definitely nothing was done.
Response busy_response(std::string detail, const AnswerContext& context);

/// "ETag: "<version>"" as a header line.
std::string etag_line(std::int64_t version);

/// The ETag of a body that shows a present state, which no cache may keep: counters and clocks change without
/// the version. Who knows that may ask with If-None-Match.
std::string state_lines(std::int64_t version);

/// The reason phrase of a status that this server uses.
std::string_view reason_phrase(int status);

}  // namespace hotrow::http
