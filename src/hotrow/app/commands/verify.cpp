#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

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

struct Verdict {
  std::vector<Audited> promotions;
  std::vector<Violation> violations;
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

/// One promotion after the other, each in a snapshot of its own: a snapshot held over all of them would
/// slow down whoever writes meanwhile.
Result<Verdict> verify(Queries& queries) {
  const Result<Timestamp> now = queries.now();
  if (!now) return failure(now.error());
  Verdict verdict;
  for (PromotionsQuery query{.now = *now, .limit = page_size}; true;) {
    const auto page = queries.promotions(query);
    if (!page) return failure(page.error());
    for (const PromotionRow& promotion : *page) {
      if (auto audited = audit_promotion(queries, promotion.id, verdict); !audited) {
        return failure(audited.error());
      }
    }
    if (page->size() < page_size) break;
    query.after_id = page->back().id;
  }
  const auto orphans = queries.orphans();
  if (!orphans) return failure(orphans.error());
  verdict.violations.insert(verdict.violations.end(), orphans->begin(), orphans->end());
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

void print_json(const Verdict& verdict) {
  json::array promotions;
  for (const Audited& audited : verdict.promotions) promotions.push_back(to_json(audited));
  json::array violations;
  for (const Violation& violation : verdict.violations) {
    violations.push_back({{"invariant", violation.invariant},
                          {"subject", violation.subject},
                          {"count", violation.count},
                          {"detail", violation.detail}});
  }
  const json::object result{{"ok", verdict.violations.empty()},
                            {"promotions", std::move(promotions)},
                            {"violations", std::move(violations)}};
  fmt::print("{}\n", pretty(result));
}

void print_text(const Verdict& verdict) {
  for (const Audited& audited : verdict.promotions) {
    fmt::print("{} {}: {} entries, {} of {} winners pinned\n", audited.audit.ok() ? "holds " : "BROKEN",
               audited.promotion, audited.audit.entries, audited.audit.winners_pinned,
               audited.audit.winners_expected);
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
