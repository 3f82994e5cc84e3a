/* What the thread pool asks of the operating system and the CPU. Linux has calls of its own for most of it; any other
 * system, macOS among them, is served by POSIX threads alone. TW_PORTABLE_RUNTIME takes that way on Linux too, so that
 * it can be tested there. */
#ifndef TILEWRIGHT_RUNTIME_OS_HPP
#define TILEWRIGHT_RUNTIME_OS_HPP
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>

#if defined(__linux__) && !defined(TW_PORTABLE_RUNTIME)
#define TW_LINUX_RUNTIME 1
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#endif

namespace {

constexpr uint64_t kSliceNanoseconds = 100'000;  // the shortest that Linux grants

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/* Where threads sleep until a number is no longer `old`. `sleep` may return before: the caller compares again. Whoever
 * changes the number calls `wake_all` afterwards. */
#if defined(TW_LINUX_RUNTIME)
struct SleepingPlace {
  void sleep(const std::atomic<uint32_t>& value, uint32_t old) {
    syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
  }
  void wake_all(const std::atomic<uint32_t>& value) {
    syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
  }
};
#else
struct SleepingPlace {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

  void sleep(const std::atomic<uint32_t>& value, uint32_t old) {
    pthread_mutex_lock(&lock);
    if (value.load(std::memory_order_seq_cst) == old) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
  }
  /* Takes the lock: a sleeper that saw the old number holds it until it waits, so none misses the call. */
  void wake_all(const std::atomic<uint32_t>&) {
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
};
#endif

/* OpenMP's idle threads spin for milliseconds. Linux (from 6.12 on) lets a thread that asks for short time slices go
 * ahead of such a thread when it wakes, rather than after the other's whole slice: with busy cores an idle team of two
 * was measured to start in 60 us instead of 120. It is a request; where it is refused or unknown, nothing changes. */
inline void ask_for_short_slices() {
#if defined(TW_LINUX_RUNTIME) && defined(SYS_sched_setattr)
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 || attributes.policy != SCHED_OTHER) return;
  attributes.size = sizeof attributes;
  attributes.runtime = kSliceNanoseconds;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

/* The cores that this process may use; all of them if the system has no such limit. */
inline int count_cores() {
#if defined(TW_LINUX_RUNTIME)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);  // refused: more CPUs than cpu_set_t holds
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? int(online) : 1;
}

/* For debuggers and `top`. macOS lets a thread name only itself. */
inline void name_this_thread(int index) {
  char name[16];
  snprintf(name, sizeof name, "tilewright-%d", index % 1000);
#if defined(__APPLE__)
  pthread_setname_np(name);
#elif defined(__linux__)
  pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace
#endif
