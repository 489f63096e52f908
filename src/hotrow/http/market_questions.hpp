#pragma once

#include <optional>
#include <string>

#include "hotrow/engine/readers.hpp"
#include "hotrow/http/exchange.hpp"
#include "hotrow/http/questions.hpp"

// The calls that read the auction, each answered from a reader's thread. Safe from all threads.
namespace hotrow::http {

/// Of the owner in the path.
std::optional<Response> get_wallet(Readers& readers, OwnerKind owner, Exchange& exchange);
std::optional<Response> list_ledger(Readers& readers, OwnerKind owner, Exchange& exchange);

std::optional<Response> get_item(Readers& readers, Exchange& exchange);
std::optional<Response> list_player_items(Readers& readers, Exchange& exchange);
std::optional<Response> list_player_bids(Readers& readers, Exchange& exchange);
std::optional<Response> list_player_listings(Readers& readers, Exchange& exchange);

std::optional<Response> get_listing(Readers& readers, Exchange& exchange);
std::optional<Response> list_listings(Readers& readers, Exchange& exchange);
std::optional<Response> list_bids(Readers& readers, Exchange& exchange);
std::optional<Response> list_timeline(Readers& readers, Exchange& exchange, const std::string& instance);

/// What a listing will hold and a sale will cut. Asks nobody.
Response quote_listing(const Rates& rates, const Exchange& exchange);

/// One that was never set says nothing.
std::optional<Response> get_policy(Readers& readers, PolicyScope scope, Exchange& exchange);

std::optional<Response> get_house(Readers& readers, Exchange& exchange);

/// Every invariant of the store, each in a snapshot of its own.
std::optional<Response> audit_store(Readers& slow_readers, Turnstile& turnstile, Exchange& exchange);

}  // namespace hotrow::http
