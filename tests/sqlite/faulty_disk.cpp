#include "tests/sqlite/faulty_disk.hpp"

#include <sqlite3.h>

#include <atomic>

namespace hotrow {
namespace {

std::atomic<FaultyDisk::Fault> fault_now{FaultyDisk::Fault::none};
const sqlite3_io_methods* sound_methods = nullptr;
sqlite3_io_methods faulty_methods;

int write_log(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const int code = sound_methods->xWrite(file, bytes, size, offset);
  return fault_now == FaultyDisk::Fault::write_lies ? SQLITE_FULL : code;
}

int sync_log(sqlite3_file* file, int flags) {
  if (fault_now == FaultyDisk::Fault::sync_fails) return SQLITE_IOERR_FSYNC;
  return sound_methods->xSync(file, flags);
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  auto* sound = static_cast<sqlite3_vfs*>(vfs->pAppData);
  const int code = sound->xOpen(sound, name, file, flags, flags_out);
  if (code != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return code;
  sound_methods = file->pMethods;
  faulty_methods = *sound_methods;
  faulty_methods.xWrite = write_log;
  faulty_methods.xSync = sync_log;
  file->pMethods = &faulty_methods;
  return code;
}

/// As the default of this process, before anything is opened: hotrow's own VFS then stands above it.
[[maybe_unused]] const int registered = [] {
  sqlite3_vfs* sound = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs faulty = *sound;
  faulty.zName = "faulty-disk";
  faulty.pAppData = sound;
  faulty.xOpen = open_file;
  return sqlite3_vfs_register(&faulty, 1);
}();

}  // namespace

FaultyDisk::FaultyDisk(Fault fault) { fault_now = fault; }

FaultyDisk::~FaultyDisk() { fault_now = Fault::none; }

}  // namespace hotrow
