#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "hotrow/app/remote.hpp"
#include "hotrow/base/time.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

std::string promotion_path(const std::string& id) { return "/v1/promotions/" + percent_encoded(id); }

json::object rule_body(const CreatePromotionOptions& options) {
  if (!options.nth.empty()) {
    return {{"kind", "nth"}, {"targets", json::array(options.nth.begin(), options.nth.end())}};
  }
  if (options.every) {
    return {{"kind", "every"}, {"interval", *options.every}, {"winners", options.winners.value_or(0)}};
  }
  return {{"kind", "first"}, {"count", options.first.value_or(0)}};
}

/// What was given goes to the server as it is: whether it makes sense is said there.
json::object promotion_body(const CreatePromotionOptions& options) {
  json::object body{{"title", options.title}, {"rule", rule_body(options)}};
  body["starts_at"] = options.starts_at.value_or(format_rfc3339(wall_clock_now()));
  if (options.ends_at) body["ends_at"] = *options.ends_at;
  if (options.max_entries) body["max_entries"] = *options.max_entries;
  if (options.close_on_last_winner) body["close_on_last_winner"] = true;
  if (options.user_id_pattern) body["user_id_pattern"] = *options.user_id_pattern;
  if (options.prize_amount) {
    json::object prize{{"amount", *options.prize_amount}, {"currency", options.prize_currency}};
    if (options.prize_description) prize["description"] = *options.prize_description;
    body["prize"] = std::move(prize);
  }
  return body;
}

}  // namespace

int create_promotion_command(const RemoteOptions& remote, const CreatePromotionOptions& options) {
  json::object body = promotion_body(options);
  if (options.terms_file) {
    std::ifstream in(*options.terms_file, std::ios::binary);
    std::ostringstream terms;
    if (!in || !(terms << in.rdbuf())) {
      std::fprintf(stderr, "hotrow: --terms-file %s cannot be read\n", options.terms_file->c_str());
      return exit_usage;
    }
    body["terms"] = terms.str();
  }
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  return print_answer(client->send("PUT", promotion_path(options.id), json::serialize(body)));
}

int show_promotion_command(const RemoteOptions& remote, const std::string& id) {
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  return print_answer(client->get(promotion_path(id)));
}

int close_promotion_command(const RemoteOptions& remote, const std::string& id, const std::string& reason) {
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  const json::object body{{"reason", reason}};
  return print_answer(client->send("POST", promotion_path(id) + "/close", json::serialize(body)));
}

int why_command(const RemoteOptions& remote, const std::string& id, std::int64_t ordinal) {
  std::optional<HttpClient> client = open_remote(remote);
  if (!client) return exit_usage;
  return print_answer(client->get(promotion_path(id) + "/winners/" + std::to_string(ordinal)));
}

}  // namespace hotrow
