#include "hotrow/app/stampede_check.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <unordered_map>
#include <unordered_set>

#include "hotrow/core/json.hpp"
#include "hotrow/core/trusted_json.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

/// A promotion names its first winners only.
constexpr std::int64_t winners_named_max = 1000;

tl::unexpected<Error> malformed(const std::string& target) {
  return failure(ErrorKind::invalid, "malformed", "the answer of " + target + " cannot be read");
}

Result<json::object> get_object(HttpClient& client, const std::string& target) {
  const Result<HttpAnswer> answer = client.get(target);
  if (!answer) return failure(answer.error());
  json::error_code error;
  json::value body = json::parse(answer->body, error);
  if (error || !body.is_object()) return malformed(target);
  if (answer->status == 200) return std::move(body.get_object());
  const json::value* code = body.get_object().if_contains("code");
  return failure(ErrorKind::invalid,
                 code != nullptr && code->is_string() ? std::string(code->get_string())
                                                      : "http_" + std::to_string(answer->status),
                 answer->body);
}

std::optional<ListedEntry> read_entry(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  TrustedReader reader(value.get_object());
  ListedEntry entry{.user = reader.text("user_id"),
                    .ordinal = reader.integer("ordinal"),
                    .winner = reader.find("winner") == nullptr || reader.flag("winner"),
                    .entered_at = reader.text("entered_at")};
  if (!reader.ok()) return std::nullopt;
  return entry;
}

bool read_entries(const json::object& object, std::string_view name, std::vector<ListedEntry>& out) {
  const json::value* items = object.if_contains(json::string_view(name.data(), name.size()));
  if (items == nullptr || !items->is_array()) return false;
  for (const json::value& item : items->get_array()) {
    std::optional<ListedEntry> entry = read_entry(item);
    if (!entry) return false;
    out.push_back(std::move(*entry));
  }
  return true;
}

std::string place(std::int64_t ordinal) { return "place " + std::to_string(ordinal); }

/// The list by itself: 1..n without gap or repeat, one place a person, winners exactly at the targets.
void check_list(const PromotionListing& listing, std::vector<std::string>& out) {
  std::unordered_set<std::string_view> users;
  std::int64_t expected = 0;
  for (const ListedEntry& entry : listing.list) {
    ++expected;
    if (entry.ordinal != expected) {
      out.push_back("the list has " + place(entry.ordinal) + " where " + place(expected) + " is due");
      expected = entry.ordinal;
    }
    if (!users.insert(entry.user).second) out.push_back("the list has " + entry.user + " twice");
    if (entry.winner != is_target(listing.rule, entry.ordinal)) {
      out.push_back(place(entry.ordinal) + (entry.winner ? " is listed as winner and is no target"
                                                         : " is a target and not listed as winner"));
    }
  }
  if (listing.entries != expected) {
    out.push_back("the promotion counts " + std::to_string(listing.entries) + " entries, the list ends at " +
                  place(expected));
  }
}

/// The promotion's winners against the list.
void check_winners(const PromotionListing& listing, std::vector<std::string>& out) {
  std::unordered_set<std::int64_t> pinned;
  for (const ListedEntry& winner : listing.winners) {
    if (!pinned.insert(winner.ordinal).second)
      out.push_back("two winners are pinned at " + place(winner.ordinal));
    if (!is_target(listing.rule, winner.ordinal)) {
      out.push_back("a winner is pinned at " + place(winner.ordinal) + ", which is no target");
    }
    const auto index = static_cast<std::size_t>(winner.ordinal - 1);
    if (index >= listing.list.size() || listing.list[index].user != winner.user) {
      out.push_back("the pinned winner of " + place(winner.ordinal) + " is " + winner.user +
                    ", not the one in the list");
    }
  }
  const std::int64_t due = targets_reached(listing.rule, listing.entries);
  if (listing.winner_count != due) {
    out.push_back(std::to_string(listing.winner_count) + " winners are pinned, " + std::to_string(due) +
                  " targets were reached");
  }
  if (pinned.size() != static_cast<std::size_t>(std::min(due, winners_named_max))) {
    out.push_back("the promotion names " + std::to_string(pinned.size()) + " winners of " +
                  std::to_string(due));
  }
}

