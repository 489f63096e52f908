#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <thread>

#include "hotrow/app/remote.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds pause_after_failure{2};

std::string feed_target(const TailOptions& options, const std::string& cursor) {
  std::string target = "/v1/events?limit=1000&wait_s=" + std::string(options.follow ? "30" : "0");
  if (!cursor.empty()) target += "&after=" + percent_encoded(cursor);
  if (!options.types.empty()) target += "&types=" + percent_encoded(options.types);
  return target;
}

struct Page {
  json::array events;
  std::string next_cursor;
};

std::optional<Page> read_page(const std::string& body) {
  json::error_code error;
  json::value parsed = json::parse(body, error);
  if (error || !parsed.is_object()) return std::nullopt;
  json::object& object = parsed.get_object();
  json::value* items = object.if_contains("items");
  const json::value* cursor = object.if_contains("next_cursor");
  if (items == nullptr || !items->is_array() || cursor == nullptr) return std::nullopt;
  return Page{std::move(items->get_array()), cursor->is_string() ? std::string(cursor->get_string()) : ""};
}

bool is_temporary(const Result<HttpAnswer>& answer) { return !answer || answer->status >= 500; }

}  // namespace

/// Goes on over restarts of the server: the cursor says where.
int tail_events_command(const RemoteOptions& remote, const TailOptions& options) {
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  std::string cursor = options.after;
  for (bool began = false; true; began = true) {
    const Result<HttpAnswer> answer = client->get(feed_target(options, cursor));
    if (began && options.follow && is_temporary(answer)) {
      std::this_thread::sleep_for(pause_after_failure);
      continue;
    }
    if (!answer || answer->status != 200) return print_answer(answer);
    const std::optional<Page> page = read_page(answer->body);
    if (!page) return print_answer(answer);
    for (const json::value& event : page->events) std::printf("%s\n", json::serialize(event).c_str());
    if (std::fflush(stdout) != 0) return exit_no;
    if (!page->next_cursor.empty()) cursor = page->next_cursor;
    if (!options.follow && page->events.empty()) return exit_ok;
  }
}

}  // namespace hotrow
