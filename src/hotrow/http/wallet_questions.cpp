#include "hotrow/http/list_page.hpp"
#include "hotrow/http/market_json.hpp"
#include "hotrow/http/market_questions.hpp"

namespace hotrow::http {
namespace {

Result<Response> wallet_answer(Queries& queries, const WalletId& id) {
  Result<WalletRow> wallet = queries.wallet(id);
  if (!wallet) return failure(std::move(wallet.error()));
  Response response{.version = wallet->version};
  if (wallet->version > 0) response.headers = state_lines(wallet->version);
  JsonWriter json(response.body);
  write_wallet(json, *wallet);
  return response;
}

Result<Response> ledger_answer(Queries& queries, const WalletId& id, const ListPage& page) {
  Result<std::vector<LedgerLineRow>> lines = queries.ledger(id, page.after_number(), page.read_limit());
  if (!lines) return failure(std::move(lines.error()));
  const auto next_cursor = page.take_next_cursor(*lines, [](const LedgerLineRow& line) { return line.n; });
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const LedgerLineRow& line : *lines) write_ledger_line(json, line);
  });
  return response;
}

Result<Response> item_answer(Queries& queries, const Exchange& exchange, const std::string& id) {
  Result<std::optional<ItemRow>> item = queries.item(id);
  if (!item) return failure(std::move(item.error()));
  if (!*item) {
    return problem_response({.code = "item_not_found", .detail = "There is no item with this id."},
                            exchange.context());
  }
  Response response;
  JsonWriter json(response.body);
  write_item(json, **item);
  return response;
}

Result<Response> items_answer(Queries& queries, const Owner& owner, const ListPage& page) {
  Result<std::vector<ItemRow>> items = queries.items_of(owner, page.after_id(), page.read_limit());
  if (!items) return failure(std::move(items.error()));
  const auto next_cursor = page.take_next_cursor(*items, [](const ItemRow& item) { return item.facts.id; });
  Response response;
  JsonWriter json(response.body);
  write_page(json, next_cursor, [&] {
    for (const ItemRow& item : *items) write_item(json, item);
  });
  return response;
}

}  // namespace

std::optional<Response> get_wallet(Readers& readers, OwnerKind owner, Exchange& exchange) {
  std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  Query query(exchange.query);
  WalletId wallet{.owner = {.kind = owner, .id = std::move(*id)}, .currency = query.currency()};
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange, [wallet](Queries& queries) { return wallet_answer(queries, wallet); });
}

std::optional<Response> list_ledger(Readers& readers, OwnerKind owner, Exchange& exchange) {
  std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  Query query(exchange.query);
  ListPage page(query);
  WalletId wallet{.owner = {.kind = owner, .id = std::move(*id)}, .currency = query.currency()};
  const std::string list = "ledger?currency=" + wallet.currency + "&owner=" + to_string(wallet.owner);
  if (auto refusal = page.bind_numbers(query, list, exchange)) return refusal;
  return ask(readers, exchange,
             [wallet, page](Queries& queries) { return ledger_answer(queries, wallet, page); });
}

std::optional<Response> get_item(Readers& readers, Exchange& exchange) {
  const std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  if (auto problem = Query(exchange.query).problem()) return problem_response(*problem, exchange.context());
  return ask(readers, exchange,
             [&exchange, id = *id](Queries& queries) { return item_answer(queries, exchange, id); });
}

std::optional<Response> list_player_items(Readers& readers, Exchange& exchange) {
  std::optional<std::string> id = path_id(exchange, 0);
  if (!id) return invalid_path_response(exchange);
  Query query(exchange.query);
  ListPage page(query);
  if (auto refusal = page.bind(query, "items/" + *id, exchange)) return refusal;
  const Owner owner{.kind = OwnerKind::player, .id = std::move(*id)};
  return ask(readers, exchange,
             [owner, page](Queries& queries) { return items_answer(queries, owner, page); });
}

}  // namespace hotrow::http
