#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hotrow/base/time.hpp"
#include "tests/e2e/site.hpp"

namespace hotrow::test {

/// One request of a player's or an operator's client: a POST under a key of its own.
struct Call {
  std::string target;
  std::string body;
  std::string key;
};

/// What a listing asks; without an end it is open for an hour.
struct Terms {
  std::int64_t buyout_price = 500;
  std::optional<Timestamp> ends_at = std::nullopt;
};

Call deposit(const std::string& player, std::int64_t amount);
Call withdraw(const std::string& player, std::int64_t amount);
/// A new item of the same id, from 100 on, by "sam".
Call list(const std::string& listing, const Terms& terms = {});
Call bid(const std::string& listing, const std::string& bidder, std::int64_t amount);
Call buy(const std::string& listing, const std::string& buyer);
Call cancel(const std::string& listing);
Call settle(const std::string& listing);
Call void_it(const std::string& listing);
Call pause_market();
Call resume_market();

/// What a client was told, read by code that shares nothing with the server's.
struct Heard {
  int status = 0;    ///< 0: no answer came.
  std::string code;  ///< Of the problem.
  boost::json::object body;
  std::string text;  ///< The body as it came.
  bool replayed = false;
  std::string retry_after;

  bool is_done() const { return status == 200 || status == 201; }
  /// "201", "409 bid_too_low" or "no answer".
  std::string result() const;
  std::int64_t integer(const char* name) const { return body.at(name).as_int64(); }
  std::string string(const char* name) const { return body.at(name).as_string().c_str(); }
  Timestamp time(const char* name) const { return parse_rfc3339(string(name)).value(); }
};

/// How often each result was had.
using Tally = std::map<std::string, int>;
Tally tally(const std::vector<Heard>& heard);

/// One client on one connection. Used by one thread.
class Client {
 public:
  explicit Client(std::uint16_t port) : probe_(port) {}

  Heard call(const Call& call);
  Heard get(const std::string& target);
  /// Again under the same key while told that nothing was done, as a client does.
  Heard call_until_decided(const Call& call);
  /// How often call_until_decided() was told so.
  std::size_t busy() const { return busy_; }

 private:
  HttpProbe probe_;
  std::size_t busy_ = 0;
};

enum class Backend : std::uint8_t { sqlite, postgres };

std::string name_of_backend(const testing::TestParamInfo<Backend>& info);

/// An auction house with players in it: one server on SQLite, three on PostgreSQL. What is answered amiss
/// throws std::runtime_error where a test did not ask for the answer. Used by one thread.
class AuctionHouse {
 public:
  explicit AuctionHouse(Backend backend);

  Site& site() { return site_; }
  const std::string& database() const { return site_.database(); }
  std::uint16_t port(std::size_t index) const { return site_.ports().at(index % site_.size()); }
  bool has_several_servers() const { return site_.size() > 1; }

  /// Who is told `busy` goes on until decided, here and in at_once().
  Heard call(const Call& call, std::size_t server = 0);
  Heard get(const std::string& target);
  Heard put(const std::string& target, const std::string& body);
  /// All at the same moment, each on a connection of its own: the i-th to the i-th server after `first`.
  std::vector<Heard> at_once(const std::vector<Call>& calls, std::size_t first = 0);
  /// How often at_once() was told so.
  std::size_t busy() const;

  /// Calls that must be done for the test to begin.
  void set_up(const std::vector<Call>& calls);
  /// A new player with so much, or as much more for an old one.
  void give(const std::string& player, std::int64_t amount) { set_up({deposit(player, amount)}); }

  Heard listing(const std::string& id) { return get("/v1/listings/" + id); }
  std::string status(const std::string& listing_id) { return listing(listing_id).string("status"); }
  /// The first 1000 of a list.
  std::vector<boost::json::object> items(const std::string& target);
  /// How many events of this type a listing has.
  std::int64_t events(const std::string& listing, const std::string& type);
  /// A player's gold: "available/held".
  std::string gold(const std::string& player);
  /// Both together.
  std::int64_t total(const std::string& player);
  /// What the house has cut and kept.
  std::int64_t house();

 private:
  Site site_;
  std::deque<Client> clients_;  ///< The i-th always speaks with the same server.
};

/// Waits until the machine's clock, which is every server's here, shows `at`.
void wait_until(Timestamp at);

/// A test in an auction house whose rows say at its end that nothing was lost or minted.
class AuctionTest : public testing::TestWithParam<Backend> {
 protected:
  AuctionTest();
  void TearDown() override;

  /// How often a short round is played: `short_form` times, and more in a soak.
  std::size_t rounds(std::size_t short_form);

  AuctionHouse house_{GetParam()};

 private:
  std::size_t rounds_ = 1;
  std::size_t heard_before_ = 0;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace hotrow::test
