#pragma once

#include "hotrow/core/decide.hpp"
#include "hotrow/core/policy_row.hpp"

namespace hotrow {

/// What operators limit, and what follows from it for a trade. A change acts on what is decided after it was
/// committed; what is there already stays, also above a lowered limit.
///
/// A policy is read without a lock once every other row was had, see KeyKind::policy: a trade that was
/// decided while a change committed came before it.

Ruling decide_set_policy(const SetPolicy& set, const Envelope& envelope, const RowSet& rows, Timestamp now);
void policy_needs(const SetPolicy& set, Keys& out);

/// The limits in force for a player, his own before everybody's.
PlayerLimits limits_of(const RowSet& rows, const std::string& player);
void limit_needs(const std::string& player, Keys& out);

/// The pressure policy in force on a listing: its own, member by member, else its family's. nullopt when they
/// were not fetched.
std::optional<Pressure> pressure_on(const ListingRow& listing, const RowSet& rows);
void pressure_needs(const std::string& listing, const std::string& family, Keys& out);

/// `limit_reached` when `used` places of `limit` are taken.
std::optional<Rejection> limit_refusal(const char* what, const std::optional<std::int64_t>& limit,
                                       std::int64_t used);

}  // namespace hotrow
