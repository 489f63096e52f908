#include <chrono>

#include "tests/store/conformance.hpp"

// Part one, lists so long that their statements go another way than with a few listings.
namespace hotrow::conformance {
namespace {

using std::chrono::seconds;

constexpr std::int64_t common_price = 500;
constexpr std::int64_t many = 2 * (found_by_price_max + 10);

/// Every other one costs the same, more than are found by their price; the rest each something else.
ListingRow numbered_row(std::int64_t n) {
  const std::string id = "l" + std::to_string(n);
  ListingTerms terms = sample_terms(id);
  terms.start_price = n % 2 == 0 ? common_price : 1'000 + n;
  if (n % 3 != 0) terms.buyout_price = terms.start_price * 2 + n * 31 % 700;
  terms.created_at = start_time() - seconds(n * 71 % many);
  if (n % 5 == 0) terms.item.family = "shields";
  ListingRow row = listing_row(id, std::move(terms));
  row.ends_at = start_time() + seconds(n * 37 % 1'000);
  return row;
}

std::int64_t sorted_value(const ListingRow& row, ListingSort sort) {
  switch (sort) {
    case ListingSort::ends_at: return row.ends_at.micros;
    case ListingSort::start_price: return row.terms->start_price;
    case ListingSort::buyout_price: return *row.terms->buyout_price;
    case ListingSort::newest: return row.terms->created_at.micros;
  }
  return 0;
}

bool is_wanted(const ListingRow& row, const ListingsQuery& query) {
  const ListingTerms& terms = *row.terms;
  return terms.start_price >= query.min_price.value_or(0) &&
         terms.start_price <= query.max_price.value_or(INT64_MAX) &&
         (!query.family || terms.item.family == *query.family) &&
         (query.sort != ListingSort::buyout_price || terms.buyout_price.has_value());
}

/// Every page: all that are wanted, each once, in order.
void expect_whole_list(Queries& queries, ListingsQuery query) {
  std::size_t due = 0;
  for (std::int64_t n = 0; n < many; ++n) due += is_wanted(numbered_row(n), query) ? 1 : 0;
  ASSERT_GT(due, 0U);
  query.limit = 900;
  std::vector<ListingRow> read;
  while (true) {
    const auto page = queries.listings(query);
    ASSERT_TRUE(page) << page.error().detail;
    read.insert(read.end(), page->begin(), page->end());
    if (page->size() < query.limit) break;
    query.after = {.value = sorted_value(page->back(), query.sort), .id = page->back().id};
  }
  EXPECT_EQ(read.size(), due);
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_TRUE(is_wanted(read[i], query)) << read[i].id;
    if (i == 0) continue;
    const std::int64_t before = sorted_value(read[i - 1], query.sort);
    const std::int64_t value = sorted_value(read[i], query.sort);
    const bool rises = query.sort == ListingSort::newest ? before > value : before < value;
    ASSERT_TRUE(rises || (before == value && read[i - 1].id < read[i].id)) << read[i - 1].id << read[i].id;
  }
}

TEST_P(StoreConformance, ARangeOfPricesIsListedWholeWhetherFewOrManyAreInIt) {
  std::vector<RowWrite> writes;
  for (std::int64_t n = 0; n < many; ++n) writes.push_back(insert(numbered_row(n)));
  commit(writes);
  const auto queries = open_queries(store());
  for (const ListingSort sort :
       {ListingSort::ends_at, ListingSort::start_price, ListingSort::buyout_price, ListingSort::newest}) {
    for (const auto& family : {std::optional<std::string>(), std::optional<std::string>("shields")}) {
      const auto expect = [&](std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
        SCOPED_TRACE(std::to_string(int(sort)) + " " + family.value_or("all") + " from " +
                     std::to_string(least.value_or(0)));
        expect_whole_list(*queries, {.family = family, .min_price = least, .max_price = most, .sort = sort});
      };
      expect(common_price, common_price);
      expect(std::nullopt, common_price);
      expect(2'000, 2'100);
      expect(common_price, std::nullopt);
      expect(common_price + 1, std::nullopt);
    }
  }
}

}  // namespace
}  // namespace hotrow::conformance
