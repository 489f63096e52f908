#include "tests/e2e/table.hpp"

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "tests/e2e/postgres.hpp"

namespace hotrow::test {
namespace {

using SqliteFile = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

constexpr std::string_view sqlite_scheme = "sqlite:";
constexpr std::size_t shown_max = 10;

/// Everything that one person was told, over all visits.
struct Person {
  const Told* place = nullptr;
  int fresh = 0;
  bool maybe_done = false;
};

SqliteFile open_sqlite(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  SqliteFile file(raw, sqlite3_close);
  if (result != SQLITE_OK) throw std::runtime_error("cannot open " + path);
  sqlite3_busy_timeout(file.get(), 10'000);
  return file;
}

void each_row(sqlite3* file, const char* sql, const std::string& promotion,
              const std::function<void(sqlite3_stmt*)>& use) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(file, sql, -1, &raw, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(file));
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
  sqlite3_bind_text(raw, 1, promotion.data(), static_cast<int>(promotion.size()), SQLITE_STATIC);
  int step = sqlite3_step(raw);
  for (; step == SQLITE_ROW; step = sqlite3_step(raw)) use(raw);
  if (step != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(file));
}

std::string text_at(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

std::string place(std::int64_t ordinal) { return "place " + std::to_string(ordinal); }

void check_rows(const Table& table, std::vector<std::string>& out) {
  std::unordered_set<std::string_view> users;
  std::int64_t due = 0;
  for (const TableEntry& entry : table.entries) {
    if (entry.ordinal != ++due) {
      out.push_back("the table has " + place(entry.ordinal) + " where " + place(due) + " is due");
      due = entry.ordinal;
    }
    if (!users.insert(entry.user).second) out.push_back("the table has " + entry.user + " twice");
  }
  if (table.counter != due) {
    out.push_back("the promotion counts " + std::to_string(table.counter) + ", the table ends at " +
                  place(due));
  }
  for (const auto& [ordinal, user] : table.winners) {
    const auto index = static_cast<std::size_t>(ordinal - 1);
    if (index >= table.entries.size() || table.entries[index].user != user) {
      out.push_back("the winner of " + place(ordinal) + ", " + user + ", is not who has it");
    }
  }
}

void check_place(const std::string& user, const Told& told, const Table& table,
                 std::vector<std::string>& out) {
  const auto index = static_cast<std::size_t>(told.ordinal - 1);
  if (told.ordinal < 1 || index >= table.entries.size()) {
    out.push_back(user + " was told " + place(told.ordinal) + ", which is not in the table");
    return;
  }
  const TableEntry& entry = table.entries[index];
  if (entry.user != user) {
    out.push_back(user + " was told " + place(told.ordinal) + ", where the table has " + entry.user);
  }
  if (parse_rfc3339(told.entered_at) != entry.entered_at) {
    out.push_back(user + " was told " + told.entered_at + ", the table has " +
                  format_rfc3339(entry.entered_at));
  }
  if (told.winner != table.winners.contains(told.ordinal)) {
    out.push_back(user + " at " + place(told.ordinal) +
                  (told.winner ? " was told to have won" : " was not told to have won"));
  }
}

void hear(const std::string& user, const Told& told, const Table& table, Person& person,
          std::vector<std::string>& out) {
  if (told.tidings == Tidings::fault) {
    out.push_back(user + " was answered " + std::to_string(told.status) + " " + told.body);
  }
  const bool placed = told.tidings == Tidings::placed;
  person.maybe_done |= placed || told.tidings == Tidings::unknown || told.tidings == Tidings::lost;
  if (!placed) return;
  check_place(user, told, table, out);
  if (person.place == nullptr) person.place = &told;
  if (person.place->ordinal != told.ordinal || person.place->entered_at != told.entered_at) {
    out.push_back(user + " was told " + place(person.place->ordinal) + " and " + place(told.ordinal));
  }
  if (!told.already && !told.replayed && ++person.fresh == 2)
    out.push_back(user + " was told twice that the entry is new");
}

Table read_sqlite_table(const std::string& path, const std::string& promotion) {
  const SqliteFile file = open_sqlite(path, SQLITE_OPEN_READONLY);
  Table table;
  each_row(file.get(), "SELECT entries FROM promotion WHERE id = ?1", promotion,
           [&](sqlite3_stmt* row) { table.counter = sqlite3_column_int64(row, 0); });
  each_row(file.get(), "SELECT ordinal, user_id, entered_at FROM entry WHERE promotion = ?1 ORDER BY ordinal",
           promotion, [&](sqlite3_stmt* row) {
             table.entries.push_back(
                 {sqlite3_column_int64(row, 0), text_at(row, 1), Timestamp{sqlite3_column_int64(row, 2)}});
           });
  each_row(file.get(), "SELECT ordinal, user_id FROM winner WHERE promotion = ?1", promotion,
           [&](sqlite3_stmt* row) { table.winners[sqlite3_column_int64(row, 0)] = text_at(row, 1); });
  return table;
}

Table read_postgres_table(const std::string& url, const std::string& promotion) {
  PostgresSession session(url);
  Table table;
  const std::string of = " WHERE promotion = " + session.quoted(promotion);
  for (const SqlRow& row :
       session.query("SELECT entries FROM hotrow.promotion WHERE id = " + session.quoted(promotion))) {
    table.counter = std::stoll(row[0]);
  }
  for (const SqlRow& row :
       session.query("SELECT ordinal, user_id, entered_at FROM hotrow.entry" + of + " ORDER BY ordinal")) {
    table.entries.push_back({std::stoll(row[0]), row[1], Timestamp{std::stoll(row[2])}});
  }
  for (const SqlRow& row : session.query("SELECT ordinal, user_id FROM hotrow.winner" + of)) {
    table.winners[std::stoll(row[0])] = row[1];
  }
  return table;
}

std::vector<SqlRow> query_schema(const std::string& url, const std::string& sql) {
  PostgresSession session(url);
  session.query("SET search_path TO hotrow, public");
  return session.query(sql);
}

/// Who used a key has one stored answer.
void check_replays(const Visit& visit, std::vector<std::string>& out) {
  const Told* first = nullptr;
  bool maybe_done = false;
  for (const Told& told : visit.told) {
    const bool placed = told.tidings == Tidings::placed;
    if (placed && first != nullptr && (told.body != first->body || !told.replayed)) {
      out.push_back(visit.user + " was answered under one key " + first->body + " and " + told.body);
    }
    if (placed && first == nullptr && told.replayed && !maybe_done) {
      out.push_back(visit.user + " was told a stored answer at once");
    }
    if (placed && first == nullptr) first = &told;
    maybe_done |= told.tidings == Tidings::unknown || told.tidings == Tidings::lost;
  }
}

}  // namespace

Table read_table(const std::string& database, const std::string& promotion) {
  if (!database.starts_with(sqlite_scheme)) return read_postgres_table(database, promotion);
  return read_sqlite_table(database.substr(sqlite_scheme.size()), promotion);
}

void run_sql(const std::string& database, const std::string& sql) {
  if (!database.starts_with(sqlite_scheme)) {
    query_schema(database, sql);
    return;
  }
  const SqliteFile file = open_sqlite(database.substr(sqlite_scheme.size()), SQLITE_OPEN_READWRITE);
  if (sqlite3_exec(file.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(file.get()));
  }
}

std::int64_t read_number(const std::string& database, const std::string& sql) {
  if (!database.starts_with(sqlite_scheme)) {
    return std::stoll(query_schema(database, sql).at(0).at(0));
  }
  const SqliteFile file = open_sqlite(database.substr(sqlite_scheme.size()), SQLITE_OPEN_READONLY);
  std::int64_t number = 0;
  each_row(file.get(), sql.c_str(), "", [&](sqlite3_stmt* row) { number = sqlite3_column_int64(row, 0); });
  return number;
}

std::vector<std::string> contradictions(const std::vector<Visit>& visits, const Table& table) {
  std::vector<std::string> found;
  check_rows(table, found);
  std::unordered_map<std::string_view, Person> people;
  for (const Visit& visit : visits) {
    Person& person = people[visit.user];
    for (const Told& told : visit.told) hear(visit.user, told, table, person, found);
    if (!visit.key.empty()) check_replays(visit, found);
  }
  for (const TableEntry& entry : table.entries) {
    const auto person = people.find(entry.user);
    if (person == people.end()) {
      found.push_back(entry.user + " has " + place(entry.ordinal) + " and was never there");
    } else if (!person->second.maybe_done) {
      found.push_back(entry.user + " has " + place(entry.ordinal) + " and was told that nothing was done");
    }
  }
  return found;
}

std::string shown(const std::vector<std::string>& contradictions) {
  std::string text = std::to_string(contradictions.size()) + " contradictions";
  for (std::size_t i = 0; i < std::min(contradictions.size(), shown_max); ++i) {
    text += "\n  " + contradictions[i];
  }
  return text;
}

}  // namespace hotrow::test
