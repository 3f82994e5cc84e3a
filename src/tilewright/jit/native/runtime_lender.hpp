/* Threads of another pool: OpenMP's, which torch computes with. Its idle threads keep their cores awake for milliseconds,
 * so a second pool would get only half of them. A team of OpenMP's threads computes instead, if there is one.
 *
 * A team always has the size that the other pool uses (`max_threads`): libgomp ends and starts threads when the size
 * changes. Members that are not needed return at once. */
#pragma once
#include <atomic>

namespace {

struct Lender {
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned);  // GOMP_parallel; LLVM's and Intel's OpenMP have it too
  int (*thread_num)(void);
  int (*num_threads)(void);
  int (*max_threads)(void);
  int (*in_parallel)(void);
  int (*pause)(int);  // omp_pause_resource_all, which ends the idle threads of the calling thread; may be null
};

Lender lender;
std::atomic<const Lender*> lending{nullptr};

thread_local bool has_borrowed = false;

/* libgomp waits forever in the child of a fork for threads that were there: after a call of ours had started them, torch
 * could not compute there. So threads that this thread has borrowed are ended before it forks; OpenMP starts them again. */
inline void end_loans_before_fork() {
  constexpr int omp_pause_soft = 1;
  const Lender* from = lending.load(std::memory_order_acquire);
  if (has_borrowed && from && from->pause) from->pause(omp_pause_soft);
  has_borrowed = false;
}

/* Who lends a team of `count` members to this thread now; null if nobody does. */
inline const Lender* lender_of(int count) {
  const Lender* from = lending.load(std::memory_order_acquire);
  return from && !from->in_parallel() && from->max_threads() >= count ? from : nullptr;
}

template <class Member>
struct Loan {
  const Lender* from;
  int count;
  const Member& member;
  std::atomic<bool> refused;

  static void join(void* argument) {
    Loan& loan = *static_cast<Loan*>(argument);
    const int index = loan.from->thread_num();
    if (loan.from->num_threads() < loan.count) {
      loan.refused.store(true, std::memory_order_relaxed);  // every member sees that, so none begins
    } else if (index < loan.count) {
      loan.member(index);
    }
  }
};

/* Calls `member(index)` for 0 .. count-1, each on a thread of its own; false, and nothing is called, if there are fewer
 * threads than that. */
template <class Member>
bool run_on_loan(const Lender* from, int count, const Member& member) {
  Loan<Member> loan{from, count, member, {false}};
  has_borrowed = true;
  from->parallel(Loan<Member>::join, &loan, unsigned(from->max_threads()), 0);
  return !loan.refused.load(std::memory_order_relaxed);
}

}  // namespace
