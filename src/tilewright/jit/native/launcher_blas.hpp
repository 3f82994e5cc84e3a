/* A product by the BLAS of a library, as a kernel: `run_product` has the interface of `tw_run`.
 *
 * `launch`: [1] the address of cblas_?gemm or cblas_?gemv, [2] the bytes of its integers, [3] those of its numbers, [4]
 * and [5] the addresses of the functions that get and set the library's threads, or 0, [6] the threads of this call; 0:
 * as the library is set. `launch[0]` stays 0: kernels are lent that many threads.
 * `sizes`: the integers of the call in their order. A product of matrices has [8] = 0: m, n, k, the leading dimensions of
 * a, b and out, and whether a and b are transposed. One of a matrix (slot 0) and a vector (slot 1) has [8] = 1: rows,
 * columns, leading dimension, the steps of both vectors, and whether the matrix is transposed. */
#pragma once
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

inline int run_product(tw_args* args) {
  const tw_args& a = *args;
  const auto get = reinterpret_cast<int (*)()>(a.launch[4]);
  const auto set = reinterpret_cast<void (*)(int)>(a.launch[5]);
  const int wanted = int(a.launch[6]);
  const int before = wanted && get && set ? get() : wanted;
  if (before != wanted) set(wanted);
  const bool wide = a.launch[2] == 8, doubles = a.launch[3] == 8;
  if (wide) {
    doubles ? run_product_as<int64_t, double>(a) : run_product_as<int64_t, float>(a);
  } else {
    doubles ? run_product_as<int32_t, double>(a) : run_product_as<int32_t, float>(a);
  }
  if (before != wanted) set(before);
  return 0;
}

}  // namespace
