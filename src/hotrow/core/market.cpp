#include "hotrow/core/market.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/core/event.hpp"

namespace hotrow {

namespace json = boost::json;

Ruling decide_restrict_player(const RestrictPlayer& restrict, const Envelope& envelope, const RowSet& rows,
                              Timestamp now) {
  const Key key = player_key(restrict.player);
  const auto* before = rows.find<PlayerRow>(key);
  PlayerRow player = before != nullptr ? *before : PlayerRow{.id = restrict.player};
  const bool is_same = before != nullptr && before->trade_blocked == restrict.trade_blocked;
  if (is_same) return Acceptance{.outcome = PlayerAnswer{.player = player, .server_time = now}};

  player.trade_blocked = restrict.trade_blocked;
  player.reason = restrict.reason;
  ++player.version;
  const EventSubject subject{.kind = "player", .id = player.id, .events = player.events, .at = now};
  Acceptance acceptance;
  acceptance.changes.push_back(
      next_event(subject, "player.restricted",
                 json::object{{"player_id", player.id},
                              {"trade", player.trade_blocked ? "blocked" : "allowed"},
                              {"reason", restrict.reason},
                              {"by", envelope.actor}},
                 envelope));
  acceptance.outcome = PlayerAnswer{.player = player, .server_time = now};
  acceptance.changes.push_back({.key = key,
                                .row = std::move(player),
                                .how = before != nullptr ? RowWrite::How::update : RowWrite::How::insert});
  return acceptance;
}

Ruling decide_change_market(const ChangeMarket& change, const Envelope& envelope, const RowSet& rows,
                            Timestamp now) {
  const auto* before = rows.find<MarketRow>(market_key());
  MarketRow market = before != nullptr ? *before : MarketRow{};
  if (market.paused == change.pause) {
    return Acceptance{.outcome = MarketAnswer{.market = market, .server_time = now}};
  }
  market.paused = change.pause;
  market.reason = change.reason;
  ++market.version;
  std::chrono::microseconds given_back{0};
  if (change.pause) {
    market.paused_at = now;
  } else if (change.extend) {
    given_back = std::max(now - market.paused_at, std::chrono::microseconds(0));
    market.extension += given_back;
    HOTROW_ASSERT(market.extension >= given_back);
  }
  const EventSubject subject{.kind = "market", .id = "market", .events = market.events, .at = now};
  Acceptance acceptance;
  acceptance.changes.push_back(next_event(subject, "market.changed",
                                          json::object{{"paused", market.paused},
                                                       {"extended_by_us", given_back.count()},
                                                       {"reason", change.reason},
                                                       {"by", envelope.actor}},
                                          envelope));
  acceptance.outcome = MarketAnswer{.market = market, .server_time = now};
  acceptance.changes.push_back({.key = market_key(),
                                .row = std::move(market),
                                .how = before != nullptr ? RowWrite::How::update : RowWrite::How::insert});
  return acceptance;
}

}  // namespace hotrow
