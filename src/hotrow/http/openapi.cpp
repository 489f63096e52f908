#include "hotrow/http/openapi.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <vector>

#include "hotrow/base/assert.hpp"
#include "hotrow/http/command_table.hpp"
#include "hotrow/http/openapi_operations.hpp"
#include "hotrow/http/openapi_schemas.hpp"
#include "hotrow/http/problem.hpp"
#include "hotrow/http/response.hpp"
#include "hotrow/http/routes.hpp"

namespace hotrow::http {
namespace {

namespace json = boost::json;

json::object reference(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

json::value parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

json::array path_parameters(std::string_view path) {
  json::array parameters;
  for (std::size_t at = path.find('{'); at != std::string_view::npos; at = path.find('{', at + 1)) {
    const std::string_view name = path.substr(at + 1, path.find('}', at) - at - 1);
    json::object schema{{"type", name == "ordinal" ? "integer" : "string"}};
    parameters.push_back(
        json::object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", std::move(schema)}});
  }
  return parameters;
}

json::object parameter_object(const OperationParameter& parameter) {
  json::object object{{"name", parameter.name},
                      {"in", parameter.in},
                      {"description", parameter.description},
                      {"schema", parse(parameter.schema)}};
  if (parameter.required) object["required"] = true;
  return object;
}

KeyUse key_use(const Route& route) {
  const CommandKind* kind = find_command_kind(route.endpoint);
  return kind != nullptr ? kind->key : KeyUse::ignored;
}

json::array parameters(const Route& route, const OperationText& text) {
  json::array all = path_parameters(route.path);
  for (const OperationParameter& parameter : text.parameters) all.push_back(parameter_object(parameter));
  if (key_use(route) == KeyUse::ignored) return all;
  OperationParameter key{
      "Idempotency-Key", "header", R"({"type":"string","pattern":"^[\\x21-\\x7e]{1,255}$"})",
      "The same request under the same key is told the first answer again, with Idempotency-Replayed: true. "
      "Scoped to the API key and to who acts. Bare or in double quotes."};
  key.required = key_use(route) == KeyUse::required;
  all.push_back(parameter_object(key));
  return all;
}

/// What any call of this kind may be told.
std::vector<std::string_view> problems_of(const Route& route, const OperationText& text) {
  std::vector<std::string_view> codes = {"invalid_request", "request_timeout", "target_too_long",
                                         "header_too_large"};
  if (route.path.find('{') != std::string_view::npos) codes.push_back("invalid_path");
  if (route.role != Role::anyone) {
    codes.insert(codes.end(), {"unauthorized", "forbidden"});
  }
  if (route.method == Method::get) codes.push_back("invalid_query");
  if (route.path.starts_with("/v1/")) {
    codes.insert(codes.end(), {"busy", "unavailable"});
  }
  if (!text.body.empty()) {
    codes.insert(codes.end(),
                 {"invalid_json", "invalid_header", "payload_too_large", "unsupported_media_type",
                  "expectation_failed", "validation_failed", "internal_error", "outcome_unknown"});
  }
  if (key_use(route) != KeyUse::ignored) {
    codes.insert(codes.end(), {"idempotency_key_invalid", "idempotency_key_reused"});
  }
  if (key_use(route) == KeyUse::required) codes.emplace_back("idempotency_key_missing");
  codes.insert(codes.end(), text.problems.begin(), text.problems.end());
  return codes;
}

json::object problem_content() {
  return {{std::string(media::problem), json::object{{"schema", reference("Problem")}}}};
}

void add_success(json::object& responses, const OperationSuccess& success) {
  json::object& response = responses[std::to_string(success.status)].is_null()
                               ? responses[std::to_string(success.status)].emplace_object()
                               : responses[std::to_string(success.status)].get_object();
  response["description"] = success.description;
  json::object schema = success.schema.empty() ? json::object{{"type", "string"}} : reference(success.schema);
  if (success.media_type == media::json && success.schema.empty()) schema = {{"type", "object"}};
  if (success.media_type == media::schema) schema = {{"type", "object"}};
  const std::string_view type = success.media_type.substr(0, success.media_type.find(';'));
  if (!response.contains("content")) response["content"] = json::object();
  response["content"].as_object()[type] = json::object{{"schema", std::move(schema)}};
}

bool may_be_known(const Route& route, const OperationText& text) {
  const auto name = &OperationParameter::name;
  return route.method == Method::get &&
         std::ranges::find(text.parameters, "If-None-Match", name) != text.parameters.end();
}

json::object responses(const Route& route, const OperationText& text) {
  json::object all;
  if (may_be_known(route, text)) all["304"] = json::object{{"description", "You have this version."}};
  for (const OperationSuccess& success : text.successes) add_success(all, success);
  std::map<int, std::string> by_status;
  for (const std::string_view code : problems_of(route, text)) {
    const ProblemKind* kind = find_problem_kind(code);
    HOTROW_ASSERT(kind != nullptr);
    std::string& codes = by_status[kind->status];
    if (!codes.empty()) codes += ", ";
    codes += code;
  }
  for (const auto& [status, codes] : by_status) {
    const std::string name = std::to_string(status);
    if (all.contains(name)) continue;
    all[name] = json::object{{"description", codes}, {"content", problem_content()}};
  }
  return all;
}

json::object operation(const Route& route) {
  const OperationText text = operation_text(route.endpoint);
  json::object object{{"operationId", route.operation_id}, {"summary", route.summary}};
  if (!text.description.empty()) object["description"] = text.description;
  object["parameters"] = parameters(route, text);
  if (!text.body.empty()) {
    object["requestBody"] = json::object{
        {"required", find_command_kind(route.endpoint)->body == BodyUse::required},
        {"content",
         json::object{{std::string(media::json), json::object{{"schema", reference(text.body)}}}}}};
  }
  object["responses"] = responses(route, text);
  json::array security;
  if (route.role != Role::anyone) {
    security.push_back(json::object{{"bearer", json::array()}});
    object["x-role"] = to_string(route.role);
  }
  object["security"] = std::move(security);
  return object;
}

std::string lower(std::string_view method) {
  std::string text(method);
  for (char& c : text) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

json::object paths() {
  json::object all;
  for (const Route& route : routes()) {
    json::value& path = all[route.path];
    if (path.is_null()) path.emplace_object();
    path.get_object()[lower(to_string(route.method))] = operation(route);
  }
  return all;
}

json::object problem_codes() {
  json::array codes;
  std::string description;
  for (const ProblemKind& kind : problem_kinds()) {
    codes.emplace_back(kind.code);
    description += std::string(kind.code) + " (" + std::to_string(kind.status) +
                   "): " + std::string(kind.explanation) + "\n";
  }
  return {{"type", "string"}, {"enum", std::move(codes)}, {"description", description}};
}

}  // namespace

std::string openapi_document(std::string_view version) {
  json::object schemas = openapi_schemas();
  schemas["ProblemCode"] = problem_codes();
  const json::object document{
      {"openapi", "3.1.0"},
      {"info",
       json::object{
           {"title", "hotrow"},
           {"version", version},
           {"license", json::object{{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}},
           {"description",
            "Keeps contended rows exact: promotions in which exactly the Nth entry wins, and an auction "
            "house in which nothing is sold twice. Money is in minor units. Times are "
            "RFC 3339, UTC with microseconds in answers. Integers are exact up to 2^53 - 1. Unknown "
            "members and parameters are refused."}}},
      {"paths", paths()},
      {"components",
       json::object{{"schemas", std::move(schemas)},
                    {"securitySchemes",
                     json::object{{"bearer", json::object{{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return json::serialize(document);
}

}  // namespace hotrow::http
