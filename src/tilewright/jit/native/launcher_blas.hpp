/* A product by the BLAS of a library, as a kernel: `run_product` has the interface of `tw_run`.
 *
 * `launch`: [1] the address of cblas_?gemm or cblas_?gemv, [2] the bytes of its integers, [3] those of its numbers, [4]
 * and [5] the addresses of the functions that get and set the library's threads, or 0, [6] the threads of this call; 0:
 * as the library is set. `launch[0]` stays 0: kernels are lent that many threads.
 * `sizes`: the integers of the call in their order. A product of matrices has [8] = 0: m, n, k, the leading dimensions of
 * a, b and out, and whether a and b are transposed. One of a matrix (slot 0) and a vector (slot 1) has [8] = 1: rows,
 * columns, leading dimension, the steps of both vectors, and whether the matrix is transposed. */
#pragma once
#include <pthread.h>
#include <sched.h>

#include <atomic>

#include "tilewright_abi.h"

namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

inline int transposed(int64_t flag) { return flag ? kTransposed : kPlain; }

template <class Int, class Real>
void run_product_as(const tw_args& a) {
  const int64_t* s = a.sizes;
  const Real one = Real(1), zero = Real(0);
  const Real *first = static_cast<const Real*>(a.tensors[0]), *second = static_cast<const Real*>(a.tensors[1]);
  Real* out = static_cast<Real*>(a.tensors[2]);
  void* function = reinterpret_cast<void*>(a.launch[1]);
  if (s[8] == 0) {
    using Gemm = void (*)(int, int, int, Int, Int, Int, Real, const Real*, Int, const Real*, Int, Real, Real*, Int);
    reinterpret_cast<Gemm>(function)(kRowMajor, transposed(s[6]), transposed(s[7]), Int(s[0]), Int(s[1]), Int(s[2]), one,
                                     first, Int(s[3]), second, Int(s[4]), zero, out, Int(s[5]));
  } else {
    using Gemv = void (*)(int, int, Int, Int, Real, const Real*, Int, const Real*, Int, Real, Real*, Int);
    reinterpret_cast<Gemv>(function)(kRowMajor, transposed(s[5]), Int(s[0]), Int(s[1]), one, first, Int(s[2]), second,
                                     Int(s[3]), zero, out, Int(s[4]));
  }
}

using GetThreads = int (*)();
using SetThreads = void (*)(int);

/* How many calls have changed the library's threads for as long as they compute. The number is one for the whole process:
 * the first call saves it, the last one restores it. */
struct ThreadHolders {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  int count = 0, before = 0;
  bool is_saved = false;  // `before` is what was set, as others had changed it when the process forked
  SetThreads set = nullptr;
};
inline ThreadHolders holders;

/* Python's lock may be held here, or not: nothing under this one waits for it. */
class HoldersLocked {
 public:
  HoldersLocked() {
    while (holders.lock.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~HoldersLocked() { holders.lock.clear(std::memory_order_release); }
  HoldersLocked(const HoldersLocked&) = delete;
  HoldersLocked& operator=(const HoldersLocked&) = delete;
};

/* The threads of a forked process that held anything are not there. */
inline void forget_holders() {
  holders.is_saved = holders.is_saved || holders.count > 0;
  holders.count = 0;
  holders.lock.clear();
}

/* Sets the library's threads; false if they are as wanted, and nobody else has changed them. */
inline bool hold_threads(GetThreads get, SetThreads set, int wanted) {
  HoldersLocked locked;
  if (!holders.count && !holders.is_saved) {
    holders.before = get();
    if (holders.before == wanted) return false;
  }
  ++holders.count;
  holders.set = set;
  set(wanted);
  return true;
}

inline void release_threads() {
  HoldersLocked locked;
  if (holders.count == 0 || --holders.count) return;
  holders.is_saved = false;
  holders.set(holders.before);
}

inline int run_product(tw_args* args) {
  const tw_args& a = *args;
  const auto get = reinterpret_cast<GetThreads>(a.launch[4]);
  const auto set = reinterpret_cast<SetThreads>(a.launch[5]);
  const int wanted = int(a.launch[6]);
  const bool holds = wanted && get && set && hold_threads(get, set, wanted);
  const bool wide = a.launch[2] == 8, doubles = a.launch[3] == 8;
  if (wide) {
    doubles ? run_product_as<int64_t, double>(a) : run_product_as<int64_t, float>(a);
  } else {
    doubles ? run_product_as<int32_t, double>(a) : run_product_as<int32_t, float>(a);
  }
  if (holds) release_threads();
  return 0;
}

}  // namespace
