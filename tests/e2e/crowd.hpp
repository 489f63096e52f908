#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/visit.hpp"

namespace hotrow::test {

struct CrowdOptions {
  std::vector<std::uint16_t> ports;  ///< Of the servers. Who gets no answer from one goes to the next.
  std::string promotion;
  std::size_t connections = 64;
  std::size_t visits_max = SIZE_MAX;             ///< The crowd ends by itself after so many.
  std::function<std::string(std::size_t)> user;  ///< Of the i-th visit.
  bool together = false;         ///< All connections are open before the first request is sent.
  double repeat_share = 0.1;     ///< Of those told a place: who press again.
  double leave_share = 0.2;      ///< Of those not told one: who go away instead of trying again.
  double key_share = 0.3;        ///< Of all: who send an idempotency key, the same with each try.
  bool waits_for_start = false;  ///< Who is told promotion_not_started tries again.
  std::chrono::milliseconds patience{20'000};  ///< For one answer.
  std::uint64_t seed = 1;
};

/// People who want to get in, each on a connection of his own: they lose patience, press twice, fail over to
/// the next server, and remember every word they were told. Runs on a thread of its own.
class Crowd {
 public:
  explicit Crowd(CrowdOptions options);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  std::size_t answered() const { return answered_; }
  std::size_t placed() const { return placed_; }
  std::size_t visits_ended() const { return ended_; }
  /// True when the last visit has ended.
  bool done() const { return done_; }

  /// Waits for the last of visits_max visits. Returns all.
  std::vector<Visit> wait_for_all(std::chrono::milliseconds patience = std::chrono::seconds(60));
  /// Nobody new comes; who is there goes on until told a place, or until the patience is over. Returns all.
  std::vector<Visit> finish(std::chrono::milliseconds patience = std::chrono::seconds(30));

 private:
  class Client;
  class Loop;

  void run();

  CrowdOptions options_;
  std::atomic<std::size_t> answered_{0};
  std::atomic<std::size_t> placed_{0};
  std::atomic<std::size_t> ended_{0};
  std::atomic<bool> closing_{false};
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> done_{false};
  std::vector<Visit> visits_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace hotrow::test
