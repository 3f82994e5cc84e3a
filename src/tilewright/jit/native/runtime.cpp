/* The thread pool that tilewright lends to its kernels (`tw_runtime` of tilewright_abi.h). What differs between
 * operating systems is in runtime_os.hpp.
 *
 * Rules it keeps:
 *  - `parallel(count, ...)` always runs exactly `count` indices, so the partition of work, and with it the result, does
 *    not depend on load. Every index has a thread of its own; hence a barrier works for any count, also above the cores.
 *  - Teams run side by side while their threads fit the cores this process may use; otherwise the later caller waits
 *    its turn, first come first served. A nested call (made inside a task) never waits: it gets a further team at
 *    once, which may oversubscribe the cores for a moment but can never deadlock.
 *  - Nobody spins without a bound: some hundred microseconds while the threads fit the cores, not at all when they do
 *    not; then they sleep in the kernel. An idle pool uses no CPU.
 *  - It shares the cores with pools that do spin, such as OpenMP's: see ask_for_short_slices. sched_yield is not used,
 *    since it hands the core to such a thread for all of its time slice. In programs that compute with torch, it borrows
 *    OpenMP's threads (runtime_lender.hpp).
 *  - After fork the child starts with an empty pool, which grows at its first launch.
 *  - Threads and their memory are never destroyed: process exit ends them, and nothing runs at unload. */
#include "runtime_lender.hpp"
#include "runtime_os.hpp"
#include "tilewright_abi.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <atomic>
#include <new>

namespace {

/* How long a member waits awake for the others of its launch. Waking a thread costs about 10 us, in a virtual machine up
 * to 100, and a team is woken one by one. A member that spins for less than waking all of them takes falls asleep again
 * at every barrier, once a single one was late; so the bound grows with the team. */
constexpr int64_t kSpinNanoseconds = 100'000;
constexpr int64_t kSpinPerMemberNanoseconds = 20'000;
constexpr int64_t kSpinLimitNanoseconds = 500'000;
/* A worker waits awake for the next launch for so many times that bound: its caller may have to wake first, and then to
 * wake others. With less, calls that follow each other at once never find the team awake again after one was late. */
constexpr int kIdleSpins = 2;
constexpr int kPausesPerClockRead = 16;

int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/* A number that threads wait for to change. The waker skips the system call while nobody sleeps: it stores, then reads
 * `sleepers`; a sleeper counts itself, then compares the value again on its way to sleep. Both orders are sequentially
 * consistent, so one of the two always sees the other. */
struct alignas(64) Event {
  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
  SleepingPlace place{};

  void set(uint32_t next) {
    value.store(next, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) place.wake_all(value);
  }

  bool changed(uint32_t old) const { return value.load(std::memory_order_acquire) != old; }

  bool spin_while(uint32_t old, int64_t deadline) {
    do {
      for (int i = 0; i < kPausesPerClockRead; ++i) {
        if (changed(old)) return true;
        pause_briefly();
      }
    } while (now_ns() < deadline);
    return false;
  }

  void wait_while(uint32_t old, int64_t spin_ns) {
    if (changed(old)) return;
    if (spin_ns > 0 && spin_while(old, now_ns() + spin_ns)) return;
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    while (value.load(std::memory_order_seq_cst) == old) place.sleep(value, old);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
  }
};

struct Worker {
  Event launch;  // counts the launches this worker was called to
  tw_team* team;
  int index;
  Worker* next;  // the team's workers in order of their index
};

thread_local int inside_task = 0;  // > 0: a call of `parallel` on this thread is nested

}  // namespace

/* Members 0 .. count-1 of one launch; between launches it waits in the pool with its workers, so that index i of
 * repeated launches is the same thread with the same warm caches. */
struct tw_team {
  tw_task task;
  void* context;
  int count;
  int present;      // members that have a thread; < count only when the system refused one
  int64_t spin_ns;  // 0 where threads outnumber the cores: then spinning keeps others from the work
  uint32_t launches;
  int workers;
  Worker* first;
  Worker* last;
  tw_team* next_idle;
  alignas(64) std::atomic<int> running;
  Event finished;  // the number of the launch that ended last
  alignas(64) std::atomic<int> arrived;
  Event phase;  // counts completed barriers
};

