#include "hotrow/app/market_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <thread>

#include "hotrow/app/http_url.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pause{50};
constexpr std::chrono::seconds answer_timeout{10};
/// Listings that end later than this are left as they are.
constexpr std::chrono::seconds awaited{15};

tl::unexpected<Error> unreadable(const std::string& target, const HttpAnswer& answer) {
  return failure(
      ErrorKind::invalid, "malformed",
      "the answer of " + target + " cannot be read: " + std::to_string(answer.status) + " " + answer.body);
}

/// What `read` makes of a 200; nothing of a 404.
template <class T, class F>
Result<std::optional<T>> read_if_there(const std::string& target, const HttpAnswer& answer, F&& read) {
  if (answer.status == 404) return std::optional<T>();
  json::error_code error;
  const json::value body = json::parse(answer.body, error);
  std::optional<T> value = answer.status == 200 && !error ? read(body) : std::nullopt;
  if (!value) return unreadable(target, answer);
  return value;
}

struct BidsPage {
  std::vector<SeenBid> bids;
  std::string next_cursor;
};

std::optional<BidsPage> read_page(const json::value& body) {
  const json::object* object = body.if_object();
  const json::value* items = object != nullptr ? object->if_contains("items") : nullptr;
  if (items == nullptr || !items->is_array()) return std::nullopt;
  BidsPage page;
  for (const json::value& item : items->get_array()) {
    std::optional<SeenBid> bid = read_seen_bid(item);
    if (!bid) return std::nullopt;
    page.bids.push_back(std::move(*bid));
  }
  const json::value* cursor = object->if_contains("next_cursor");
  if (cursor != nullptr && cursor->is_string()) page.next_cursor = cursor->get_string();
  return page;
}

}  // namespace

MarketReader::MarketReader(Options options) : options_(std::move(options)) {
  for (const HttpUrl& url : options_.urls) {
    clients_.push_back(HttpClient({.url = url, .api_key = options_.api_key, .timeout = answer_timeout}));
  }
}

Result<MarketState> MarketReader::read(const MarketBooks& books) {
  MarketState state;
  questions_ = books.listings.size() + books.players.size() + books.items.size();
  if (auto done = read_listings(books, state); !done) return failure(std::move(done.error()));
  if (auto done = read_players(books, state); !done) return failure(std::move(done.error()));
  if (auto done = read_items(books, state); !done) return failure(std::move(done.error()));
  return state;
}

/// Asks one server after the other until one answers the question.
Result<HttpAnswer> MarketReader::get(const std::string& target) {
  const auto give_up_at = Clock::now() + options_.patience;
  while (true) {
    const Result<HttpAnswer> answer = clients_[turn_].get(target);
    const bool away = !answer || answer->status >= 500 || answer->status == 429;
    if (!away) return answer;
    if (Clock::now() >= give_up_at) {
      if (!answer) return answer;
      return failure(ErrorKind::transient, "http_" + std::to_string(answer->status), answer->body);
    }
    turn_ = (turn_ + 1) % clients_.size();
    std::this_thread::sleep_for(pause);
  }
}

Result<std::optional<SeenListing>> MarketReader::read_listing(const MarketListing& listing) {
  const std::string target = "/v1/listings/" + percent_encoded(listing.id);
  const Result<HttpAnswer> answer = get(target);
  if (!answer) return failure(answer.error());
  return read_if_there<SeenListing>(target, *answer, read_seen_listing);
}

Result<std::optional<SeenListing>> MarketReader::read_closed(const MarketListing& listing) {
  std::optional<Clock::time_point> give_up_at;
  while (true) {
    Result<std::optional<SeenListing>> found = read_listing(listing);
    if (!found || !*found || (*found)->status != ListingStatus::active) return found;
    const auto left = (*found)->ends_at - (*found)->server_time;
    if (left > awaited) return found;
    // An extension moves the end, not the patience by much.
    if (!give_up_at) give_up_at = Clock::now() + left + options_.patience;
    if (Clock::now() >= *give_up_at) return found;
    std::this_thread::sleep_for(pause);
  }
}

Result<std::vector<SeenBid>> MarketReader::read_bids(const MarketListing& listing) {
  const std::string first_page = "/v1/listings/" + percent_encoded(listing.id) + "/bids?limit=1000";
  std::vector<SeenBid> bids;
  for (std::string target = first_page; !target.empty();) {
    const Result<HttpAnswer> answer = get(target);
    if (!answer) return failure(answer.error());
    Result<std::optional<BidsPage>> page = read_if_there<BidsPage>(target, *answer, read_page);
    if (!page) return failure(std::move(page.error()));
    if (!*page) return unreadable(target, *answer);
    bids.insert(bids.end(), (*page)->bids.begin(), (*page)->bids.end());
    const std::string& cursor = (*page)->next_cursor;
    target = cursor.empty() ? "" : first_page + "&cursor=" + percent_encoded(cursor);
  }
  return bids;
}

Result<void> MarketReader::read_listings(const MarketBooks& books, MarketState& state) {
  for (const MarketListing& listing : books.listings) {
    const Result<std::optional<SeenListing>> seen = read_closed(listing);
    if (!seen) return failure(seen.error());
    std::optional<FoundListing>& found = state.listings.emplace_back();
    tell(state.listings.size());
    if (!*seen) continue;
    Result<std::vector<SeenBid>> bids = read_bids(listing);
    if (!bids) return failure(std::move(bids.error()));
    found = FoundListing{.listing = **seen, .bids = std::move(*bids)};
  }
  return {};
}

Result<void> MarketReader::read_players(const MarketBooks& books, MarketState& state) {
  for (const MarketPlayer& player : books.players) {
    const std::string target = "/v1/players/" + percent_encoded(player.id) + "/wallet";
    const Result<HttpAnswer> answer = get(target);
    if (!answer) return failure(answer.error());
    const auto wallet = read_if_there<SeenWallet>(target, *answer, read_seen_wallet);
    if (!wallet) return failure(wallet.error());
    if (!*wallet) return unreadable(target, *answer);
    state.wallets.push_back(**wallet);
    tell(state.listings.size() + state.wallets.size());
  }
  return {};
}

Result<void> MarketReader::read_items(const MarketBooks& books, MarketState& state) {
  for (const MarketItem& item : books.items) {
    const std::string target = "/v1/items/" + percent_encoded(item.id);
    const Result<HttpAnswer> answer = get(target);
    if (!answer) return failure(answer.error());
    auto seen = read_if_there<SeenItem>(target, *answer, read_seen_item);
    if (!seen) return failure(std::move(seen.error()));
    state.items.push_back(std::move(*seen));
    tell(state.listings.size() + state.wallets.size() + state.items.size());
  }
  return {};
}

void MarketReader::tell(std::size_t done) {
  if (options_.progress) options_.progress(done, questions_);
}

}  // namespace hotrow
