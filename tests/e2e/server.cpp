#include "tests/e2e/server.hpp"

#include <boost/json/parse.hpp>
#include <sstream>
#include <stdexcept>

namespace hotrow::test {
namespace {

namespace json = boost::json;

/// Long ago enough for every promotion to be open.
constexpr std::string_view opened = R"("starts_at":"2020-01-01T00:00:00Z")";

}  // namespace

std::string hotrow_program() { return HOTROW_PROGRAM; }

void Server::launch() {
  std::vector<std::string> argv = {hotrow_program(),
                                   "serve",
                                   "--dev",
                                   "--listen",
                                   "127.0.0.1:" + std::to_string(port_),
                                   "--database",
                                   options_.database,
                                   "--server-name",
                                   options_.name};
  argv.insert(argv.end(), options_.flags.begin(), options_.flags.end());
  if (port_ == 0) std::remove(log_file().c_str());
  process_ = std::make_unique<Process>(argv, ProcessOptions{.out_file = log_file(), .err_file = log_file()});
}

void Server::wait_until_ready(std::chrono::milliseconds deadline) {
  const bool came = eventually([this] { return ready() || !process_->running(); }, deadline);
  if (!came || !process_->running()) throw std::runtime_error(options_.name + " is not ready:\n" + log());
}

bool Server::ready() {
  if (port_ == 0) port_ = logged_port();
  if (port_ == 0) return false;
  const auto answer = HttpProbe(port_).send("GET", "/readyz", "", {}, std::chrono::seconds(5));
  return answer && answer->status == 200;
}

std::uint16_t Server::logged_port() const {
  std::istringstream lines(log());
  for (std::string line; std::getline(lines, line);) {
    json::error_code error;
    const json::value parsed = json::parse(line, error);
    if (error || !parsed.is_object()) continue;
    const json::value* port = parsed.get_object().if_contains("port");
    if (port != nullptr && port->is_int64()) return static_cast<std::uint16_t>(port->get_int64());
  }
  return 0;
}

Finished verify(const std::string& database) {
  return run_program({hotrow_program(), "verify", "--database", database}, std::chrono::seconds(60));
}

void put_promotion(std::uint16_t port, const std::string& id, const std::string& members) {
  const auto answer = HttpProbe(port).send("PUT", "/v1/promotions/" + id, "{" + members + "}");
  if (answer && answer->status < 300) return;
  throw std::runtime_error("creating " + id + ": " + (answer ? answer->body : "no answer"));
}

void create_promotion(std::uint16_t port, const std::string& id, std::int64_t target,
                      const std::string& more) {
  const std::string start = more.find("starts_at") == std::string::npos ? "," + std::string(opened) : "";
  put_promotion(
      port, id,
      R"("title":"e2e","rule":{"kind":"nth","targets":[)" + std::to_string(target) + "]}" + start + more);
}

}  // namespace hotrow::test
