#include "hotrow/http/response.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/http/market_answers.hpp"
#include "hotrow/http/promotion_json.hpp"

namespace hotrow::http {
namespace {

using http::told;  // The auction's.

/// Whole seconds until the time in the figure called `name`, rounded up; 0 when it has come.
std::int64_t seconds_until(const Problem& problem, std::string_view figure_name) {
  std::int64_t then = 0;
  std::int64_t now = 0;
  for (const auto& [name, figure] : problem.figures) {
    const auto* at = std::get_if<Timestamp>(&figure);
    if (at != nullptr && name == figure_name) then = at->micros;
    if (at != nullptr && name == "server_time") now = at->micros;
  }
  return std::max<std::int64_t>(0, (then - now + 999'999) / 1'000'000);
}

/// When to try again, in seconds: spread, so that those who were refused together do not return together.
std::int64_t retry_after(const Problem& problem, std::uint32_t jitter) {
  if (problem.code == "promotion_not_started") return seconds_until(problem, "starts_at") + jitter % 4;
  if (problem.code == "buyout_quiet") return seconds_until(problem, "quiet_until") + jitter % 4;
  if (problem.code == "buyout_rate") return seconds_until(problem, "resets_at") + jitter % 4;
  if (problem.code == "not_ended") return seconds_until(problem, "ends_at") + 1 + jitter % 3;
  if (problem.code == "promotion_paused" || problem.code == "market_paused") return 5 + jitter % 6;
  if (problem.code == "listing_set_aside") return 60 + jitter % 30;
  return 1 + jitter % 3;
}

struct FailureAnswer {
  std::string_view code;
  std::string_view detail;
};

FailureAnswer answer_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid: return {"internal_error", "The command was found to be impossible to store."};
    case ErrorKind::in_doubt: return {"outcome_unknown", "The commit was not confirmed in time."};
    case ErrorKind::transient: return {"unavailable", "The store cannot be reached."};
    case ErrorKind::fatal: return {"unavailable", "The store is not set up as this server needs it."};
    case ErrorKind::overloaded:
    case ErrorKind::conflict:
    case ErrorKind::held: return {"busy", "Too much is going on for this request to be served in time."};
  }
  HOTROW_ASSERT(false);
}

void write_entry_refusal(JsonWriter& json, const EntryRefusal& refusal, std::string_view request_id) {
  json.begin_object().key("user_id").text(refusal.user).key("problem");
  write_problem(json, to_problem(refusal.rejection), request_id);
  json.end_object();
}

Response told(const EntryAnswer& entry) {
  Response response{.status = entry.already ? 200 : 201};
  response.body.reserve(224 + entry.promotion.size() + entry.user.size());
  JsonWriter json(response.body);
  write_entry(json, entry);
  return response;
}

Response told(const EntriesAnswer& entries, const AnswerContext& context) {
  Response response;
  response.body.reserve(256 * entries.results.size());
  JsonWriter json(response.body);
  json.begin_object().key("results").begin_array();
  for (const auto& result : entries.results) {
    if (const auto* entry = std::get_if<EntryAnswer>(&result)) {
      write_entry(json, *entry);
    } else {
      write_entry_refusal(json, std::get<EntryRefusal>(result), context.request_id);
    }
  }
  json.end_array().end_object();
  return response;
}

Response told(const PromotionAnswer& answer) {
  Response response{.status = answer.created ? 201 : 200, .headers = etag_line(answer.promotion.version)};
  JsonWriter json(response.body);
  write_promotion(json, promotion_view(answer));
  return response;
}

/// Something was done, and not what was asked for.
Response told(const SetAsideAnswer& answer, const AnswerContext& context) {
  return problem_response({.code = "listing_set_aside",
                           .detail = "The listing was set aside: " + answer.reason + ".",
                           .figures = {{"listing_id", answer.listing}}},
                          context);
}

Response outcome_response(const Outcome& outcome, const AnswerContext& context) {
  return std::visit(
      [&](const auto& answer) {
        if constexpr (requires { told(answer, context); }) {
          return told(answer, context);
        } else {
          return told(answer);
        }
      },
      outcome);
}

/// A quota that is used up, in the form of the IETF's draft. `window`: "" or ";w=<seconds>".
std::string rate_limit_lines(const Problem& problem, std::uint32_t jitter, std::string_view name,
                             std::int64_t quota, std::string_view window = "") {
  const std::string quoted = "\"" + std::string(name) + "\"";
  std::string lines = "RateLimit-Policy: " + quoted + ";q=" + std::to_string(quota);
  lines += window;
  lines += "\r\nRateLimit: " + quoted + ";r=0;t=" + std::to_string(retry_after(problem, jitter)) + "\r\n";
  return lines;
}

std::int64_t undecided_bids_max() {
  return std::int64_t(share_of(Command{.body = PlaceBid{}})->undecided_max);
}

/// This client's own doing, unlike `busy`.
Response too_many_undecided_response(const AnswerContext& context) {
  const Problem problem{.code = "too_many_undecided",
                        .detail = "Too many bids of this bidder on this listing wait for a decision."};
  Response response = problem_response(problem, context);
  response.headers += rate_limit_lines(problem, context.jitter, "undecided-bids", undecided_bids_max());
  return response;
}

std::int64_t integer_figure(const Problem& problem, std::string_view figure_name) {
  for (const auto& [name, figure] : problem.figures) {
    const auto* number = std::get_if<std::int64_t>(&figure);
    if (number != nullptr && name == figure_name) return *number;
  }
  return 0;
}

Response rejection_response(const Rejection& rejection, const AnswerContext& context) {
  const Problem problem = to_problem(rejection);
  Response response = problem_response(problem, context);
  if (rejection.code == RejectionCode::buyout_rate) {
    const std::int64_t quota = integer_figure(problem, "limit");
    response.headers += rate_limit_lines(problem, context.jitter, "buyouts", quota, ";w=60");
  }
  return response;
}

}  // namespace

Response problem_response(const Problem& problem, const AnswerContext& context) {
  const ProblemKind* kind = find_problem_kind(problem.code);
  HOTROW_ASSERT(kind != nullptr);
  Response response{.status = kind->status, .content_type = media::problem, .code = kind->code};
  if (kind->retryable && kind->status != 408) {
    response.headers = "Retry-After: " + std::to_string(retry_after(problem, context.jitter)) + "\r\n";
  }
  if (problem.current) response.headers += etag_line(version_of(*problem.current));
  if (kind->status == 401) response.headers += "WWW-Authenticate: Bearer realm=\"hotrow\"\r\n";
  JsonWriter json(response.body);
  write_problem(json, problem, context.request_id);
  return response;
}

Response command_response(const Result<Reply>& reply, const AnswerContext& context) {
  if (!reply) return failure_response(reply.error(), context);
  const auto* rejection = std::get_if<Rejection>(&reply->answer);
  Response response = rejection != nullptr ? rejection_response(*rejection, context)
                                           : outcome_response(std::get<Outcome>(reply->answer), context);
  if (reply->replayed) response.headers += "Idempotency-Replayed: true\r\n";
  return response;
}

Response failure_response(const Error& error, const AnswerContext& context) {
  if (error.code == "too_many_undecided") return too_many_undecided_response(context);
  if (error.code == "queue_max") return busy_response("By its policy, " + error.detail + ".", context);
  const FailureAnswer answer = answer_of(error.kind);
  return problem_response({.code = answer.code, .detail = std::string(answer.detail)}, context);
}

Response busy_response(std::string detail, const AnswerContext& context) {
  return problem_response({.code = "busy", .detail = std::move(detail)}, context);
}

std::string etag_line(std::int64_t version) { return "ETag: \"" + std::to_string(version) + "\"\r\n"; }

std::string state_lines(std::int64_t version) { return etag_line(version) + "Cache-Control: no-store\r\n"; }

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

}  // namespace hotrow::http
