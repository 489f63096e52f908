#include "hotrow/sqlite/sqlite_log_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace hotrow::sqlite {
namespace {

/// SQLite's unix VFS writes at most 0x1ffff bytes at once and mistakes a multiple of that mask plus one for
/// a full disk.
constexpr std::size_t gathered_bytes_max = 0x1ffff;

/// A log file: what SQLite sees. The default VFS's own file follows it in memory.
struct LogFile {
  sqlite3_file base;
  char* gathered;  ///< Room for gathered_bytes_max.
  std::size_t size;
  sqlite3_int64 offset;  ///< Where in the file the gathered bytes belong.
};

constexpr std::size_t real_file_offset = (sizeof(LogFile) + 15) / 16 * 16;

LogFile& log_of(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file); }

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + real_file_offset);
}

/// Whether all that was gathered stands in the file, or could: then nobody knows what a crash brings back.
bool may_be_whole(sqlite3_file* file) {
  const LogFile& log = log_of(file);
  const sqlite3_io_methods& methods = *real(file)->pMethods;
  sqlite3_int64 file_size = 0;
  if (methods.xFileSize(real(file), &file_size) != SQLITE_OK) return true;
  if (file_size < log.offset + sqlite3_int64(log.size)) return false;
  std::array<char, 4096> part{};
  for (std::size_t at = 0; at < log.size; at += part.size()) {
    const std::size_t size = std::min(part.size(), log.size - at);
    if (methods.xRead(real(file), part.data(), int(size), log.offset + sqlite3_int64(at)) != SQLITE_OK) {
      return true;
    }
    if (std::memcmp(part.data(), log.gathered + at, size) != 0) return false;
  }
  return true;
}

bool is_failed_write(int code) { return code == SQLITE_FULL || code == SQLITE_IOERR_WRITE; }

int write_out(sqlite3_file* file) {
  LogFile& log = log_of(file);
  if (log.size == 0) return SQLITE_OK;
  int code = real(file)->pMethods->xWrite(real(file), log.gathered, int(log.size), log.offset);
  if (is_failed_write(code) && may_be_whole(file)) code = SQLITE_IOERR_FSYNC;
  log.size = 0;
  return code;
}

int close_log(sqlite3_file* file) {
  const int written = write_out(file);
  delete[] log_of(file).gathered;
  const int closed = real(file)->pMethods->xClose(real(file));
  return written != SQLITE_OK ? written : closed;
}

int read_log(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  if (const int code = write_out(file); code != SQLITE_OK) return code;
  return real(file)->pMethods->xRead(real(file), bytes, size, offset);
}

int write_log(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  LogFile& log = log_of(file);
  const std::size_t count = std::size_t(size);
  const bool follows = log.size > 0 && offset == log.offset + sqlite3_int64(log.size);
  if (!follows || log.size + count > gathered_bytes_max) {
    if (const int code = write_out(file); code != SQLITE_OK) return code;
    if (count > gathered_bytes_max) return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
    log.offset = offset;
  }
  std::memcpy(log.gathered + log.size, bytes, count);
  log.size += count;
  return SQLITE_OK;
}

int truncate_log(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = write_out(file); code != SQLITE_OK) return code;
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync_log(sqlite3_file* file, int flags) {
  if (const int code = write_out(file); code != SQLITE_OK) return code;
  return real(file)->pMethods->xSync(real(file), flags);
}

int measure_log(sqlite3_file* file, sqlite3_int64* size) {
  if (const int code = write_out(file); code != SQLITE_OK) return code;
  return real(file)->pMethods->xFileSize(real(file), size);
}

int lock_log(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock_log(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_reserved_lock(sqlite3_file* file, int* result) {
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
int control_log(sqlite3_file* file, int operation, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

constexpr sqlite3_io_methods log_methods = {
    .iVersion = 1,  // A log is neither locked, mapped nor shared by itself: that is the database file's part.
    .xClose = close_log,
    .xRead = read_log,
    .xWrite = write_log,
    .xTruncate = truncate_log,
    .xSync = sync_log,
    .xFileSize = measure_log,
    .xLock = lock_log,
    .xUnlock = unlock_log,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_log,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
};

sqlite3_vfs* default_vfs(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* below = default_vfs(vfs);
  if ((flags & SQLITE_OPEN_WAL) == 0) return below->xOpen(below, name, file, flags, flags_out);
  file->pMethods = nullptr;
  char* gathered = new (std::nothrow) char[gathered_bytes_max];
  if (gathered == nullptr) return SQLITE_NOMEM;
  const int code = below->xOpen(below, name, real(file), flags, flags_out);
  if (code != SQLITE_OK) {
    delete[] gathered;
    return code;
  }
  log_of(file) = {.base = {.pMethods = &log_methods}, .gathered = gathered, .size = 0, .offset = 0};
  return SQLITE_OK;
}

const char* register_vfs() {
  sqlite3_vfs* below = sqlite3_vfs_find(nullptr);
  if (below == nullptr) return nullptr;
  static sqlite3_vfs vfs =
      *below;  // Everything that is not about a log is done by the default VFS's functions.
  vfs.szOsFile = int(real_file_offset) + below->szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = "hotrow-log";
  vfs.pAppData = below;
  vfs.xOpen = open_file;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace

const char* log_gathering_vfs() {
  static const char* const name = register_vfs();
  return name;
}

}  // namespace hotrow::sqlite