void check_receipt(const std::string& user, const EntryReceipt& receipt, const PromotionListing& listing,
                   std::vector<std::string>& out) {
  const auto index = static_cast<std::size_t>(receipt.ordinal - 1);
  if (index >= listing.list.size()) {
    out.push_back(user + " was told " + place(receipt.ordinal) + ", which is not in the list");
    return;
  }
  const ListedEntry& entry = listing.list[index];
  if (entry.user != user) {
    out.push_back(user + " was told " + place(receipt.ordinal) + ", where the list has " + entry.user);
  } else if (entry.entered_at != receipt.entered_at) {
    out.push_back(user + " was told another time for " + place(receipt.ordinal) + " than the list has");
  }
  if (receipt.winner != is_target(listing.rule, receipt.ordinal)) {
    out.push_back(user + " at " + place(receipt.ordinal) +
                  (receipt.winner ? " was told to have won" : " was not told to have won"));
  }
}

/// What one person was told, all answers together.
struct Told {
  const EntryReceipt* first = nullptr;
  int fresh = 0;  ///< Answers that said it was the first time.
};

void check_repeats(const StampedePlan& plan, const std::vector<EntryReceipt>& receipts,
                   std::vector<std::string>& out) {
  std::unordered_map<std::uint32_t, Told> told;
  for (const EntryReceipt& receipt : receipts) {
    if (receipt.ordinal == 0) continue;
    const std::string& user = plan.users[receipt.user];
    Told& seen = told[receipt.user];
    if (seen.first == nullptr) seen.first = &receipt;
    if (receipt.ordinal != seen.first->ordinal || receipt.entered_at != seen.first->entered_at) {
      out.push_back(user + " was told " + place(seen.first->ordinal) + " and " + place(receipt.ordinal));
    }
    if (!receipt.already && ++seen.fresh == 2) out.push_back(user + " was told twice that the entry is new");
  }
}

Result<void> fetch_list(HttpClient& client, const std::string& promotion, std::vector<ListedEntry>& out) {
  const std::string first_page = "/v1/promotions/" + percent_encoded(promotion) + "/entries?limit=1000";
  for (std::string target = first_page; !target.empty();) {
    const Result<json::object> page = get_object(client, target);
    if (!page) return failure(page.error());
    if (!read_entries(*page, "items", out)) return malformed(target);
    const json::value* cursor = page->if_contains("next_cursor");
    target = cursor != nullptr && cursor->is_string()
                 ? first_page + "&cursor=" + percent_encoded(std::string_view(cursor->get_string()))
                 : "";
  }
  return {};
}

}  // namespace

Result<PromotionListing> fetch_promotion(HttpClient& client, const std::string& promotion) {
  const std::string target = "/v1/promotions/" + percent_encoded(promotion);
  const Result<json::object> body = get_object(client, target);
  if (!body) return failure(body.error());

  TrustedReader reader(*body);
  const json::value* rule_member = reader.find("rule");
  const std::optional<Rule> rule = rule_member != nullptr ? rule_from_json(*rule_member) : std::nullopt;
  PromotionListing listing{.title = reader.text("title"),
                           .entries = reader.integer("entries"),
                           .winner_count = reader.integer("winner_count")};
  if (!rule || !reader.ok() || !read_entries(*body, "winners", listing.winners)) return malformed(target);
  listing.rule = *rule;
  return listing;
}

Result<PromotionListing> fetch_listing(HttpClient& client, const std::string& promotion) {
  Result<PromotionListing> listing = fetch_promotion(client, promotion);
  if (!listing) return listing;
  if (const Result<void> list = fetch_list(client, promotion, listing->list); !list)
    return failure(list.error());
  Result<PromotionListing> later = fetch_promotion(client, promotion);
  if (!later) return later;
  if (later->entries != listing->entries) {
    std::erase_if(listing->list, [&](const ListedEntry& entry) { return entry.ordinal > listing->entries; });
  }
  return listing;
}

std::vector<std::string> contradictions(const StampedePlan& plan, const std::vector<EntryReceipt>& receipts,
                                        const PromotionListing& listing) {
  std::vector<std::string> found;
  check_list(listing, found);
  check_winners(listing, found);
  check_repeats(plan, receipts, found);
  for (const EntryReceipt& receipt : receipts) {
    if (receipt.ordinal != 0) check_receipt(plan.users[receipt.user], receipt, listing, found);
  }
  return found;
}

}  // namespace hotrow
