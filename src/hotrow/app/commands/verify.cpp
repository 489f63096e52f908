#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdio>

#include "hotrow/app/commands.hpp"
#include "hotrow/app/database.hpp"
#include "hotrow/app/remote.hpp"
#include "hotrow/core/promotion_audit.hpp"

namespace hotrow {
namespace {

namespace json = boost::json;

constexpr std::size_t page_size = 100;

struct Audited {
  std::string promotion;
  PromotionAudit audit;
};

struct Checked {
  const MarketInvariant* invariant;
  InvariantCount count;
};

struct Verdict {
  std::vector<Audited> promotions;
  std::vector<Checked> market;
  std::vector<Violation> violations;
};

/// Only for a person who watches: a large market takes minutes.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (watched_) std::fputs("\r\033[K", stderr);
  }
  void show(std::string_view what, std::size_t number, std::size_t of) const {
    if (watched_) fmt::print(stderr, "\r\033[K{} of {}: {}", number, of, what);
  }

 private:
  bool watched_ = isatty(STDERR_FILENO) != 0;
};

Result<void> audit_promotion(Queries& queries, const std::string& id, Verdict& verdict) {
  const auto facts = queries.promotion_facts(id);
  if (!facts) return failure(facts.error());
  if (!*facts) return {};
  PromotionAudit found = audit(**facts);
  verdict.violations.insert(verdict.violations.end(), found.violations.begin(), found.violations.end());
  verdict.promotions.push_back({id, std::move(found)});
  return {};
}

Result<void> verify_market(Queries& queries, Verdict& verdict) {
  const ProgressLine progress;
  const auto invariants = market_invariants();
  for (const MarketInvariant& invariant : invariants) {
    progress.show(invariant.name, verdict.market.size() + 1, invariants.size());
    Result<InvariantCount> count = queries.check(invariant);
    if (!count) return failure(std::move(count.error()));
    if (count->violations > 0) {
      verdict.violations.push_back({.invariant = std::string(invariant.name),
                                    .subject = count->example,
                                    .count = count->violations,
                                    .detail = std::string(invariant.meaning)});
    }
    verdict.market.push_back({.invariant = &invariant, .count = std::move(*count)});
  }
  return {};
}

Result<void> verify_promotions(Queries& queries, Verdict& verdict) {
  for (std::string after; true;) {
    const auto page = queries.promotion_ids(after, page_size);
    if (!page) return failure(page.error());
    for (const std::string& promotion : *page) {
      if (auto audited = audit_promotion(queries, promotion, verdict); !audited) {
        return failure(audited.error());
      }
    }
    if (page->size() < page_size) break;
    after = page->back();
  }
  const auto orphans = queries.orphans();
  if (!orphans) return failure(orphans.error());
  verdict.violations.insert(verdict.violations.end(), orphans->begin(), orphans->end());
  return {};
}

/// One promotion and one invariant after the other, each in a snapshot of its own: a snapshot held over all
/// of them would slow down whoever writes meanwhile.
Result<Verdict> verify(Queries& queries) {
  Verdict verdict;
  if (auto done = verify_promotions(queries, verdict); !done) return failure(std::move(done.error()));
  if (auto done = verify_market(queries, verdict); !done) return failure(std::move(done.error()));
  return verdict;
}

json::object to_json(const Audited& audited) {
  const PromotionAudit& audit = audited.audit;
  return {{"promotion_id", audited.promotion},
          {"ok", audit.ok()},
          {"entries", audit.entries},
          {"max_ordinal", audit.max_ordinal},
          {"gaps", audit.gaps},
          {"duplicates", audit.duplicates},
          {"winners_expected", audit.winners_expected},
          {"winners_pinned", audit.winners_pinned},
          {"outbox_missing", audit.outbox_missing}};
}

json::object to_json(const Checked& checked) {
  return {{"invariant", std::string(checked.invariant->name)},
          {"ok", checked.count.violations == 0},
          {"violations", checked.count.violations},
          {"example", checked.count.example}};
}

void print_json(const Verdict& verdict) {
  json::array promotions;
  for (const Audited& audited : verdict.promotions) promotions.push_back(to_json(audited));
  json::array market;
  for (const Checked& checked : verdict.market) market.push_back(to_json(checked));
  json::array violations;
  for (const Violation& violation : verdict.violations) {
    violations.push_back({{"invariant", violation.invariant},
                          {"subject", violation.subject},
                          {"count", violation.count},
                          {"detail", violation.detail}});
  }
  const json::object result{{"ok", verdict.violations.empty()},
                            {"promotions", std::move(promotions)},
                            {"market", std::move(market)},
                            {"violations", std::move(violations)}};
  fmt::print("{}\n", pretty(result));
}

void print_text(const Verdict& verdict) {
  for (const Audited& audited : verdict.promotions) {
    fmt::print("{} {}: {} entries, {} of {} winners pinned\n", audited.audit.ok() ? "holds " : "BROKEN",
               audited.promotion, audited.audit.entries, audited.audit.winners_pinned,
               audited.audit.winners_expected);
  }
  for (const Checked& checked : verdict.market) {
    fmt::print("{} {}\n", checked.count.violations == 0 ? "holds " : "BROKEN", checked.invariant->name);
  }
  for (const Violation& violation : verdict.violations) {
    fmt::print("violated: {} of {}, {} times: {}\n", violation.invariant, violation.subject, violation.count,
               violation.detail);
  }
  if (verdict.violations.empty()) fmt::print("every invariant holds\n");
}

int fail(const Error& error) {
  fmt::print(stderr, "hotrow: {} ({})\n", error.detail, error.code);
  return exit_usage;
}

}  // namespace

int verify_command(const Settings& settings, bool json) {
  const auto database = find_database(settings);
  if (!database) {
    for (const std::string& fault : database.error()) fmt::print(stderr, "hotrow: {}\n", fault);
    return exit_usage;
  }
  const auto store = (*database)->open_beside();
  if (!store) return fail(store.error());
  const auto queries = (*store)->open_queries();
  if (!queries) return fail(queries.error());
  const Result<Verdict> verdict = verify(**queries);
  if (!verdict) return fail(verdict.error());
  if (json) {
    print_json(*verdict);
  } else {
    print_text(*verdict);
  }
  return verdict->violations.empty() ? exit_ok : exit_no;
}

}  // namespace hotrow
