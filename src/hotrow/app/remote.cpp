#include "hotrow/app/remote.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

namespace hotrow {
namespace {

namespace json = boost::json;

void append_pretty(const json::value& value, std::size_t level, std::string& out) {
  const std::string indent((level + 1) * 2, ' ');
  const std::string outdent(level * 2, ' ');
  const char* separator = "";
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    for (const auto& [name, member] : value.get_object()) {
      out += separator + ("\n" + indent) + json::serialize(name) + ": ";
      append_pretty(member, level + 1, out);
      separator = ",";
    }
    out += "\n" + outdent + "}";
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    for (const json::value& item : value.get_array()) {
      out += separator + ("\n" + indent);
      append_pretty(item, level + 1, out);
      separator = ",";
    }
    out += "\n" + outdent + "]";
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

std::optional<HttpClient> open_remote(const RemoteOptions& remote) {
  const std::optional<HttpUrl> url = parse_http_url(remote.url);
  if (!url) {
    std::fprintf(stderr, "hotrow: --url %s: http://host:port is wanted\n", remote.url.c_str());
    return std::nullopt;
  }
  return HttpClient({.url = *url, .api_key = remote.api_key});
}

int print_answer(const Result<HttpAnswer>& answer) {
  if (!answer) {
    std::fprintf(stderr, "hotrow: %s\n", answer.error().detail.c_str());
    return exit_usage;
  }
  json::error_code error;
  const json::value body = json::parse(answer->body, error);
  const bool good = answer->status >= 200 && answer->status < 300;
  std::fprintf(good ? stdout : stderr, "%s\n", (error ? answer->body : pretty(body)).c_str());
  return good ? exit_ok : exit_no;
}

std::string pretty(const json::value& value) {
  std::string out;
  append_pretty(value, 0, out);
  return out;
}

}  // namespace hotrow
