#pragma once

#include <atomic>
#include <string>

#include "hotrow/engine/observer.hpp"

namespace hotrow {

/// Whether the store takes writes: reads still succeed when a disk is full. Stands between the engine and its
/// observer. Safe from all threads.
class WriteHealth final : public Observer {
 public:
  /// `next` is told everything and outlives this.
  explicit WriteHealth(Observer& next);

  /// False from a failed write on until the next that succeeds.
  bool good() const { return good_; }

  /// Tries a write when the last one has failed: nobody may be sent here any more whose own could tell.
  void probe(Store& store);

  void batch_answered(const BatchReport& report) override;
  void command_answered(std::string_view kind, std::string_view result) override;
  void attempt_failed(const Error& error) override;
  void commit_in_doubt(const AttemptId& id, const Result<CommitFate>& fate) override;
  void queue_changed(std::size_t lane, std::size_t waiting) override;

 private:
  Observer& next_;
  std::atomic<bool> good_ = true;
  std::string server_;       ///< For the ids of attempts that nobody makes.
  std::int64_t probes_ = 0;  ///< Of the one thread that probes.
};

}  // namespace hotrow
