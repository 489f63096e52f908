#include "hotrow/postgres/pg_queries.hpp"

#include <algorithm>
#include <limits>

#include "hotrow/postgres/pg_market_statements.hpp"
#include "hotrow/postgres/pg_statements.hpp"

namespace hotrow {
namespace {

constexpr std::size_t export_chunk = 2'000;

std::string_view name_of(PromotionState state) {
  switch (state) {
    case PromotionState::scheduled: return "scheduled";
    case PromotionState::open: return "open";
    case PromotionState::paused: return "paused";
    case PromotionState::closing: return "closing";
    case PromotionState::closed: return "closed";
  }
  return "";
}

/// The read port knows three kinds of failure.
Error reading_error(const PgFault& fault) {
  Error error = pg_error(fault, PgMoment::before_commit);
  const bool is_known = error.kind == ErrorKind::fatal || error.kind == ErrorKind::held;
  if (!is_known) error.kind = ErrorKind::transient;
  return error;
}

/// Rows of (user_id, ordinal, entered_at, request_id, actor).
std::vector<EntryRow> decode_entries(const PgResult& rows, const std::string& promotion) {
  std::vector<EntryRow> entries;
  entries.reserve(std::size_t(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) {
    entries.push_back(decode_entry(rows, row, 1, promotion, rows.string(row, 0)));
  }
  return entries;
}

/// Of list_winner_evidence.
WinnerEvidence decode_evidence(const PgResult& rows, int row, const std::string& promotion) {
  WinnerEvidence evidence{.winner = {.promotion = promotion,
                                     .ordinal = rows.bigint(row, 0),
                                     .user = rows.string(row, 1),
                                     .entered_at = {rows.bigint(row, 2)},
                                     .rule = rows.string(row, 3),
                                     .event_id = rows.string(row, 4)}};
  if (!rows.is_null(row, 5)) {
    evidence.entry = EntryRow{.promotion = promotion,
                              .user = rows.string(row, 5),
                              .ordinal = evidence.winner.ordinal,
                              .entered_at = {rows.bigint(row, 6)}};
  }
  if (!rows.is_null(row, 7)) {
    evidence.event = EventRow{.subject_kind = rows.string(row, 7),
                              .subject = rows.string(row, 8),
                              .type = rows.string(row, 9),
                              .id = evidence.winner.event_id,
                              .data = rows.string(row, 10),
                              .occurred_at = {rows.bigint(row, 11)}};
  }
  return evidence;
}

PgParameters page_of(const std::string& of, std::int64_t from, std::size_t limit) {
  return PgParameters().text(of).bigint(from).bigint(std::int64_t(limit));
}

}  // namespace

PgQueries::PgQueries(const PostgresOptions& options) : options_(options) {}

Result<void> PgQueries::connect() {
  if (session_ != nullptr && session_->connection().usable()) return {};
  session_.reset();
  Result<std::unique_ptr<PgSession>> session = PgSession::open(options_, PgRole::reader);
  if (!session) return failure(session.error());
  session_ = std::move(*session);
  // It may be another server by now, one that lost its latest transactions and draws their positions again.
  settled_position_ = 0;
  watch_.reset();
  return {};
}

Result<std::vector<PgResult>> PgQueries::exchange(SteadyTime deadline) {
  PgExchange exchange = session_->connection().exchange(deadline);
  if (exchange.lost) session_.reset();
  if (exchange.fault) return failure(reading_error(*exchange.fault));
  return std::move(exchange.results);
}

Result<PgResult> PgQueries::ask(const PgStatement& statement, const PgParameters& parameters) {
  if (Result<void> connected = connect(); !connected) return failure(connected.error());
  session_->queue_settings();
  session_->connection().queue(statement, parameters);
  auto results = exchange(SteadyTime::clock::now() + options_.read_timeout + options_.answer_grace);
  if (!results) return failure(results.error());
  return std::move(results->back());
}

Result<void> PgQueries::begin_snapshot() {
  if (Result<void> connected = connect(); !connected) return connected;
  snapshot_ends_at_ = SteadyTime::clock::now() + options_.audit_timeout;
  PgConnection& connection = session_->connection();
  connection.queue(statements::begin_snapshot);
  session_->queue_settings();
  connection.queue(statements::set_statement_timeout,
                   PgParameters().text(std::to_string(options_.audit_timeout.count())));
  if (auto results = exchange(snapshot_ends_at_); !results) return failure(results.error());
  return {};
}

Result<PgResult> PgQueries::ask_in_snapshot(const PgStatement& statement, const PgParameters& parameters) {
  session_->connection().queue(statement, parameters);
  auto results = exchange(snapshot_ends_at_);
  if (!results) return failure(results.error());
  return std::move(results->back());
}

/// Nothing was written, so it does not matter what becomes of the transaction's end.
void PgQueries::end_snapshot() {
  if (session_ == nullptr) return;
  session_->connection().queue(statements::rollback);
  session_->connection().post();
}

Result<Timestamp> PgQueries::now() {
  if (options_.clock) return options_.clock();
  Result<PgResult> clock = ask(statements::read_clock);
  if (!clock) return failure(clock.error());
  return clock->timestamptz(0, 0);
}

Result<StoreFacts> PgQueries::facts() {
  Result<PgResult> facts = ask(statements::read_facts);
  if (!facts) return failure(facts.error());
  return StoreFacts{.instance_id = facts->string(0, 0),
                    .schema_version = facts->is_null(0, 1) ? 0 : facts->bigint(0, 1)};
}

Result<std::optional<PromotionRow>> PgQueries::promotion(const std::string& id) {
  Result<PgResult> rows = ask(statements::read_promotion, PgParameters().text(id));
  if (!rows) return failure(rows.error());
  return decode_one(*rows);
}

Result<std::optional<PromotionRow>> PgQueries::decode_one(const PgResult& rows) {
  if (rows.rows() == 0) return std::nullopt;
  Result<PromotionRow> promotion = decode_promotion(rows, 0, caches_.settings);
  if (!promotion) return failure(promotion.error());
  return std::optional(std::move(*promotion));
}

Result<std::vector<std::string>> PgQueries::promotion_ids(const std::string& after_id, std::size_t limit) {
  Result<PgResult> rows =
      ask(statements::list_promotion_ids, PgParameters().text(after_id).bigint(std::int64_t(limit)));
  if (!rows) return failure(rows.error());
  std::vector<std::string> ids;
  for (int row = 0; row < rows->rows(); ++row) ids.push_back(rows->string(row, 0));
  return ids;
}

Result<std::vector<PromotionRow>> PgQueries::promotions(const PromotionsQuery& query) {
  PgParameters parameters;
  parameters.text(query.after_id).text(query.state ? name_of(*query.state) : "");
  parameters.bigint(query.now.micros).bigint(std::int64_t(query.limit));
  Result<PgResult> rows = ask(statements::list_promotions, parameters);
  if (!rows) return failure(rows.error());
  std::vector<PromotionRow> promotions;
  for (int row = 0; row < rows->rows(); ++row) {
    Result<PromotionRow> promotion = decode_promotion(*rows, row, caches_.settings);
    if (!promotion) return failure(promotion.error());
    promotions.push_back(std::move(*promotion));
  }
  return promotions;
}

Result<std::optional<EntryRow>> PgQueries::entry(const std::string& promotion, const std::string& user) {
  Result<PgResult> rows = ask(statements::read_entry, PgParameters().text(promotion).text(user));
  if (!rows) return failure(rows.error());
  if (rows->rows() == 0) return std::nullopt;
  return std::optional(decode_entry(*rows, 0, 1, promotion, user));
}

Result<std::vector<EntryRow>> PgQueries::entries(const std::string& promotion, std::int64_t after_ordinal,
                                                 std::size_t limit) {
  Result<PgResult> rows = ask(statements::list_entries, page_of(promotion, after_ordinal, limit));
  if (!rows) return failure(rows.error());
  return decode_entries(*rows, promotion);
}

Result<std::optional<EntryNeighbourhood>> PgQueries::neighbourhood(const std::string& promotion,
                                                                   std::int64_t ordinal) {
  return in_snapshot([&]() -> Result<std::optional<EntryNeighbourhood>> {
    constexpr std::size_t each_side = 3;
    Result<PgResult> rows =
        ask_in_snapshot(statements::list_entries, page_of(promotion, ordinal - 1, each_side + 1));
    if (!rows) return failure(rows.error());
    std::vector<EntryRow> from = decode_entries(*rows, promotion);
    if (from.empty() || from[0].ordinal != ordinal) return std::nullopt;
    EntryNeighbourhood found{.entry = from[0], .after = {from.begin() + 1, from.end()}};

    rows = ask_in_snapshot(statements::list_entries_before, page_of(promotion, ordinal, each_side));
    if (!rows) return failure(rows.error());
    found.before = decode_entries(*rows, promotion);
    std::reverse(found.before.begin(), found.before.end());

    rows =
        ask_in_snapshot(statements::last_ordinal_of_earlier_time,
                        PgParameters().text(promotion).bigint(ordinal).bigint(found.entry.entered_at.micros));
    if (!rows) return failure(rows.error());
    found.place_in_batch = ordinal - (rows->rows() == 0 ? 0 : rows->bigint(0, 0));
    return found;
  });
}

Result<std::vector<WinnerRow>> PgQueries::winners(const std::string& promotion, std::int64_t after_ordinal,
                                                  std::size_t limit) {
  Result<PgResult> rows = ask(statements::list_winners, page_of(promotion, after_ordinal, limit));
  if (!rows) return failure(rows.error());
  std::vector<WinnerRow> winners;
  winners.reserve(std::size_t(rows->rows()));
  for (int row = 0; row < rows->rows(); ++row) {
    winners.push_back({.promotion = promotion,
                       .ordinal = rows->bigint(row, 0),
                       .user = rows->string(row, 1),
                       .entered_at = {rows->bigint(row, 2)},
                       .rule = rows->string(row, 3),
                       .event_id = rows->string(row, 4),
                       .server = rows->string(row, 5)});
  }
  return winners;
}

Result<Keys> PgQueries::due(Timestamp now, std::size_t limit) {
  const PgParameters parameters = PgParameters().bigint(now.micros).bigint(std::int64_t(limit));
  Keys keys;
  Result<PgResult> rows = ask(statements::list_due, parameters);
  if (!rows) return failure(rows.error());
  for (int row = 0; row < rows->rows(); ++row) keys.push_back(promotion_key(rows->string(row, 0)));
  rows = ask(statements::list_due_listings, parameters);
  if (!rows) return failure(rows.error());
  for (int row = 0; row < rows->rows(); ++row) keys.push_back(listing_key(rows->string(row, 0)));
  return keys;
}

Result<void> PgQueries::export_entries(const std::string& promotion, const EntrySink& sink) {
  return in_snapshot([&]() -> Result<void> {
    std::int64_t after = 0;
    while (true) {
      Result<PgResult> rows =
          ask_in_snapshot(statements::list_entries, page_of(promotion, after, export_chunk));
      if (!rows) return failure(rows.error());
      const std::vector<EntryRow> chunk = decode_entries(*rows, promotion);
      if (chunk.empty() || !sink(chunk) || chunk.size() < export_chunk) return {};
      after = chunk.back().ordinal;
    }
  });
}

Result<std::optional<PromotionFacts>> PgQueries::promotion_facts(const std::string& id) {
  return in_snapshot([&]() -> Result<std::optional<PromotionFacts>> {
    Result<PgResult> rows = ask_in_snapshot(statements::read_promotion, PgParameters().text(id));
    if (!rows) return failure(rows.error());
    Result<std::optional<PromotionRow>> promotion = decode_one(*rows);
    if (!promotion && promotion.error().code == settings_unreadable) {
      return PromotionFacts{.promotion = {.id = id}};
    }
    if (!promotion) return failure(promotion.error());
    if (!*promotion) return std::nullopt;
    PromotionFacts facts{.promotion = std::move(**promotion)};
    if (Result<void> counted = count_into(facts); !counted) return failure(counted.error());
    if (Result<void> counted = count_evidence_into(facts); !counted) return failure(counted.error());
    return facts;
  });
}

Result<void> PgQueries::count_into(PromotionFacts& facts) {
  const PromotionRow& promotion = facts.promotion;
  std::optional<std::int64_t> ends_at;
  std::optional<std::int64_t> closed_at;
  if (promotion.settings->ends_at) ends_at = promotion.settings->ends_at->micros;
  if (promotion.closing) closed_at = promotion.closing->at.micros;
  PgParameters parameters;
  parameters.text(promotion.id).bigint(promotion.settings->starts_at.micros);
  parameters.bigint(ends_at).bigint(closed_at);
  Result<PgResult> entries = ask_in_snapshot(statements::count_entries, parameters);
  if (!entries) return failure(entries.error());
  facts.entries = entries->bigint(0, 0);
  facts.ordinal_min = entries->bigint(0, 1);
  facts.ordinal_max = entries->bigint(0, 2);
  facts.ordinals_distinct = entries->bigint(0, 3);
  facts.entries_out_of_time = entries->bigint(0, 4);

  Result<PgResult> users = ask_in_snapshot(statements::count_users, PgParameters().text(promotion.id));
  if (!users) return failure(users.error());
  facts.users_distinct = users->bigint(0, 0);

  Result<PgResult> columns =
      ask_in_snapshot(statements::read_promotion_columns, PgParameters().text(promotion.id));
  if (!columns) return failure(columns.error());
  facts.starts_at = {columns->bigint(0, 0)};
  if (!columns->is_null(0, 1)) facts.ends_at = Timestamp{columns->bigint(0, 1)};
  return {};
}

Result<void> PgQueries::count_evidence_into(PromotionFacts& facts) {
  EvidenceCounter counter(facts);
  const std::string& promotion = facts.promotion.id;
  const auto page_through = [&](const PgStatement& statement, const auto& use) -> Result<void> {
    for (std::int64_t after = std::numeric_limits<std::int64_t>::min(); true;) {
      Result<PgResult> rows = ask_in_snapshot(statement, page_of(promotion, after, export_chunk));
      if (!rows) return failure(rows.error());
      for (int row = 0; row < rows->rows(); ++row) use(*rows, row);
      if (rows->rows() < int(export_chunk)) return {};
      after = rows->bigint(rows->rows() - 1, 0);
    }
  };
  const auto winner = [&](const PgResult& rows, int row) {
    counter.add(decode_evidence(rows, row, promotion));
  };
  const auto event = [&](const PgResult& rows, int row) {
    counter.add(EventRow{.sequence = rows.bigint(row, 0),
                         .type = rows.string(row, 1),
                         .data = rows.string(row, 2),
                         .occurred_at = {rows.bigint(row, 3)},
                         .position = rows.bigint(row, 4)});
  };
  return page_through(statements::list_winner_evidence, winner).and_then([&] {
    return page_through(statements::list_evidence_events, event);
  });
}

Result<std::vector<Violation>> PgQueries::orphans() {
  return in_snapshot([&]() -> Result<std::vector<Violation>> {
    Result<PgResult> rows = ask_in_snapshot(statements::count_orphans);
    if (!rows) return failure(rows.error());
    std::vector<Violation> violations;
    for (int row = 0; row < rows->rows(); ++row) {
      if (rows->bigint(row, 1) == 0) continue;
      violations.push_back({.invariant = rows->string(row, 0),
                            .subject = "store",
                            .count = rows->bigint(row, 1),
                            .detail = "rows of no promotion"});
    }
    return violations;
  });
}

}  // namespace hotrow
