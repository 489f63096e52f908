#include "hotrow/app/service.hpp"

#include <thread>

#include "hotrow/app/config.hpp"
#include "hotrow/app/database.hpp"
#include "hotrow/app/due_worker.hpp"
#include "hotrow/app/http_telemetry.hpp"
#include "hotrow/app/sample_data.hpp"
#include "hotrow/app/version.hpp"
#include "hotrow/app/write_health.hpp"
#include "hotrow/http/server.hpp"
#include "hotrow/telemetry/log.hpp"

namespace hotrow {
namespace {

/// Exports and audits, each as slow as whoever listens.
constexpr std::size_t slow_reader_threads = 2;

EngineOptions engine_options(const Settings& settings) {
  return {
      .lanes = static_cast<std::size_t>(settings.lanes),
      .isolation = settings.isolation == "serializable" ? Isolation::serializable : Isolation::read_committed,
      .queue_weight_max = static_cast<std::size_t>(settings.queue_max),
      .batch_weight_max = static_cast<std::size_t>(settings.batch_weight_max),
      .gather_window = std::chrono::milliseconds(settings.bid_window_ms)};
}

http::ServerOptions server_options(const Settings& settings, const StoreFacts& facts) {
  const ListenAddress listen = *parse_listen(settings.listen);
  return {.address = listen.host,
          .port = listen.port,
          .io_threads = static_cast<std::size_t>(settings.io_threads),
          .limits = {.connections_max = static_cast<std::size_t>(settings.connections_max),
                     .idle_timeout = settings.idle_timeout,
                     .read_timeout = settings.read_timeout},
          .command_deadline = settings.request_timeout,
          .dev = settings.dev && settings.api_keys_file.empty(),
          .server_name = server_name(settings),
          .instance_id = facts.instance_id,
          .version = std::string(program_version()),
          .rates = listing_rates(settings)};
}

tl::unexpected<Error> keys_failure(const std::vector<http::ApiKeyFault>& faults) {
  std::string all;
  for (const http::ApiKeyFault& fault : faults) {
    all += (all.empty() ? "" : "; ") +
           std::string(fault.line == 0 ? "" : "line " + std::to_string(fault.line) + ": ") + fault.message;
  }
  return failure(ErrorKind::fatal, "api_keys", "api-keys-file: " + all);
}

/// PostgreSQL's schema is changed only when asked to, or refused with what to do.
Result<void> bring_up_to_date(const Database& database, const Settings& settings) {
  if (database.migrates_itself()) return {};
  if (settings.migrate) {
    if (const auto version = database.migrate(); !version) return failure(version.error());
    return {};
  }
  const Result<SchemaStatus> status = database.schema_status();
  if (!status) return failure(status.error());
  if (status->pending.empty()) return {};
  return failure(ErrorKind::fatal, "schema_behind",
                 "migrations are pending: " + std::to_string(status->pending.size()) +
                     "; run `hotrow migrate up` with the same --database, or serve "
                     "with --migrate");
}

}  // namespace

/// In the order in which they are built; destroyed, and so stopped, the other way round.
struct Service::Parts {
  explicit Parts(const Settings& the_settings) : settings(the_settings) {}

  Settings settings;
  Metrics metrics{program_version()};
  WriteHealth write_health{metrics};
  HttpTelemetry http_telemetry{metrics};
  http::ApiKeys api_keys;
  std::unique_ptr<Store> store;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Readers> readers;
  std::unique_ptr<Readers> slow_readers;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<DueWorker> due_worker;

  Result<void> build();
  Result<void> open_store();
  Result<void> start_engine();
  Result<void> start_server();
};

Result<void> Service::Parts::build() {
  if (!settings.api_keys_file.empty()) {
    if (const auto faults = api_keys.load(settings.api_keys_file); !faults.empty())
      return keys_failure(faults);
  }
  return open_store().and_then([this] { return start_engine(); }).and_then([this] { return start_server(); });
}

Result<void> Service::Parts::open_store() {
  const auto database = find_database(settings);
  if (!database) return failure(ErrorKind::fatal, "database", database.error().front());
  if (const auto current = bring_up_to_date(**database, settings); !current) return current;
  auto opened = (*database)->open();
  if (!opened) return failure(opened.error());
  store = std::move(*opened);
  return {};
}

Result<void> Service::Parts::start_engine() {
  auto started_engine = Engine::start(*store, engine_options(settings), write_health);
  if (!started_engine) return failure(started_engine.error());
  engine = std::move(*started_engine);

  auto started = Readers::start(*store, {.threads = static_cast<std::size_t>(settings.readers)});
  if (!started) return failure(started.error());
  readers = std::move(*started);
  auto started_slow = Readers::start(*store, {.threads = slow_reader_threads});
  if (!started_slow) return failure(started_slow.error());
  slow_readers = std::move(*started_slow);
  return {};
}

Result<void> Service::Parts::start_server() {
  const auto queries = store->open_queries();
  if (!queries) return failure(queries.error());
  const Result<StoreFacts> facts = (*queries)->facts();
  if (!facts) return failure(facts.error());
  const std::string name = server_name(settings);
  if (settings.sample_data) {
    const SampleDataOptions options{.server = name, .rates = listing_rates(settings)};
    if (const auto created = create_sample_data(*engine, **queries, options); !created) return created;
  }

  const http::ServerParts parts{.engine = *engine,
                                .readers = *readers,
                                .slow_readers = *slow_readers,
                                .api_keys = api_keys,
                                .observer = http_telemetry,
                                .metrics_text = [this] { return metrics.text(); },
                                .ready = [this] { return write_health.good(); }};
  auto started = http::Server::start(server_options(settings, *facts), parts);
  if (!started) return failure(started.error());
  server = std::move(*started);
  due_worker =
      std::make_unique<DueWorker>(DueWorker::Parts{.engine = *engine,
                                                   .readers = *readers,
                                                   .store = *store,
                                                   .metrics = metrics,
                                                   .write_health = write_health},
                                  DueWorker::Options{.server = name, .answers_kept = answers_kept(settings)});
  return {};
}

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(const Settings& settings) {
  auto parts = std::make_unique<Parts>(settings);
  if (const Result<void> built = parts->build(); !built) return failure(built.error());
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

std::uint16_t Service::port() const { return parts_->server->port(); }

void Service::reload_keys() {
  const std::string& path = parts_->settings.api_keys_file;
  if (path.empty()) return log(LogLevel::info, "no keys file to read again");
  const auto faults = parts_->api_keys.load(path);
  if (!faults.empty()) {
    return log(LogLevel::error, "keys not changed", {{"fault", keys_failure(faults).value().detail}});
  }
  log(LogLevel::info, "keys read again", {{"keys", static_cast<std::int64_t>(parts_->api_keys.size())}});
}

void Service::stop() {
  parts_->server->begin_drain();
  std::this_thread::sleep_for(parts_->settings.drain_delay);
  parts_->server->stop();
  parts_->due_worker->stop();
  parts_->engine->drain();
  parts_->slow_readers->drain();
  parts_->readers->drain();
}

}  // namespace hotrow
