#include "tests/e2e/auction.hpp"

#include <algorithm>
#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/e2e/cluster.hpp"

namespace hotrow::test {
namespace {

namespace json = boost::json;

constexpr const char* reason = R"({"reason":"a test"})";

Call post(const std::string& target, std::string body) {
  static std::atomic<int> number = 0;
  return {.target = target, .body = std::move(body), .key = "call-" + std::to_string(++number)};
}

std::string amount_of(std::int64_t amount) { return json::serialize(json::object{{"amount", amount}}); }

/// Answers to the calls of all clients.
std::atomic<std::size_t>& heard_by_all() {
  static std::atomic<std::size_t> count = 0;
  return count;
}

Heard heard_in(const std::optional<ProbeAnswer>& answer) {
  if (!answer) return {};
  Heard heard{.status = answer->status,
              .text = answer->body,
              .replayed = answer->header("idempotency-replayed") == "true",
              .retry_after = answer->header("retry-after")};
  json::error_code error;
  json::value body = json::parse(answer->body, error);
  if (error || !body.is_object()) return heard;
  heard.body = std::move(body.get_object());
  const json::value* code = heard.body.if_contains("code");
  if (code != nullptr && code->is_string()) heard.code = code->get_string().c_str();
  return heard;
}

SiteOptions options_of(Backend backend) {
  if (backend == Backend::sqlite) return {};
  return {.database = fresh_database(), .servers = 3, .flags = {"--migrate"}};
}

}  // namespace

Call deposit(const std::string& player, std::int64_t amount) {
  return post("/v1/players/" + player + "/wallet/deposits", amount_of(amount));
}

Call withdraw(const std::string& player, std::int64_t amount) {
  return post("/v1/players/" + player + "/wallet/withdrawals", amount_of(amount));
}

Call list(const std::string& listing, const Terms& terms) {
  json::object body{{"id", listing}, {"seller_id", "sam"}, {"start_price", 100}};
  body["item"] = json::object{{"id", listing}, {"family", "swords"}};
  body["buyout_price"] = terms.buyout_price;
  if (terms.ends_at) {
    body["ends_at"] = format_rfc3339(*terms.ends_at);
  } else {
    body["duration_seconds"] = 3600;
  }
  return post("/v1/listings", json::serialize(body));
}

Call bid(const std::string& listing, const std::string& bidder, std::int64_t amount) {
  const json::object body{{"bidder_id", bidder}, {"amount", amount}};
  return post("/v1/listings/" + listing + "/bids", json::serialize(body));
}

Call buy(const std::string& listing, const std::string& buyer) {
  return post("/v1/listings/" + listing + "/buyout", json::serialize(json::object{{"buyer_id", buyer}}));
}

Call cancel(const std::string& listing) {
  return post("/v1/listings/" + listing + "/cancel", R"({"seller_id":"sam"})");
}

Call settle(const std::string& listing) { return post("/v1/listings/" + listing + "/settle", reason); }

Call void_it(const std::string& listing) { return post("/v1/listings/" + listing + "/void", reason); }

Call pause_market() { return post("/v1/market/pause", reason); }

Call resume_market() { return post("/v1/market/resume", R"({"reason":"a test","extend":true})"); }

std::string Heard::result() const {
  if (status == 0) return "no answer";
  return std::to_string(status) + (code.empty() ? "" : " " + code);
}

Tally tally(const std::vector<Heard>& heard) {
  Tally counts;
  for (const Heard& one : heard) ++counts[one.result()];
  return counts;
}

Heard Client::call(const Call& call) {
  Heard heard = heard_in(probe_.send("POST", call.target, call.body, {{"Idempotency-Key", call.key}}));
  if (heard.status != 0) ++heard_by_all();
  return heard;
}

Heard Client::get(const std::string& target) { return heard_in(probe_.get(target)); }

Heard Client::call_until_decided(const Call& call) {
  Heard heard;
  eventually([&] {
    heard = this->call(call);
    if (heard.code != "busy") return true;
    ++busy_;
    return false;
  });
  return heard;
}

std::string name_of_backend(const testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::sqlite ? "Sqlite" : "Postgres";
}

AuctionHouse::AuctionHouse(Backend backend) : site_(options_of(backend)) { give("sam", 1'000'000); }

Heard AuctionHouse::call(const Call& call, std::size_t server) {
  return Client(port(server)).call_until_decided(call);
}

Heard AuctionHouse::get(const std::string& target) {
  Heard heard = Client(port(0)).get(target);
  if (heard.status != 200) throw std::runtime_error(target + ": " + heard.result() + " " + heard.text);
  return heard;
}

Heard AuctionHouse::put(const std::string& target, const std::string& body) {
  return heard_in(HttpProbe(port(0)).send("PUT", target, body));
}

std::vector<Heard> AuctionHouse::at_once(const std::vector<Call>& calls, std::size_t first) {
  while (clients_.size() < calls.size() + first) clients_.emplace_back(port(clients_.size()));
  std::vector<Heard> heard(calls.size());
  std::latch start(std::ptrdiff_t(calls.size()));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    threads.emplace_back([&, i] {
      Client& client = clients_[first + i];
      client.get("/healthz");  // So that it is connected.
      start.arrive_and_wait();
      heard[i] = client.call_until_decided(calls[i]);
    });
  }
  threads.clear();
  return heard;
}

