#include "hotrow/core/promotion_audit.hpp"
#include "hotrow/http/json_text.hpp"
#include "hotrow/http/market_questions.hpp"
#include "hotrow/http/query.hpp"

// The whole store, proved from its rows. One short snapshot an invariant and a promotion: one held over all
// of them would slow down whoever writes meanwhile.
namespace hotrow::http {
namespace {

constexpr std::size_t promotions_page = 100;
constexpr std::size_t violations_shown_max = 1000;

struct CheckedInvariant {
  const MarketInvariant& invariant;
  InvariantCount count;
};

struct StoreAudit {
  std::vector<CheckedInvariant> invariants;
  std::int64_t promotions = 0;
  std::vector<Violation> violations;  ///< Of promotions.
  std::int64_t violated = 0;          ///< In all.
};

void add(StoreAudit& audit, const std::vector<Violation>& found) {
  for (const Violation& violation : found) {
    ++audit.violated;
    if (audit.violations.size() < violations_shown_max) audit.violations.push_back(violation);
  }
}

Result<void> check_market(Queries& queries, StoreAudit& store) {
  for (const MarketInvariant& invariant : market_invariants()) {
    Result<InvariantCount> count = queries.check(invariant);
    if (!count) return failure(std::move(count.error()));
    store.violated += count->violations;
    store.invariants.push_back({.invariant = invariant, .count = std::move(*count)});
  }
  return {};
}

/// By id: also a promotion whose row cannot be read has its violations.
Result<void> check_promotions(Queries& queries, StoreAudit& store) {
  for (std::string after; true;) {
    Result<std::vector<std::string>> page = queries.promotion_ids(after, promotions_page);
    if (!page) return failure(std::move(page.error()));
    for (const std::string& id : *page) {
      Result<std::optional<PromotionFacts>> facts = queries.promotion_facts(id);
      if (!facts) return failure(std::move(facts.error()));
      if (!*facts) continue;
      ++store.promotions;
      add(store, audit(**facts).violations);
    }
    if (page->size() < promotions_page) break;
    after = page->back();
  }
  Result<std::vector<Violation>> orphans = queries.orphans();
  if (!orphans) return failure(std::move(orphans.error()));
  add(store, *orphans);
  return {};
}

void write_audit(JsonWriter& json, const StoreAudit& store, Timestamp now) {
  json.begin_object().key("ok").flag(store.violated == 0);
  json.key("invariants").begin_array();
  for (const auto& [invariant, count] : store.invariants) {
    json.begin_object().key("name").text(invariant.name).key("meaning").text(invariant.meaning);
    json.key("violations").integer(count.violations).key("example");
    count.example.empty() ? json.null() : json.text(count.example);
    json.end_object();
  }
  json.end_array().key("promotions").integer(store.promotions);
  json.key("promotion_violations").begin_array();
  for (const Violation& violation : store.violations) {
    json.begin_object().key("invariant").text(violation.invariant).key("subject").text(violation.subject);
    json.key("count").integer(violation.count).key("detail").text(violation.detail).end_object();
  }
  json.end_array().key("server_time").time(now).end_object();
}

Result<Response> audit_answer(Queries& queries) {
  Result<Timestamp> now = queries.now();
  if (!now) return failure(std::move(now.error()));
  StoreAudit store;
  if (Result<void> done = check_market(queries, store); !done) return failure(std::move(done.error()));
  if (Result<void> done = check_promotions(queries, store); !done) return failure(std::move(done.error()));
  Response response;
  JsonWriter json(response.body);
  write_audit(json, store, *now);
  return response;
}

Result<Response> house_answer(Queries& queries) {
  Result<std::vector<HouseTotal>> totals = queries.house();
  if (!totals) return failure(std::move(totals.error()));
  Response response;
  JsonWriter json(response.body);
  write_page(json, std::nullopt, [&] {
    for (const HouseTotal& total : *totals) {
      json.begin_object().key("currency").text(total.currency).key("cut").integer(total.cut);
      json.key("deposits_kept").integer(total.deposits_kept).end_object();
    }
  });
  return response;
}

}  // namespace

std::optional<Response> get_house(Readers& readers, Exchange& exchange) {
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange, [](Queries& queries) { return house_answer(queries); });
}

std::optional<Response> audit_store(Readers& slow_readers, Turnstile& turnstile, Exchange& exchange) {
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  Turnstile::Pass pass = turnstile.enter();
  if (!pass) return busy_response("Another audit is running.", exchange.context());
  return ask(slow_readers, exchange, [pass = std::move(pass)](Queries& queries) mutable {
    Result<Response> response = audit_answer(queries);
    pass.reset();  // Before the answer: who has it may ask again.
    return response;
  });
}

}  // namespace hotrow::http
