#include "tests/e2e/crowd.hpp"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <stdexcept>

#include "tests/support/process.hpp"

namespace hotrow::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pause_after_trouble{20};
constexpr int turn_ms = 10;

void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool is_connected(int socket) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

std::string entry_request(const std::string& promotion, const Visit& visit) {
  const boost::json::value body{{"user_id", visit.user}};
  ProbeHeaders headers;
  if (!visit.key.empty()) headers.emplace_back("Idempotency-Key", visit.key);
  return request_text("POST", "/v1/promotions/" + promotion + "/entries", boost::json::serialize(body),
                      headers);
}

}  // namespace

/// One person and his connection.
class Crowd::Client {
 public:
  enum class State : std::uint8_t { away, connecting, waiting_for_others, asking };

  State state = State::away;
  int socket = -1;
  std::size_t server = 0;
  Clock::time_point due{};  ///< When away: of the next try. When asking: of losing patience.
  bool present = false;     ///< Has a visit.
  Visit visit;
  std::string received;

  void disconnect() {
    if (socket >= 0) close(socket);
    socket = -1;
    received.clear();
    state = State::away;
  }
};

class Crowd::Loop {
 public:
  explicit Loop(Crowd& crowd) : crowd_(crowd), options_(crowd.options_), random_(crowd.options_.seed) {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    clients_.resize(options_.connections);
    for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i].server = i % options_.ports.size();
  }
  ~Loop() {
    for (Client& client : clients_) client.disconnect();
    close(epoll_);
  }

  void run() {
    bool somebody = true;
    while (somebody && !crowd_.abandoned_) {
      somebody = false;
      const auto now = Clock::now();
      for (Client& client : clients_) somebody |= tend(client, now);
      open_the_door();
      take_events();
    }
    for (Client& client : clients_) {
      if (!client.present) continue;
      if (client.state == Client::State::asking) hear(client, {.tidings = Tidings::lost});
      leave(client);
    }
  }

 private:
  /// What is due without an event. False when this place in the crowd stays empty.
  bool tend(Client& client, Clock::time_point now) {
    if (!client.present && !arrive(client)) return false;
    if (client.state == Client::State::asking && now >= client.due) lose(client);
    if (client.state == Client::State::away && now >= client.due) begin(client);
    return true;
  }

  bool arrive(Client& client) {
    if (crowd_.closing_ || begun_ >= options_.visits_max) return false;
    client.visit = {.user = options_.user(begun_), .key = {}, .told = {}};
    if (chance(options_.key_share)) client.visit.key = options_.promotion + "-" + std::to_string(begun_);
    ++begun_;
    client.present = true;
    return true;
  }

  void begin(Client& client) {
    if (client.socket >= 0) return ask(client);
    client.socket = connect_to(options_.ports[client.server]);
    if (client.socket < 0) return trouble(client, {.tidings = Tidings::unreached});
    client.state = Client::State::connecting;
    client.due = Clock::now() + options_.patience;
    epoll_event wanted{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.ptr = &client}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &wanted);
  }

  /// Of a crowd that comes together: the first requests go out when all connections are open.
  void open_the_door() {
    if (!options_.together || waiting_ < std::min(clients_.size(), options_.visits_max)) return;
    waiting_ = 0;
    opened_ = true;
    for (Client& client : clients_) {
      if (client.state == Client::State::waiting_for_others) ask(client);
    }
  }

  void ask(Client& client) {
    const std::string request = entry_request(options_.promotion, client.visit);
    client.state = Client::State::asking;
    client.due = Clock::now() + options_.patience;
    const ssize_t sent = send(client.socket, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(request.size())) lose(client);
  }

  void take_events() {
    std::array<epoll_event, 512> events;
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), turn_ms);
    for (int i = 0; i < ready; ++i) {
      Client& client = *static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (client.state == Client::State::connecting) connected(client);
      if (client.state == Client::State::asking) read(client);
    }
  }

  void connected(Client& client) {
    if (!is_connected(client.socket)) return trouble(client, {.tidings = Tidings::unreached});
    if (options_.together && !opened_) {
      client.state = Client::State::waiting_for_others;
      ++waiting_;
      return;
    }
    ask(client);
  }

  void read(Client& client) {
    std::array<char, 16 * 1024> buffer;
    ssize_t got = recv(client.socket, buffer.data(), buffer.size(), 0);
    for (; got > 0; got = recv(client.socket, buffer.data(), buffer.size(), 0)) {
      client.received.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const bool ended = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    if (const std::optional<ProbeAnswer> answer = take_answer(client.received)) {
      if (ended || answer->closes()) client.disconnect();
      return answered(client, read_told(*answer));
    }
    if (ended) lose(client);
  }

  void answered(Client& client, const Told& told) {
    ++crowd_.answered_;
    client.state = Client::State::away;
    if (told.tidings == Tidings::placed) {
      hear(client, told);
      ++crowd_.placed_;
      client.due = Clock::now();
      if (!chance(options_.repeat_share) || crowd_.closing_) leave(client);
      return;
    }
    if (told.tidings == Tidings::refused && !is_worth_another_try(told)) {
      hear(client, told);
      return leave(client);
    }
    trouble(client, told);
  }

  bool is_worth_another_try(const Told& told) const {
    return options_.waits_for_start && told.code == "promotion_not_started";
  }

  void lose(Client& client) {
    client.disconnect();
    trouble(client, {.tidings = Tidings::lost});
  }

  /// Not told a place: away for good, or again in a moment, at the next server.
  void trouble(Client& client, const Told& told) {
    hear(client, told);
    if (told.tidings == Tidings::unreached) client.disconnect();
    const bool patient = is_worth_another_try(told) || told.tidings == Tidings::unreached;
    const bool hopeless = crowd_.closing_ && told.tidings == Tidings::unreached;
    if (hopeless || (!patient && chance(options_.leave_share))) return leave(client);
    if (told.tidings != Tidings::refused) {
      client.disconnect();
      client.server = (client.server + 1) % options_.ports.size();
    }
    client.due = Clock::now() + pause_after_trouble;
  }

  /// The words of an answer matter when they must come again, or are wrong.
  static void hear(Client& client, const Told& told) {
    std::vector<Told>& all = client.visit.told;
    const bool again = !all.empty() && all.back().tidings == Tidings::unreached;
    if (again && told.tidings == Tidings::unreached) return;
    all.push_back(told);
    if (client.visit.key.empty() && told.tidings != Tidings::fault) all.back().body.clear();
  }

  void leave(Client& client) {
    crowd_.visits_.push_back(std::move(client.visit));
    client.present = false;
    client.due = {};
    ++crowd_.ended_;
  }

  bool chance(double share) { return std::bernoulli_distribution(share)(random_); }

  Crowd& crowd_;
  const CrowdOptions& options_;
  std::mt19937_64 random_;
  int epoll_ = -1;
  std::vector<Client> clients_;
  std::size_t begun_ = 0;
  std::size_t waiting_ = 0;
  bool opened_ = false;
};

Crowd::Crowd(CrowdOptions options) : options_(std::move(options)) {
  allow_many_files();
  if (!options_.user) {
    options_.user = [seed = options_.seed](std::size_t i) {
      return "u" + std::to_string(seed) + "-" + std::to_string(i);
    };
  }
  thread_ = std::jthread([this] { run(); });
}

Crowd::~Crowd() {
  abandoned_ = true;
  if (thread_.joinable()) thread_.join();
}

void Crowd::run() {
  try {
    Loop(*this).run();
  } catch (...) {
    failure_ = std::current_exception();
  }
  done_ = true;
}

std::vector<Visit> Crowd::finish(std::chrono::milliseconds patience) {
  closing_ = true;
  return wait_for_all(patience);
}

std::vector<Visit> Crowd::wait_for_all(std::chrono::milliseconds patience) {
  eventually([this] { return done_.load(); }, patience);
  abandoned_ = true;
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  return std::move(visits_);
}

}  // namespace hotrow::test
