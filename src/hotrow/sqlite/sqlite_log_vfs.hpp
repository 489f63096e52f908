#pragma once

namespace hotrow::sqlite {

/// The name of a VFS that gathers writes to the write-ahead log.
///
/// SQLite writes each page of a transaction into the log with two system calls, one for the frame's header
/// and one for the page: some 3,000 for a batch of 1,000 entries, a quarter of the whole work. They follow
/// each other without a gap, so this VFS keeps them in memory and hands them on in one piece.
///
/// It changes nothing about durability: what was gathered is written out before the log is synced, read,
/// measured or cut, and an error of that write is the error of the sync. Others learn of a transaction from
/// the shared index of the log, which SQLite updates only after the sync (synchronous=FULL). Every other
/// file, and everything else about the log, is the default VFS's.
///
/// A write that fails (SQLITE_FULL, SQLITE_IOERR_WRITE) has left the log without a part of the transaction,
/// seen by reading it again. Each frame's checksum covers all frames before it, so what there is of the
/// transaction is no commit, after a crash neither; the next one is written over it. Where that is not
/// certain the error is SQLITE_IOERR_FSYNC, as after a sync that failed.
///
/// Registers the VFS at the first call. Safe from all threads; nullptr when SQLite has no default VFS.
const char* log_gathering_vfs();

}  // namespace hotrow::sqlite
