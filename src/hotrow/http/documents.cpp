#include "hotrow/http/documents.hpp"

#include <algorithm>

#include "hotrow/http/event_types.hpp"
#include "hotrow/http/header_values.hpp"
#include "hotrow/http/json_text.hpp"

namespace hotrow::http {
namespace {

Response not_found(const Exchange& exchange) {
  return problem_response({.code = "not_found", .detail = "Nothing is served at this path."},
                          exchange.context());
}

std::string html_page(std::string_view title, const std::string& content) {
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>";
  page += title;
  page += "</title>\n<body style=\"font-family: sans-serif; max-width: 45em; margin: 3em auto\">\n<h1>";
  page += title;
  page += "</h1>\n" + content + "</body>\n</html>\n";
  return page;
}

std::string problem_html(const ProblemKind& kind) {
  std::string content = "<p>" + std::string(kind.explanation) + "</p>\n<p>HTTP status ";
  content += std::to_string(kind.status) + ", <code>" + std::string(kind.code) + "</code>. ";
  content += kind.retryable ? "The same request may succeed later, unchanged."
                            : "The same request will be refused again.";
  return html_page(kind.title, content + "</p>\n");
}

}  // namespace

Response problem_page(const Exchange& exchange) {
  std::string code(exchange.match.captures[0]);
  std::ranges::replace(code, '-', '_');
  const ProblemKind* kind = find_problem_kind(code);
  if (kind == nullptr) return not_found(exchange);
  if (prefers_html(exchange.request.value(Header::accept))) {
    return {.content_type = media::html, .headers = "Vary: Accept\r\n", .body = problem_html(*kind)};
  }
  Response response{.headers = "Vary: Accept\r\n"};
  JsonWriter json(response.body);
  json.begin_object().key("type").text("/problems/" + with_hyphens(kind->code));
  json.key("code").text(kind->code).key("title").text(kind->title).key("status").integer(kind->status);
  json.key("retryable").flag(kind->retryable).key("explanation").text(kind->explanation).end_object();
  return response;
}

Response event_schema(const Exchange& exchange) {
  const EventType* type = find_event_type(exchange.match.captures[0]);
  if (type == nullptr) return not_found(exchange);
  return {.content_type = media::schema, .body = std::string(type->data_schema)};
}

Response root_page() {
  return {
      .content_type = media::html,
      .body = html_page("hotrow",
                        "<p>This server keeps contended rows exact: promotions in which exactly the Nth "
                        "entry wins, and an auction house in which nothing is sold twice.</p>\n<p>Its API "
                        "lies below <code>/v1</code> and is described by "
                        "<a href=\"/openapi.json\">/openapi.json</a>. <a href=\"/healthz\">/healthz</a>, "
                        "<a href=\"/readyz\">/readyz</a> and <a href=\"/metrics\">/metrics</a> say how it "
                        "is.</p>\n")};
}

}  // namespace hotrow::http
