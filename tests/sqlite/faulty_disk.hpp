#pragma once

#include <cstdint>

namespace hotrow {

/// While it lives, writing the write-ahead log of any database in this process fails, below everything that
/// hotrow does. One at a time.
class FaultyDisk {
 public:
  enum class Fault : std::uint8_t {
    none,
    sync_fails,  ///< What was written may or may not be on the disk.
    write_lies,  ///< Everything is written and the disk is said to be full.
  };

  explicit FaultyDisk(Fault fault);
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
};

}  // namespace hotrow
