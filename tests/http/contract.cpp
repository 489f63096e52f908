#include "tests/http/contract.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace hotrow::test {
namespace {

namespace json = boost::json;

std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool fits(std::string_view pattern, std::string_view path) {
  if (!path.starts_with('/')) return false;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view expected = take_segment(pattern);
    if (expected != take_segment(path) && !expected.starts_with('{')) return false;
  }
  return pattern.empty() && path.empty();
}

bool has_type(std::string_view type, const json::value& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  return type == "integer" && value.is_int64();
}

bool has_any_type(const json::value& types, const json::value& value) {
  if (types.is_string()) return has_type(types.get_string(), value);
  return std::ranges::any_of(types.as_array(),
                             [&](const json::value& type) { return has_type(type.as_string(), value); });
}

std::string wrong(const std::string& where, const std::string& what, const json::value& value) {
  return where + " " + what + ": " + json::serialize(value);
}

/// Reads "#/a/b/c".
const json::object& resolve(const json::object& document, std::string_view reference) {
  const json::object* at = &document;
  std::string_view path = reference.substr(1);
  while (!path.empty()) at = &at->at(take_segment(path)).as_object();
  return *at;
}

}  // namespace

Contract::Contract(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  EXPECT_FALSE(error) << "no OpenAPI document: " << text.substr(0, 200);
  if (!error && value.is_object()) document_ = std::move(value.get_object());
}

std::string Contract::judge(std::string_view method, std::string_view target,
                            const ProbeAnswer& answer) const {
  if (document_.empty()) return "there is no document";
  std::string name(method == "HEAD" ? "get" : method);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const json::object* operation = find_operation(target.substr(0, target.find('?')), name);
  if (operation == nullptr) {
    const json::object problem{{"$ref", "#/components/schemas/Problem"}};
    return judge_value(problem, json::parse(answer.body), "problem");
  }
  const json::object& responses = operation->at("responses").as_object();
  const json::value* response = responses.if_contains(std::to_string(answer.status));
  if (response == nullptr) {
    return std::to_string(answer.status) + " is not described for " + std::string(method) + " " +
           std::string(target) + ": " + answer.body;
  }
  return judge_body(response->as_object(), answer);
}

const json::object* Contract::find_operation(std::string_view path, std::string_view method) const {
  for (const auto& member : document_.at("paths").as_object()) {
    const json::object& operations = member.value().as_object();
    if (operations.contains(method) && fits(member.key(), path)) return &operations.at(method).as_object();
  }
  return nullptr;
}

std::string Contract::judge_body(const json::object& response, const ProbeAnswer& answer) const {
  std::string type = answer.header("content-type");
  type = type.substr(0, type.find(';'));
  const json::value* content = response.at("content").as_object().if_contains(type);
  if (content == nullptr) return "the media type " + type + " is not described";
  const json::object& schema = content->at("schema").as_object();
  if (!type.ends_with("json") || type == "application/x-ndjson") return "";
  boost::system::error_code error;
  const json::value body = json::parse(answer.body, error);
  if (error) return "the body is not JSON: " + answer.body;
  return judge_value(schema, body, "body");
}

std::string Contract::judge_value(const json::object& schema, const json::value& value,
                                  const std::string& where) const {
  if (const json::value* reference = schema.if_contains("$ref")) {
    return judge_value(resolve(document_, reference->as_string()), value, where);
  }
  if (const json::value* choices = schema.if_contains("oneOf")) {
    return judge_one_of(choices->as_array(), value, where);
  }
  if (const json::value* types = schema.if_contains("type"); types && !has_any_type(*types, value)) {
    return wrong(where, "is not of type " + json::serialize(*types), value);
  }
  if (const json::value* expected = schema.if_contains("const"); expected && *expected != value) {
    return wrong(where, "is not " + json::serialize(*expected), value);
  }
  if (const json::value* names = schema.if_contains("enum")) {
    if (std::ranges::find(names->as_array(), value) == names->as_array().end()) {
      return wrong(where, "is not one of " + json::serialize(*names), value);
    }
  }
  const json::value* least = schema.if_contains("minimum");
  if (least != nullptr && value.is_int64() && value.get_int64() < least->as_int64()) {
    return wrong(where, "is too small", value);
  }
  if (value.is_array() && schema.contains("items")) {
    const json::object& items = schema.at("items").as_object();
    for (const json::value& item : value.get_array()) {
      const std::string fault = judge_value(items, item, where + "[]");
      if (!fault.empty()) return fault;
    }
  }
  return value.is_object() ? judge_object(schema, value.get_object(), where) : "";
}

/// An object whose schema names no members may have any.
std::string Contract::judge_object(const json::object& schema, const json::object& object,
                                   const std::string& where) const {
  const json::value* properties = schema.if_contains("properties");
  if (properties == nullptr) return "";
  if (const json::value* required = schema.if_contains("required")) {
    for (const json::value& name : required->as_array()) {
      if (!object.contains(name.as_string())) return wrong(where, "lacks " + json::serialize(name), object);
    }
  }
  for (const auto& member : object) {
    const json::value* described = properties->as_object().if_contains(member.key());
    const std::string place = where + "." + std::string(member.key());
    if (described == nullptr) return wrong(place, "is not described", member.value());
    const std::string fault = judge_value(described->as_object(), member.value(), place);
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string Contract::judge_one_of(const json::array& schemas, const json::value& value,
                                   const std::string& where) const {
  std::string faults;
  int fitting = 0;
  for (const json::value& schema : schemas) {
    const std::string fault = judge_value(schema.as_object(), value, where);
    if (fault.empty()) ++fitting;
    faults += fault + "; ";
  }
  return fitting == 1 ? "" : wrong(where, "fits " + std::to_string(fitting) + " of them: " + faults, value);
}

}  // namespace hotrow::test
