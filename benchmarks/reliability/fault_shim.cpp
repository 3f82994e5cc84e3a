// A library to preload (LD_PRELOAD) that makes system calls fail, or slow, on files below one folder.
//
//   TW_FAULT_UNDER=/folder      only calls that concern files below this folder (and private copies of libraries)
//   TW_FAULT_DELAY_US=3000      each of them takes up to so long, as over a network
//
// A program finds tw_fault_arm and tw_fault_counts in it and decides which call fails (see benchmarks/reliability/faults.py).
#include <cerrno>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

enum Kind { OPEN, READ, WRITE, SHORT, FSYNC, RENAME, UNLINK, MKDIR, MMAP, DLOPEN, FLOCK, CHMOD, MEMFD, KINDS };

static char under[4096];
static size_t under_bytes;
static long delay_us;
static std::atomic<long> counts[KINDS];
static std::atomic<int> armed_kind{-1}, armed_error{0}, armed_sticky{0};
static std::atomic<long> armed_at{0}, hits{0};

__attribute__((constructor)) static void begin() {
  const char* folder = getenv("TW_FAULT_UNDER");
  if (folder) snprintf(under, sizeof under, "%s", folder);
  under_bytes = strlen(under);
  if (const char* text = getenv("TW_FAULT_DELAY_US")) delay_us = atol(text);
  unsetenv("LD_PRELOAD");  // compilers that are started run undisturbed
}

// Where files are looked at, and which call fails: the n-th of a kind (from 1 on), or all from there on.
EXPORTED void tw_fault_arm(const char* folder, int kind, long at, int error, int sticky) {
  snprintf(under, sizeof under, "%s", folder);
  under_bytes = strlen(under);
  for (auto& count : counts) count = 0;
  hits = 0;
  armed_at = at;
  armed_error = error;
  armed_sticky = sticky;
  armed_kind = kind;
}
EXPORTED void tw_fault_counts(long* out) {
  for (int i = 0; i < KINDS; ++i) out[i] = counts[i];
}
EXPORTED long tw_fault_hits(void) { return hits; }

template <class F> static F real(F, const char* name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }
#define REAL(name) static auto next = real(&name, #name)

static bool below(const char* path) {
  return under_bytes && path && strncmp(path, under, under_bytes) == 0;
}
static bool below(int descriptor) {
  if (!under_bytes || descriptor < 0) return false;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = 0;
  return below(path) || strncmp(path, "/memfd:tilewright", 17) == 0;
}
static bool below_at(int folder, const char* path) {
  if (path && path[0] == '/') return below(path);
  return folder != AT_FDCWD && below(folder);
}

// Whether this call of `kind` is to fail; sets errno.
static bool fails(Kind kind, bool concerned) {
  if (!concerned) return false;
  if (delay_us) {
    static std::atomic<unsigned> seed{1};
    unsigned mine = seed += 7919;
    usleep((useconds_t)(rand_r(&mine) % delay_us));
  }
  const long number = ++counts[kind];
  if (armed_kind != kind || (armed_sticky ? number < armed_at : number != armed_at)) return false;
  ++hits;
  errno = armed_error;
  return true;
}

static int mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }
#define OPEN_LIKE(name)                                                     \
  EXPORTED int name(const char* path, int flags, ...) {                     \
    va_list list;                                                           \
    va_start(list, flags);                                                  \
    const int mode = mode_of(flags, list);                                  \
    va_end(list);                                                           \
    REAL(name);                                                             \
    return fails(OPEN, below(path)) ? -1 : next(path, flags, mode);         \
  }
OPEN_LIKE(open)
OPEN_LIKE(open64)
#define OPENAT_LIKE(name)                                                             \
  EXPORTED int name(int folder, const char* path, int flags, ...) {                   \
    va_list list;                                                                     \
    va_start(list, flags);                                                            \
    const int mode = mode_of(flags, list);                                            \
    va_end(list);                                                                     \
    REAL(name);                                                                       \
    return fails(OPEN, below_at(folder, path)) ? -1 : next(folder, path, flags, mode); \
  }
OPENAT_LIKE(openat)
OPENAT_LIKE(openat64)

EXPORTED ssize_t read(int fd, void* data, size_t size) {
  REAL(read);
  return fails(READ, below(fd)) ? -1 : next(fd, data, size);
}
EXPORTED ssize_t pread64(int fd, void* data, size_t size, off64_t at) {
  REAL(pread64);
  return fails(READ, below(fd)) ? -1 : next(fd, data, size, at);
}
EXPORTED ssize_t write(int fd, const void* data, size_t size) {
  REAL(write);
  const bool concerned = below(fd);
  if (fails(WRITE, concerned)) return -1;
  if (size > 1 && fails(SHORT, concerned)) size /= 2;  // a short write is no error: the rest must follow
  return next(fd, data, size);
}
EXPORTED ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  REAL(pwrite64);
  const bool concerned = below(fd);
  if (fails(WRITE, concerned)) return -1;
  if (size > 1 && fails(SHORT, concerned)) size /= 2;
  return next(fd, data, size, at);
}
EXPORTED int fsync(int fd) {
  REAL(fsync);
  return fails(FSYNC, below(fd)) ? -1 : next(fd);
}
EXPORTED int fdatasync(int fd) {
  REAL(fdatasync);
  return fails(FSYNC, below(fd)) ? -1 : next(fd);
}
EXPORTED int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  return fails(RENAME, below(from) || below(to)) ? -1 : next(from, to);
}
EXPORTED int unlink(const char* path) noexcept {
  REAL(unlink);
  return fails(UNLINK, below(path)) ? -1 : next(path);
}
EXPORTED int unlinkat(int folder, const char* path, int flags) noexcept {
  REAL(unlinkat);
  return fails(UNLINK, below_at(folder, path)) ? -1 : next(folder, path, flags);
}
EXPORTED int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  return fails(MKDIR, below(path)) ? -1 : next(path, mode);
}
EXPORTED int chmod(const char* path, mode_t mode) noexcept {
  REAL(chmod);
  return fails(CHMOD, below(path)) ? -1 : next(path, mode);
}
EXPORTED int flock(int fd, int operation) noexcept {
  static auto next = reinterpret_cast<int (*)(int, int)>(dlsym(RTLD_NEXT, "flock"));
  return fails(FLOCK, below(fd)) ? -1 : next(fd, operation);
}
EXPORTED void* mmap64(void* address, size_t size, int protection, int flags, int fd, off64_t at) noexcept {
  REAL(mmap64);
  return fails(MMAP, !(flags & MAP_ANONYMOUS) && below(fd)) ? MAP_FAILED : next(address, size, protection, flags, fd, at);
}
EXPORTED void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t at) noexcept {
  REAL(mmap);
  return fails(MMAP, !(flags & MAP_ANONYMOUS) && below(fd)) ? MAP_FAILED : next(address, size, protection, flags, fd, at);
}
EXPORTED int memfd_create(const char* name, unsigned flags) noexcept {
  REAL(memfd_create);
  return fails(MEMFD, under_bytes && strncmp(name, "tilewright", 10) == 0) ? -1 : next(name, flags);
}
EXPORTED void* dlopen(const char* path, int flags) noexcept {
  REAL(dlopen);
  const bool ours = under_bytes && path && (below(path) || strncmp(path, "/proc/self/fd/", 14) == 0);
  return fails(DLOPEN, ours) ? next("/injected/fault", flags) : next(path, flags);
}
