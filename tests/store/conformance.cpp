#include "tests/store/conformance.hpp"

#include <algorithm>

#include "hotrow/core/decide.hpp"
#include "hotrow/core/write_set.hpp"

namespace hotrow::conformance {
namespace {

/// Keys that an attempt has to lock or read before it writes such a row.
bool is_read_before_written(const Key& key) {
  switch (key.kind) {
    case KeyKind::winner:
    case KeyKind::bid:
    case KeyKind::ledger_line:
    case KeyKind::house_line:
    case KeyKind::event: return false;
    default: return true;
  }
}

/// Wanted keys that can be locked now: a listing names what sorts behind it.
Keys next_step(Keys wanted, const RowSet& rows) {
  std::erase_if(wanted, [&](const Key& key) { return rows.fetched(key); });
  wanted = sorted(std::move(wanted));
  if (!wanted.empty() && wanted.front().kind == KeyKind::listing) {
    std::erase_if(wanted, [](const Key& key) { return key.kind != KeyKind::listing; });
  }
  return wanted;
}

}  // namespace

Keys sorted(Keys keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

void StoreConformance::SetUp() {
  server_ = random_hex(8);
  database_ = GetParam().open([this] { return clock_.now(); });
  ASSERT_NE(database_, nullptr);
  second_ = database_->open_second_store();
}

void StoreConformance::TearDown() {
  second_.reset();
  database_.reset();
}

AttemptOptions StoreConformance::attempt(std::chrono::milliseconds lock_budget) {
  return {.id = {.server = server_, .number = ++attempts_}, .lock_budget = lock_budget};
}

std::unique_ptr<Transaction> StoreConformance::open_transaction(Store& store) {
  Result<std::unique_ptr<Transaction>> transaction = store.open_transaction();
  if (!transaction) throw std::runtime_error(transaction.error().detail);
  return std::move(*transaction);
}

std::unique_ptr<Queries> StoreConformance::open_queries(Store& store) {
  Result<std::unique_ptr<Queries>> queries = store.open_queries();
  if (!queries) throw std::runtime_error(queries.error().detail);
  return std::move(*queries);
}

Result<void> StoreConformance::try_commit(Transaction& transaction, const AttemptOptions& options,
                                          std::vector<RowWrite> writes) {
  WriteSet write_set;
  Keys keys;
  for (RowWrite& write : writes) {
    if (is_read_before_written(write.key)) keys.push_back(write.key);
    write_set.add(std::move(write));
  }
  transaction.begin(options);
  if (Result<Locked> locked = transaction.lock(sorted(std::move(keys))); !locked) {
    return failure(locked.error());
  }
  transaction.apply(write_set.sorted());
  return transaction.commit();
}

Result<void> StoreConformance::try_commit(std::vector<RowWrite> writes) {
  return try_commit(*open_transaction(store()), attempt(), std::move(writes));
}

void StoreConformance::commit(std::vector<RowWrite> writes) {
  const Result<void> committed = try_commit(std::move(writes));
  ASSERT_TRUE(committed) << committed.error().code << ": " << committed.error().detail;
}

std::optional<Row> StoreConformance::find(const Key& key) {
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  Result<Locked> locked = transaction->lock(std::span(&key, 1));
  transaction->rollback();
  if (!locked) throw std::runtime_error(locked.error().detail);
  return std::move(locked->rows.at(0));
}

Answer StoreConformance::run(CommandBody body) {
  const Command command{.envelope = {.actor = "shop", .request_id = "request", .server = "server-1"},
                        .body = std::move(body)};
  const auto transaction = open_transaction(store());
  transaction->begin(attempt());
  RowSet rows;
  Timestamp now;
  for (;;) {
    Keys needed;
    keys_needed(command, rows, needed);
    needed = next_step(std::move(needed), rows);
    if (needed.empty()) break;
    Result<Locked> locked = transaction->lock(needed);
    if (!locked) throw std::runtime_error(locked.error().detail);
    for (std::size_t i = 0; i < needed.size(); ++i) rows.put(needed[i], std::move(locked->rows[i]));
    now = locked->now;
  }

  Decision decision = decide(command, rows, now);
  WriteSet writes;
  for (RowWrite& write : decision.changes) writes.add(std::move(write));
  transaction->apply(writes.sorted());
  const Result<void> committed = transaction->commit();
  if (!committed) throw std::runtime_error(committed.error().detail);
  return std::move(decision.answer);
}

}  // namespace hotrow::conformance
