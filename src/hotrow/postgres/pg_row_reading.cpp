#include "hotrow/postgres/pg_row_reading.hpp"

#include <algorithm>

#include "hotrow/base/assert.hpp"
#include "hotrow/postgres/pg_market_rows.hpp"
#include "hotrow/postgres/pg_market_statements.hpp"
#include "hotrow/postgres/pg_statements.hpp"

namespace hotrow {
namespace {

template <class R>
Result<Row> as_row(Result<R> typed) {
  if (!typed) return failure(std::move(typed.error()));
  return Row(std::move(*typed));
}

Result<AnswerRow> decode_answer_row(const Key& key, const PgResult& rows, int row) {
  AnswerRow answer{.owner = key.first, .principal = key.second, .key = key.third};
  const std::string_view fingerprint = rows.text(row, 1);
  if (fingerprint.size() != answer.fingerprint.size()) {
    return failure(ErrorKind::fatal, "unreadable", "fingerprint of " + describe(key));
  }
  std::copy(fingerprint.begin(), fingerprint.end(), answer.fingerprint.begin());
  answer.answer = rows.string(row, 2);
  answer.decided_at = {rows.bigint(row, 3)};
  return answer;
}

}  // namespace

RowReading reading_of(KeyKind kind) {
  using namespace statements;
  switch (kind) {
    case KeyKind::promotion: return {.rows = &lock_promotions, .held_by_others = &promotions_held_by_others};
    case KeyKind::listing: return {.rows = &lock_listings, .held_by_others = &listings_held_by_others};
    case KeyKind::item: return {.rows = &lock_items, .held_by_others = &items_held_by_others};
    case KeyKind::wallet:
      return {.rows = &lock_wallets, .parts = 3, .held_by_others = &wallets_held_by_others};
    case KeyKind::entry: return {.rows = &read_entries, .parts = 2};
    case KeyKind::external_id: return {.rows = &read_external_ids, .parts = 3};
    case KeyKind::player: return {.rows = &read_players};
    case KeyKind::market: return {.rows = &read_market, .parts = 0};
    case KeyKind::policy: return {.rows = &read_policies, .parts = 2};
    case KeyKind::winner:
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::event:
    case KeyKind::answer: break;
  }
  HOTROW_ASSERT(!"a kind that is not read by its keys");
  return {};
}

Result<Row> decode_row(const Key& key, const PgResult& rows, int row, RowCaches& caches) {
  switch (key.kind) {
    case KeyKind::promotion: return as_row(decode_promotion(rows, row, caches.settings));
    case KeyKind::listing: return as_row(decode_listing(rows, row, caches.terms));
    case KeyKind::item: return as_row(decode_item(rows, row));
    case KeyKind::wallet: return Row(decode_wallet(rows, row, wallet_of(key)));
    case KeyKind::entry: return Row(decode_entry(rows, row, 1, key.first, key.second));
    case KeyKind::external_id: return as_row(decode_external_id(rows, row, key));
    case KeyKind::player: return Row(decode_player(rows, row, key.first));
    case KeyKind::market: return Row(decode_market(rows, row));
    case KeyKind::policy: return as_row(decode_policy(rows, row));
    case KeyKind::answer: return as_row(decode_answer_row(key, rows, row));
    case KeyKind::winner:
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::event: break;
  }
  HOTROW_ASSERT(!"a kind that is only written");
  return failure(ErrorKind::fatal, "unreadable", describe(key));
}

}  // namespace hotrow
