#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hotrow/base/hash.hpp"
#include "hotrow/base/time.hpp"
#include "hotrow/core/key.hpp"
#include "hotrow/core/row.hpp"

namespace hotrow {

/// Versions that a caller accepts, of If-Match; by default any.
class VersionMatch {
 public:
  VersionMatch() = default;
  VersionMatch(std::int64_t version) : versions_(std::in_place, 1, version) {}
  VersionMatch(std::vector<std::int64_t> versions) : versions_(std::move(versions)) {}
  VersionMatch(std::optional<std::int64_t> version) {
    if (version) versions_.emplace(1, *version);
  }

  explicit operator bool() const { return versions_.has_value(); }
  bool admits(std::int64_t version) const {
    return !versions_ || std::ranges::find(*versions_, version) != versions_->end();
  }

 private:
  std::optional<std::vector<std::int64_t>> versions_;
};

/// Creates a promotion or changes its settings.
struct PutPromotion {
  std::string promotion;
  std::shared_ptr<const PromotionSettings> settings;
  VersionMatch if_version = {};
  std::string reason = {};
  bool only_create = false;  ///< If-None-Match: *.
};

enum class PromotionAction : std::uint8_t {
  pause,
  resume,
  close,
  close_when_ended,  ///< What the due worker does: nothing before ends_at.
};

struct ChangePromotion {
  std::string promotion;
  PromotionAction action;
  VersionMatch if_version;
  std::string reason;
};

struct EnterPromotion {
  std::string promotion;
  std::string user;
};

/// Entries for many users in the order given. One command, one answer.
struct EnterPromotionBatch {
  std::string promotion;
  std::vector<std::string> users;
};

/// Money in from outside, out to outside, or from one owner to another.
struct MoveMoney {
  LedgerReason kind = LedgerReason::deposit;  ///< deposit, withdrawal or transfer.
  Owner owner;                                ///< Whose wallet; of a transfer, who pays.
  std::optional<Owner> to;                    ///< Of a transfer, another than `owner`.
  std::string currency{default_currency};
  std::int64_t amount = 0;
  std::string note;
  std::string external_id;  ///< Empty: none.
  VersionMatch if_version;  ///< Of the owner's wallet.
};

struct CreateItem {
  ItemFacts facts;
  Owner owner;
  bool only_create = false;  ///< If-None-Match: *.
};

/// The item leaves for the game.
struct WithdrawItem {
  std::string item;
  Owner owner;
};

struct CreateListing {
  std::string listing;
  std::string seller;
  std::string item;                ///< An item that exists, or
  std::optional<ItemFacts> facts;  ///< one to be created with the listing; its id is `item`.
  std::string currency{default_currency};
  std::int64_t start_price = 0;
  std::optional<std::int64_t> buyout_price;
  std::int64_t min_increment = 1;
  std::optional<Timestamp> ends_at;  ///< Either this or
  std::chrono::seconds duration{0};  ///< that.
  std::optional<AntiSnipe> anti_snipe;
  OnClose on_close = OnClose::inventory;
  Rates rates;  ///< The service's settings when the command came.
};

struct PlaceBid {
  std::string listing;
  std::string bidder;
  std::int64_t amount = 0;
  VersionMatch if_version;
};

struct BuyOut {
  std::string listing;
  std::string buyer;
  std::optional<std::int64_t> expected_price;
  VersionMatch if_version;
};

enum class ListingAction : std::uint8_t {
  cancel,     ///< By the seller, while nobody leads.
  settle,     ///< What the end brings: to the leader, or back.
  void_it,    ///< By an operator: everything back to where it came from.
  set_aside,  ///< By the server itself, when settling fails again and again.
};

struct ChangeListing {
  std::string listing;
  ListingAction action;
  std::string seller;  ///< Of cancel.
  std::string reason;  ///< Of void_it and set_aside.
  VersionMatch if_version;
};

struct RestrictPlayer {
  std::string player;
  bool trade_blocked = false;
  std::string reason;
};

struct ChangeMarket {
  bool pause = false;   ///< Else resume.
  bool extend = false;  ///< Of resume: every active end moves by the pause.
  std::string reason;
};

/// Replaces the groups of limits that are given; the others stay.
struct SetPolicy {
  PolicyId policy;
  std::optional<PlayerLimits> players;  ///< Of scopes players and player.
  std::optional<Pressure> pressure;     ///< Of the others.
  std::string reason;                   ///< May be empty.
  VersionMatch if_version;
};

using CommandBody = std::variant<PutPromotion, ChangePromotion, EnterPromotion, EnterPromotionBatch,
                                 MoveMoney, CreateItem, WithdrawItem, CreateListing, PlaceBid, BuyOut,
                                 ChangeListing, RestrictPlayer, ChangeMarket, SetPolicy>;

enum class CommandClass : std::uint8_t {
  interactive,
  background,  ///< The server's own housekeeping: takes at most a quarter of a batch.
};

/// Who asks, how to recognise the same request again, and how long it is worth an answer.
struct Envelope {
  std::string actor;            ///< Name of the API key, or "hotrow" for the server's own commands.
  std::string principal;        ///< Who acts; part of the idempotency scope.
  std::string idempotency_key;  ///< Empty: none.
  Sha256 fingerprint{};         ///< Of method, path and canonical body; only with a key.
  std::string request_id;
  std::string traceparent;  ///< W3C Trace Context; may be empty.
  std::string server;       ///< Name of the server that took the request.
  Timestamp arrived_at;     ///< This machine's clock when the request was complete. Display only.
  SteadyTime deadline = SteadyTime::max();
  CommandClass command_class = CommandClass::interactive;
};

struct Command {
  Envelope envelope;
  CommandBody body;
};

/// The keys that the command contends for, known without reading anything, the one that orders it first. They
/// choose the lane.
Keys hot_keys(const Command& command);

/// The form in which hot_keys() names a locked row: of wallets without the currency, which a bid does not
/// know before it has read the listing.
Key hot_form(const Key& key);

/// One actor's part of a hot row. Nobody can stuff the queue of a row in its last seconds: no more than
/// `undecided_max` commands of one share wait for a decision here, and a share waits with no more weight than
/// the room that is still left for everybody else.
struct Share {
  Key of;     ///< The row's kind, the row and the actor.
  Key actor;  ///< The actor alone: for the room in a lane.
  std::size_t undecided_max = 0;
};

/// nullopt for commands whose actors cannot crowd each other out.
std::optional<Share> share_of(const Command& command);

/// Whether a policy may keep it out of a row's queue: what crowds come with. What ends a rush, a settlement
/// or an operator's close, is never kept out by it.
bool is_of_the_crowd(const Command& command);

/// The order in which commands of one window are decided: the larger first. Bids: the amount.
std::int64_t gather_rank(const Command& command);

/// Rows that the command will write at most, about: what a batch is bounded by.
std::size_t weight(const Command& command);

/// "enter_promotion", ...: for metrics and logs.
std::string_view command_kind(const Command& command);

/// How long the command may wait for strangers' locks before it is told `busy`.
std::chrono::milliseconds lock_budget(const Command& command);

/// What the server's own worker does about a subject that Queries::due() named.
CommandBody due_command(const Key& subject);

/// What it does instead when due_command() fails again and again as nothing should: puts the subject aside,
/// so that it blocks nothing. nullopt for subjects that cannot be put aside.
std::optional<CommandBody> poison_command(const Key& subject, std::string reason);

/// The stored answer's key; nullopt when the command carries no idempotency key.
std::optional<Key> answer_key(const Envelope& envelope);

}  // namespace hotrow
