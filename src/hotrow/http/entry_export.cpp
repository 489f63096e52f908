#include "hotrow/http/body_pipe.hpp"
#include "hotrow/http/promotion_json.hpp"
#include "hotrow/http/query.hpp"
#include "hotrow/http/questions.hpp"

// All entries of one consistent state, as they come from the store, as fast as the client takes them.
namespace hotrow::http {
namespace {

constexpr std::size_t pipe_bytes_max = 256 * 1024;

enum class Format : std::uint8_t { ndjson, csv };

struct Order {
  std::string promotion;
  Format format = Format::ndjson;
  ExportLimits limits;
  SteadyTime deadline;
};

void append_ndjson(std::string& out, const EntryRow& entry, bool winner) {
  JsonWriter json(out);
  json.begin_object();
  json.key("ordinal").integer(entry.ordinal);
  json.key("user_id").text(entry.user);
  json.key("winner").flag(winner);
  json.key("entered_at").time(entry.entered_at);
  json.key("request_id").text(entry.request_id);
  json.key("api_key").text(entry.actor);
  json.end_object();
  out += '\n';
}

/// RFC 4180: quoted where needed, quotes doubled, CRLF.
void append_csv_field(std::string& out, std::string_view field) {
  if (field.find_first_of("\",\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_csv(std::string& out, const EntryRow& entry, bool winner) {
  append_integer(out, entry.ordinal);
  out += ',';
  append_csv_field(out, entry.user);
  out += winner ? ",true," : ",false,";
  out += format_rfc3339(entry.entered_at);
  out += ',';
  append_csv_field(out, entry.request_id);
  out += ',';
  append_csv_field(out, entry.actor);
  out += "\r\n";
}

std::string lines(std::span<const EntryRow> entries, const Rule& rule, Format format) {
  std::string text;
  for (const EntryRow& entry : entries) {
    const bool winner = is_target(rule, entry.ordinal);
    format == Format::csv ? append_csv(text, entry, winner) : append_ndjson(text, entry, winner);
  }
  return text;
}

/// Fills the pipe from one snapshot; false when it is not whole.
bool fill(Queries& queries, const Order& order, const PromotionRow& promotion, BodyPipe& pipe) {
  if (order.format == Format::csv) {
    const std::string_view head = "ordinal,user_id,winner,entered_at,request_id,api_key\r\n";
    if (!pipe.write(head, order.limits.patience)) return false;
  }
  // Without an entry the rule could still change between that reading and the snapshot.
  if (promotion.entries == 0) return true;
  bool whole = true;
  const auto sink = [&](std::span<const EntryRow> entries) {
    const bool in_time = std::chrono::steady_clock::now() < order.deadline;
    const std::string text = lines(entries, promotion.settings->rule, order.format);
    whole = in_time && pipe.write(text, order.limits.patience);
    return whole;
  };
  const Result<void> done = queries.export_entries(promotion.id, sink);
  return done && whole;
}

/// What goes wrong once it has begun cuts the answer short for everybody to see. `pass` is given back before
/// the end is told: who has it may ask again.
void run(Queries& queries, const Order& order, Exchange& exchange, Turnstile::Pass pass) {
  Result<std::optional<PromotionRow>> row = queries.promotion(order.promotion);
  if (!row || !*row || exchange.request.is_head) pass.reset();
  if (!row) return exchange.answer(failure_response(row.error(), exchange.context()));
  if (!*row) return exchange.answer(promotion_not_found_response(exchange, order.promotion));
  const auto pipe = std::make_shared<BodyPipe>(pipe_bytes_max);
  if (exchange.request.is_head) pipe->finish();
  exchange.answer(Response{.content_type = order.format == Format::csv ? media::csv : media::ndjson,
                           .headers = "Content-Disposition: attachment\r\n",
                           .pipe = pipe});
  // From here on the exchange belongs to its connection.
  if (!pass) return;
  const bool whole = fill(queries, order, **row, *pipe);
  pass.reset();
  whole ? pipe->finish() : pipe->fail();
}

}  // namespace

std::optional<Response> export_entries(Readers& slow_readers, Turnstile& turnstile,
                                       const ExportLimits& limits, Exchange& exchange) {
  const std::optional<std::string> promotion = path_id(exchange, 0);
  if (!promotion) return invalid_path_response(exchange);
  Query query(exchange.query);
  const std::string format = query.text("format").value_or("ndjson");
  if (format != "ndjson" && format != "csv") query.error("format", "must be ndjson or csv");
  if (auto problem = query.problem()) return problem_response(*problem, exchange.context());
  Turnstile::Pass pass = turnstile.enter();
  if (!pass) return busy_response("Another export is running.", exchange.context());
  const Order order{.promotion = *promotion,
                    .format = format == "csv" ? Format::csv : Format::ndjson,
                    .limits = limits,
                    .deadline = exchange.taken_at + limits.time_max};
  const bool taken =
      slow_readers.submit([&exchange, order, pass = std::move(pass)](Queries& queries) mutable {
        run(queries, order, exchange, std::move(pass));
      });
  if (taken) return std::nullopt;
  return busy_response("Too many questions are waiting.", exchange.context());
}

}  // namespace hotrow::http
