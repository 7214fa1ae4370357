// The system calls that the C library would import. Here each of them returns an error, so that a
// module imports nothing. embd calls them only when an error has occurred.

#include <cstdint>

#define EMBD_WASI(name) extern "C" std::int32_t __imported_wasi_snapshot_preview1_##name

namespace {

constexpr std::int32_t bad_descriptor = 8;
constexpr std::int32_t no_such_call = 52;
using Word = std::int32_t;
using Long = std::int64_t;

}  // namespace

// There is no environment, and no folder is open.
EMBD_WASI(environ_sizes_get)(std::uint32_t* count, std::uint32_t* bytes) {
  *count = 0;
  *bytes = 0;
  return 0;
}
EMBD_WASI(environ_get)(Word, Word) {
  return 0;
}
EMBD_WASI(fd_prestat_get)(Word, Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_prestat_dir_name)(Word, Word, Word) {
  return bad_descriptor;
}

// The time is always the same, because nothing waits.
EMBD_WASI(clock_time_get)(Word, Long, std::uint64_t* time) {
  *time = 0;
  return 0;
}
EMBD_WASI(sched_yield)() {
  return 0;
}
EMBD_WASI(poll_oneoff)(Word, Word, Word, Word) {
  return no_such_call;
}

EMBD_WASI(fd_close)(Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_fdstat_get)(Word, Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_readdir)(Word, Word, Word, Long, Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_seek)(Word, Long, Word, Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_read)(Word, Word, Word, Word) {
  return bad_descriptor;
}
EMBD_WASI(fd_write)(Word, Word, Word, Word) {
  return bad_descriptor;
}
EMBD_WASI(path_create_directory)(Word, Word, Word) {
  return no_such_call;
}
EMBD_WASI(path_filestat_get)(Word, Word, Word, Word, Word) {
  return no_such_call;
}
EMBD_WASI(path_open)(Word, Word, Word, Word, Word, Long, Long, Word, Word) {
  return no_such_call;
}
EMBD_WASI(path_readlink)(Word, Word, Word, Word, Word, Word) {
  return no_such_call;
}
EMBD_WASI(path_remove_directory)(Word, Word, Word) {
  return no_such_call;
}
EMBD_WASI(path_unlink_file)(Word, Word, Word) {
  return no_such_call;
}

extern "C" [[noreturn]] void __imported_wasi_snapshot_preview1_proc_exit(Word) {
  __builtin_trap();
}
/// The name by which the part of the C library that is written in Zig calls the function.
extern "C" std::int32_t fd_close(Word) __asm__("fd_close|wasi_snapshot_preview1");
extern "C" std::int32_t fd_close(Word) {
  return bad_descriptor;
}
