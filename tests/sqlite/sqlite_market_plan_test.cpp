#include <gtest/gtest.h>

#include "hotrow/sqlite/sqlite_market_queries.hpp"
#include "hotrow/sqlite/sqlite_market_rows.hpp"
#include "hotrow/sqlite/sqlite_schema.hpp"
#include "hotrow/store/market_invariants.hpp"
#include "tests/sqlite/temporary_database.hpp"

// A list of a million listings is quick when its statement walks along an index, in the order in which it is
// told: EXPLAIN QUERY PLAN says so.
namespace hotrow::sqlite {
namespace {

class MarketPlans : public testing::Test {
 protected:
  void SetUp() override {
    Result<Connection> connection = Connection::open_for_writing(file_.path());
    ASSERT_TRUE(connection);
    connection_.emplace(std::move(*connection));
    ASSERT_TRUE(migrate(*connection_));
  }

  /// The plan's steps, one a line.
  std::string plan(std::string_view sql, std::string_view rest = "") {
    Result<Statement> statement = connection_->prepare("EXPLAIN QUERY PLAN " + std::string(sql), rest);
    if (!statement) throw std::runtime_error(statement.error().detail);
    std::string steps;
    while (*statement->step()) steps += std::string(statement->text(3)) + "\n";
    return steps;
  }
  std::string plan(const ListingsQuery& query) { return plan(select_listings, listings_where(query)); }

  /// That the list walks along this index and sorts nothing.
  void expect_walk(const ListingsQuery& query, const std::string& index) {
    const std::string steps = plan(query);
    const bool is_walked = steps.find("USING INDEX " + index + " ") != std::string::npos ||
                           steps.find("USING INDEX " + index + "\n") != std::string::npos;
    EXPECT_TRUE(is_walked) << listings_where(query) << "\n" << steps;
    EXPECT_EQ(steps.find("TEMP B-TREE"), std::string::npos) << listings_where(query) << "\n" << steps;
  }

 private:
  TemporaryDatabase file_;
  std::optional<Connection> connection_;
};

struct Walk {
  ListingSort sort;
  const char* index;
  const char* family_index;
};

const std::vector<Walk> walks = {
    {ListingSort::ends_at, "listing_end", "listing_family_end"},
    {ListingSort::start_price, "listing_price", "listing_family_price"},
    {ListingSort::buyout_price, "listing_buyout", "listing_family_buyout"},
    {ListingSort::newest, "listing_newest", "listing_family_newest"},
};

TEST_F(MarketPlans, ActiveListingsAreReadAlongTheirSortsIndex) {
  for (const Walk& walk : walks) {
    for (const bool has_prices : {false, true}) {
      ListingsQuery query{.sort = walk.sort};
      if (has_prices) query.min_price = query.max_price = 7;
      expect_walk(query, walk.index);
      query.after = {.value = 1, .id = "x"};
      expect_walk(query, walk.index);
    }
  }
}

TEST_F(MarketPlans, ActiveListingsOfAFamilyAreReadAlongItsSortsIndex) {
  for (const Walk& walk : walks) {
    for (const bool has_prices : {false, true}) {
      ListingsQuery query{.family = "swords", .sort = walk.sort};
      if (has_prices) query.min_price = query.max_price = 7;
      expect_walk(query, walk.family_index);
      query.after = {.value = 1, .id = "x"};
      expect_walk(query, walk.family_index);
    }
  }
}

TEST_F(MarketPlans, ActiveListingsOfRarePricesAreFoundByThem) {
  for (const Walk& walk : walks) {
    ListingsQuery query{.min_price = 5, .max_price = 7, .sort = walk.sort};
    for (const bool goes_on : {false, true}) {
      if (goes_on) query.after = {.value = 1, .id = "x"};
      query.family.reset();
      const std::string all = plan(select_listings, listings_of_price_where(query));
      EXPECT_NE(all.find("listing_price (start_price>? AND start_price<?)"), std::string::npos) << all;
      const std::string counted = plan(count_of_price_sql(query));
      EXPECT_NE(counted.find("listing_price (start_price>? AND start_price<?)"), std::string::npos)
          << counted;
      query.family = "swords";
      const std::string of_family = plan(select_listings, listings_of_price_where(query));
      EXPECT_NE(of_family.find("listing_family_price (family=? AND start_price>? AND start_price<?)"),
                std::string::npos)
          << of_family;
    }
  }
}

TEST_F(MarketPlans, AListByAPriceBeginsWithTheLeastThatIsAskedFor) {
  EXPECT_NE(plan({.min_price = 5, .sort = ListingSort::start_price}).find("(start_price>?)"),
            std::string::npos);
  EXPECT_NE(plan({.min_price = 5, .sort = ListingSort::buyout_price}).find("(buyout_price>?)"),
            std::string::npos);
}

TEST_F(MarketPlans, ANextPageIsFoundAndNotReadUpTo) {
  const ListingsQuery::After after{.value = 1, .id = "x"};
  EXPECT_NE(plan({.sort = ListingSort::ends_at, .after = after}).find("((ends_at,id)>(?,?))"),
            std::string::npos);
  EXPECT_NE(plan({.min_price = 1, .sort = ListingSort::start_price, .after = after})
                .find("((start_price,id)>(?,?))"),
            std::string::npos);
  EXPECT_NE(plan({.sort = ListingSort::newest, .after = after}).find("(created_at<?)"), std::string::npos);
  EXPECT_NE(plan({.family = "swords", .sort = ListingSort::buyout_price, .after = after})
                .find("(family=? AND (buyout_price,id)>(?,?))"),
            std::string::npos);
}

TEST_F(MarketPlans, ListingsOfASellerAreFoundByTheSeller) {
  for (const Walk& walk : walks) {
    for (const ListingStatus status : {ListingStatus::active, ListingStatus::sold}) {
      for (const auto& family : {std::optional<std::string>(), std::optional<std::string>("swords")}) {
        ListingsQuery query{.status = status, .family = family, .seller = "anna", .sort = walk.sort};
        EXPECT_NE(plan(query).find("USING INDEX listing_of (seller=?"), std::string::npos) << plan(query);
        query.after = {.value = 1, .id = "x"};
        EXPECT_NE(plan(query).find("USING INDEX listing_of (seller=?"), std::string::npos) << plan(query);
      }
    }
  }
}

TEST_F(MarketPlans, ListingsThatAreOverAreReadAlongTheirEnd) {
  ListingsQuery query{.status = ListingStatus::sold};
  expect_walk(query, "listing_over");
  query.after = {.value = 1, .id = "x"};
  expect_walk(query, "listing_over");
}

TEST_F(MarketPlans, EveryInvariantCanBePrepared) {
  for (const MarketInvariant& invariant : market_invariants())
    EXPECT_NE(plan(invariant.sql), "") << invariant.name;
}

}  // namespace
}  // namespace hotrow::sqlite