namespace {

void leave(tw_team* team, uint32_t number) {
  if (team->running.fetch_sub(1, std::memory_order_acq_rel) == 1) team->finished.set(number);
}

void* worker_main(void* argument) {
  Worker* self = static_cast<Worker*>(argument);
  tw_team* team = self->team;
  inside_task = 1;
  uint32_t seen = 0;
  name_this_thread(self->index);
  ask_for_short_slices();
  int64_t idle_spin_ns = kIdleSpins * kSpinNanoseconds;
  for (;;) {
    self->launch.wait_while(seen, idle_spin_ns);
    ++seen;  // the next launch starts only after this one was finished by every member
    idle_spin_ns = kIdleSpins * team->spin_ns;
    const uint32_t number = team->launches;
    team->task(team->context, self->index, team->count, team);
    leave(team, number);
  }
  return nullptr;
}

/* Python handles signals on its own threads: ours block them all. */
bool start_thread(Worker* worker) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, worker_main, worker);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return !failed;
}

template <class T>
T* allocate() {
  void* memory = nullptr;
  if (posix_memalign(&memory, alignof(T) < 64 ? 64 : alignof(T), sizeof(T)) != 0) return nullptr;
  return new (memory) T{};
}

/* Gives the team `wanted` workers, or as many as the system grants. */
int grow(tw_team* team, int wanted) {
  while (team->workers < wanted) {
    Worker* worker = allocate<Worker>();
    if (!worker) break;
    worker->team = team;
    worker->index = team->workers + 1;
    if (!start_thread(worker)) {
      free(worker);
      break;
    }
    (team->last ? team->last->next : team->first) = worker;
    team->last = worker;
    ++team->workers;
  }
  return team->workers < wanted ? team->workers : wanted;
}

[[noreturn]] void die(const char* reason) {
  fprintf(stderr, "tilewright: %s. Fix: lower TILEWRIGHT_THREADS, or raise the limits on threads and memory.\n",
          reason);
  abort();
}

struct Pool {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  uint64_t next_ticket = 0;  // handed to the next caller that wants a team
  uint64_t serving = 0;      // the ticket whose turn it is; tickets in between are waiting
  int cores = 0;
  int busy = 0;     // members of the teams that run now
  int threads = 0;  // workers that exist
  tw_team* idle = nullptr;
};

alignas(Pool) unsigned char pool_memory[sizeof(Pool)];
Pool* const pool = reinterpret_cast<Pool*>(pool_memory);

void wait_for_turn(int count) {
  const uint64_t ticket = pool->next_ticket++;
  while (pool->serving != ticket || (pool->busy > 0 && pool->busy + count > pool->cores))
    pthread_cond_wait(&pool->changed, &pool->lock);
  ++pool->serving;
  if (pool->next_ticket != pool->serving) pthread_cond_broadcast(&pool->changed);
}

int64_t spin_for(int count) {
  const int64_t spin_ns = kSpinNanoseconds + count * kSpinPerMemberNanoseconds;
  return spin_ns < kSpinLimitNanoseconds ? spin_ns : kSpinLimitNanoseconds;
}

/* An idle team that has the workers already, else the one used last, else a new one. */
tw_team* find_team(int count) {
  tw_team** link = &pool->idle;
  while (*link && (*link)->workers < count - 1) link = &(*link)->next_idle;
  if (!*link) link = &pool->idle;
  tw_team* team = *link;
  if (team) {
    *link = team->next_idle;
    return team;
  }
  team = allocate<tw_team>();
  if (!team) die("out of memory for a team of threads");
  return team;
}

tw_team* take_team(int count, bool nested) {
  pthread_mutex_lock(&pool->lock);
  if (pool->cores == 0) pool->cores = count_cores();
  if (!nested) wait_for_turn(count);
  tw_team* team = find_team(count);
  pool->busy += count;
  team->spin_ns = pool->busy <= pool->cores ? spin_for(count) : 0;
  pthread_mutex_unlock(&pool->lock);
  team->count = team->present = count;
  return team;
}

/* Gives a team that was taken the workers of its members. */
void staff(tw_team* team) {
  const int before = team->workers, wanted = team->count - 1;
  if (before >= wanted) return;
  team->present = grow(team, wanted) + 1;
  pthread_mutex_lock(&pool->lock);
  pool->threads += team->workers - before;
  pthread_mutex_unlock(&pool->lock);
}

void return_team(tw_team* team) {
  pthread_mutex_lock(&pool->lock);
  pool->busy -= team->count;
  team->next_idle = pool->idle;
  pool->idle = team;
  if (pool->next_ticket != pool->serving) pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
}

bool run_borrowed(const Lender* from, tw_team* team, tw_task task, void* context) {
  return run_on_loan(from, team->count, [&](int index) {
    ++inside_task;
    task(context, index, team->count, team);
    --inside_task;
  });
}

