#include "hotrow/http/openapi.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <string>

// Prints docs/openapi.json, indented for readers and their diffs.
namespace {

namespace json = boost::json;

void print(const json::value& value, const std::string& indent, std::string& out);

template <class Container, class PrintElement>
void print_lines(const Container& elements, const std::string& indent, std::string& out,
                 PrintElement print_one) {
  const std::string deeper = indent + "  ";
  std::string separator = "\n";
  for (const auto& element : elements) {
    out += separator + deeper;
    print_one(element, deeper);
    separator = ",\n";
  }
  out += "\n" + indent;
}

void print(const json::value& value, const std::string& indent, std::string& out) {
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    print_lines(value.get_object(), indent, out,
                [&](const json::key_value_pair& member, const std::string& deeper) {
                  out += json::serialize(json::string_view(member.key())) + ": ";
                  print(member.value(), deeper, out);
                });
    out += '}';
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    print_lines(value.get_array(), indent, out,
                [&](const json::value& element, const std::string& deeper) { print(element, deeper, out); });
    out += ']';
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

int main() {
  std::string text;
  print(json::parse(hotrow::http::openapi_document("0.1.0")), "", text);
  std::puts(text.c_str());
}
