#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "hotrow/http/server.hpp"
#include "hotrow/store/memory_store.hpp"

// http_memory_server [port] [io threads]: the HTTP layer over the memory store, for measuring it alone. Stops
// at SIGINT and SIGTERM.
namespace {

int serve(const hotrow::http::ServerOptions& options) {
  const auto store = hotrow::open_memory_store();
  hotrow::Observer observer;
  auto engine = hotrow::Engine::start(*store, {}, observer);
  auto readers = hotrow::Readers::start(*store, {});
  auto slow_readers = hotrow::Readers::start(*store, {});
  if (!engine || !readers || !slow_readers) return 1;
  const hotrow::http::ApiKeys keys;
  hotrow::http::HttpObserver http_observer;
  auto server = hotrow::http::Server::start(options, {.engine = **engine,
                                                      .readers = **readers,
                                                      .slow_readers = **slow_readers,
                                                      .api_keys = keys,
                                                      .observer = http_observer,
                                                      .metrics_text = [] { return std::string(); }});
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().detail.c_str());
    return 1;
  }
  std::printf("http://127.0.0.1:%d\n", (*server)->port());
  std::fflush(stdout);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  int signal = 0;
  sigwait(&signals, &signal);
  (*server)->stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  hotrow::http::ServerOptions options{
      .port = 0, .dev = true, .server_name = "memory", .instance_id = "memory"};
  if (argc > 1) options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  if (argc > 2) options.io_threads = static_cast<std::size_t>(std::atoi(argv[2]));
  return serve(options);
}
