#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/app/http_client.hpp"
#include "hotrow/app/load_driver.hpp"
#include "hotrow/app/stampede_plan.hpp"
#include "hotrow/core/rule.hpp"

namespace hotrow {

/// One line of the server's own list.
struct ListedEntry {
  std::string user;
  std::int64_t ordinal = 0;
  bool winner = false;
  std::string entered_at;
};

/// What the server says of a promotion when everything is over.
struct PromotionListing {
  std::string title;
  Rule rule;
  std::int64_t entries = 0;          ///< The promotion's own counter.
  std::int64_t winner_count = 0;     ///< The promotion's counter of winners.
  std::vector<ListedEntry> winners;  ///< As the promotion names them.
  std::vector<ListedEntry> list;     ///< All entries, in the order told.
};

/// Asks for the promotion alone; `list` stays empty. Errors: invalid ("promotion_not_found", "http_<status>",
/// "malformed"), transient ("http_unreachable").
Result<PromotionListing> fetch_promotion(HttpClient& client, const std::string& promotion);

/// The same with all pages of the list. Others may go on entering meanwhile: what came after the counter was
/// read is left out.
Result<PromotionListing> fetch_listing(HttpClient& client, const std::string& promotion);

/// Everything in which the receipts and the server's list contradict each other or the rule: places a
/// permutation of 1..n, one winner exactly at each target reached, one place per person however often he
/// asked, every place that was answered in the list. Pure.
std::vector<std::string> contradictions(const StampedePlan& plan, const std::vector<EntryReceipt>& receipts,
                                        const PromotionListing& listing);

}  // namespace hotrow