void run_team(tw_team* team, tw_task task, void* context) {
  staff(team);
  team->task = task;
  team->context = context;
  team->running.store(team->present, std::memory_order_relaxed);
  const uint32_t number = ++team->launches;
  Worker* worker = team->first;
  for (int index = 1; index < team->present; ++index, worker = worker->next)
    worker->launch.set(worker->launch.value.load(std::memory_order_relaxed) + 1);
  task(context, 0, team->count, team);
  for (int index = team->present; index < team->count; ++index) task(context, index, team->count, team);
  leave(team, number);
  team->finished.wait_while(number - 1, team->spin_ns);
}

void run_parallel(int count, tw_task task, void* context, bool may_borrow) {
  if (count <= 0) return;
  if (count == 1) {
    static tw_team alone{nullptr, nullptr, 1, 1, 0, 0, 0, nullptr, nullptr, nullptr, {}, {}, {}, {}};
    task(context, 0, 1, &alone);
    return;
  }
  const Lender* from = may_borrow && inside_task == 0 ? lender_of(count) : nullptr;
  tw_team* team = take_team(count, inside_task > 0);
  ++inside_task;
  if (!from || !run_borrowed(from, team, task, context)) run_team(team, task, context);
  --inside_task;
  return_team(team);
}

void parallel(int count, tw_task task, void* context) { run_parallel(count, task, context, false); }
void parallel_on_loan(int count, tw_task task, void* context) { run_parallel(count, task, context, true); }

void barrier(tw_team* team, int) {
  if (team->count == 1) return;
  if (team->present < team->count) die("the system refused to start the threads that this kernel's barrier needs");
  const uint32_t phase = team->phase.value.load(std::memory_order_acquire);
  if (team->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < team->count) {
    team->phase.wait_while(phase, team->spin_ns);
    return;
  }
  team->arrived.store(0, std::memory_order_relaxed);
  team->phase.set(phase + 1);
}

/* The threads of the parent do not exist in the child, and its lock may be held by one of them: start from nothing. */
void forget_pool_in_child() {
  new (pool_memory) Pool{};
  inside_task = 0;
  lending.store(nullptr, std::memory_order_relaxed);  // OpenMP's threads are gone as well, and it does not know
}

__attribute__((constructor)) void start_library() {
  new (pool_memory) Pool{};
  pthread_atfork(end_loans_before_fork, nullptr, forget_pool_in_child);
}

const tw_runtime runtime = {TW_ABI_VERSION, sizeof(tw_runtime), parallel, barrier};
const tw_runtime borrowing = {TW_ABI_VERSION, sizeof(tw_runtime), parallel_on_loan, barrier};

}  // namespace

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED const tw_runtime* tw_runtime_get(void) { return &runtime; }
/* The same on borrowed threads, if there are any: for calls on tensors of the library that lends them. */
EXPORTED const tw_runtime* tw_runtime_get_borrowing(void) { return &borrowing; }

/* Starts the threads that a launch with `count` members needs, ahead of the launch; answers how many members the
 * system grants, so that a refusal becomes an error at bind rather than in the middle of a kernel. */
EXPORTED int tw_runtime_reserve(int count) {
  if (count <= 1) return count;
  tw_team* team = take_team(count, true);  // as if nested: it must not wait behind a running kernel
  staff(team);
  const int granted = team->present;
  return_team(team);
  return granted;
}

/* Borrows the threads of an OpenMP library from now on, given the addresses of its functions; no more if `parallel` is
 * null. Called before kernels run, or between two of them. */
EXPORTED void tw_runtime_borrow(void* parallel, void* thread_num, void* num_threads, void* max_threads, void* in_parallel,
                                void* pause) {
  lending.store(nullptr, std::memory_order_release);
  if (!parallel) return;
  lender.parallel = reinterpret_cast<decltype(lender.parallel)>(parallel);
  lender.thread_num = reinterpret_cast<decltype(lender.thread_num)>(thread_num);
  lender.num_threads = reinterpret_cast<decltype(lender.num_threads)>(num_threads);
  lender.max_threads = reinterpret_cast<decltype(lender.max_threads)>(max_threads);
  lender.in_parallel = reinterpret_cast<decltype(lender.in_parallel)>(in_parallel);
  lender.pause = reinterpret_cast<decltype(lender.pause)>(pause);
  lending.store(&lender, std::memory_order_release);
}

/* Threads the pool has started in this process so far. */
EXPORTED int tw_runtime_threads(void) {
  pthread_mutex_lock(&pool->lock);
  const int threads = pool->threads;
  pthread_mutex_unlock(&pool->lock);
  return threads;
}
}