std::size_t AuctionHouse::busy() const {
  std::size_t times = 0;
  for (const Client& client : clients_) times += client.busy();
  return times;
}

void AuctionHouse::set_up(const std::vector<Call>& calls) {
  constexpr std::size_t volley = 50;
  for (std::size_t from = 0; from < calls.size(); from += volley) {
    const auto begin = calls.begin() + std::ptrdiff_t(from);
    const auto end = calls.begin() + std::ptrdiff_t(std::min(from + volley, calls.size()));
    for (const Heard& heard : at_once({begin, end})) {
      if (!heard.is_done()) throw std::runtime_error("set-up: " + heard.result() + " " + heard.text);
    }
  }
}

std::vector<json::object> AuctionHouse::items(const std::string& target) {
  std::vector<json::object> items;
  std::string cursor;
  while (true) {
    const Heard page = get(target + "?limit=1000" + cursor);
    for (const json::value& item : page.body.at("items").as_array()) items.push_back(item.as_object());
    const json::value& next = page.body.at("next_cursor");
    if (!next.is_string()) return items;
    cursor = "&cursor=" + std::string(next.as_string());
  }
}

std::int64_t AuctionHouse::events(const std::string& listing, const std::string& type) {
  const std::vector<json::object> all = items("/v1/listings/" + listing + "/timeline");
  return std::ranges::count_if(
      all, [&](const json::object& event) { return event.at("type").as_string() == type; });
}

std::string AuctionHouse::gold(const std::string& player) {
  const Heard wallet = get("/v1/players/" + player + "/wallet");
  return std::to_string(wallet.integer("available")) + "/" + std::to_string(wallet.integer("held"));
}

std::int64_t AuctionHouse::total(const std::string& player) {
  const Heard wallet = get("/v1/players/" + player + "/wallet");
  return wallet.integer("available") + wallet.integer("held");
}

std::int64_t AuctionHouse::house() {
  std::int64_t sum = 0;
  const Heard page = get("/v1/house");
  for (const json::value& of : page.body.at("items").as_array()) {
    sum += of.at("cut").as_int64() + of.at("deposits_kept").as_int64();
  }
  return sum;
}

void wait_until(Timestamp at) {
  const Timestamp soon = at - std::chrono::milliseconds(10);
  if (!eventually([&] { return wall_clock_now() >= soon; }))
    throw std::runtime_error("the clock stands still");
  while (wall_clock_now() < at) std::this_thread::yield();
}

AuctionTest::AuctionTest() : heard_before_(heard_by_all()), began_(std::chrono::steady_clock::now()) {}

std::size_t AuctionTest::rounds(std::size_t short_form) {
  rounds_ = soak_rounds(1) * short_form;
  return rounds_;
}

void AuctionTest::TearDown() {
  const Finished verdict = verify(house_.database());
  EXPECT_EQ(verdict.exit_code, 0) << verdict.out << verdict.err;
  const std::int64_t bids = read_number(house_.database(), "SELECT count(*) FROM bid");
  print({.name = testing::UnitTest::GetInstance()->current_test_info()->name(),
         .round = rounds_,
         .rounds = rounds_,
         .answers = heard_by_all() - heard_before_,
         .places = std::size_t(bids),
         .began = began_},
        std::to_string(bids) + " bids");
}

}  // namespace hotrow::test
