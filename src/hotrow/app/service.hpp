#pragma once

#include <cstdint>
#include <memory>

#include "hotrow/app/settings.hpp"
#include "hotrow/base/result.hpp"

namespace hotrow {

/// The running server, all of it: builds its parts from top to bottom, each on those before it, and stops
/// them from bottom to top. Used by one thread.
class Service {
 public:
  /// Serves when this returns. `settings` have passed check_for_serving(). Errors: transient (the store is
  /// away), fatal (set-up: schema, rights, address in use, a keys file with faults, ...).
  static Result<std::unique_ptr<Service>> start(const Settings& settings);
  ~Service();  ///< stop()s without the drain delay.

  std::uint16_t port() const;

  /// Puts the keys file in force. With a fault in it the old keys stay; logs what happened.
  void reload_keys();

  /// Not ready, wait for the drain delay, take nothing new, answer what was taken, close. Harmless to repeat.
  void stop();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace hotrow
