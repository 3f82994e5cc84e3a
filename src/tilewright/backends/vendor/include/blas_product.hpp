/* A product by the C interface of a BLAS library, with the C ABI of a kernel. The library is opened at the first call:
 * the one that TILEWRIGHT_BLAS_LIBRARY names, or the first of `names` that is there. */
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tilewright_abi.h"

namespace tw_blas {

constexpr int row_major = 101, plain = 111, transposed = 112;
constexpr const char* names[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas64_.so.0", "libmkl_rt.so.2", "libmkl_rt.so",
                                 "libblis.so.4", "libcblas.so.3", "libblas.so.3"};
/* Prefix and suffix of the functions, and whether sizes have 64 bits. */
struct Spelling {
  const char *prefix, *suffix;
  bool wide;
};
constexpr Spelling spellings[] = {{"", "", false}, {"", "64_", true}, {"scipy_", "64_", true}, {"scipy_", "", false}};

template <class Real> struct Letter;
template <> struct Letter<float> { static constexpr const char* text = "s"; };
template <> struct Letter<double> { static constexpr const char* text = "d"; };

/* What a library has for one type of numbers; `error` says why there is nothing. */
struct Library {
  void *product = nullptr, *vector = nullptr;
  int (*get_threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  bool wide = false;
  std::string error;
};
inline bool take(void* handle, const char* letter, Library& found) {
  for (const Spelling& s : spellings) {
    const auto named = [&](const std::string& name) { return dlsym(handle, (s.prefix + name + s.suffix).c_str()); };
    found.product = named(std::string("cblas_") + letter + "gemm");
    found.vector = named(std::string("cblas_") + letter + "gemv");
    if (!found.product || !found.vector) continue;
    found.wide = s.wide;
    found.get_threads = reinterpret_cast<int (*)()>(named("openblas_get_num_threads"));
    found.set_threads = reinterpret_cast<void (*)(int)>(named("openblas_set_num_threads"));
    return true;
  }
  return false;
}
template <class Real>
Library opened() {
  Library found;
  const char* given = std::getenv("TILEWRIGHT_BLAS_LIBRARY");
  std::string tried;
  const auto attempt = [&](const char* name) {
    tried += (tried.empty() ? "" : ", ") + std::string(name);
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return handle && take(handle, Letter<Real>::text, found);
  };
  if (given && *given) {
    if (attempt(given)) return found;
  } else {
    for (const char* name : names)
      if (attempt(name)) return found;
  }
  found.error = "no BLAS library with a C interface (tried " + tried + "): install OpenBLAS, or set TILEWRIGHT_BLAS_LIBRARY";
  return found;
}
template <class Real>
const Library& library() {
  static const Library found = opened<Real>();
  return found;
}

/* A matrix in memory: by rows, or by columns and so transposed, and the step between them. */
struct Matrix {
  char* data;
  bool by_rows;
  int64_t lead, row, column;
};
inline Matrix matrix(const tw_args& args, int slot, int64_t rows, int64_t columns, int64_t at, int64_t bytes) {
  const int64_t *stride = args.strides[slot], row = stride[1], column = stride[2];
  const bool by_rows = (columns == 1 || column == 1) && (rows == 1 || row >= columns);
  const int64_t step = by_rows ? row : column, least = by_rows ? columns : rows;
  return {static_cast<char*>(args.tensors[slot]) + at * stride[0] * bytes, by_rows, step > least ? step : least < 1 ? 1 : least,
          row < 1 ? 1 : row, column < 1 ? 1 : column};
}

template <class Real, class Int>
struct Calls {
  using Product = void (*)(int, int, int, Int, Int, Int, Real, const void*, Int, const void*, Int, Real, void*, Int);
  using Vector = void (*)(int, int, Int, Int, Real, const void*, Int, const void*, Int, Real, void*, Int);

  /* A result by columns is the product of the transposed matrices, by rows. */
  static void product(const Library& in, Matrix a, Matrix b, Matrix out, int64_t m, int64_t n, int64_t k, Real alpha) {
    const bool flip = !out.by_rows;
    const Matrix &first = flip ? b : a, &second = flip ? a : b;
    const auto order = [&](const Matrix& x) { return x.by_rows != flip ? plain : transposed; };
    reinterpret_cast<Product>(in.product)(row_major, order(first), order(second), Int(flip ? n : m), Int(flip ? m : n), Int(k), alpha,
                                          first.data, Int(first.lead), second.data, Int(second.lead), Real(0), out.data, Int(out.lead));
  }
  /* Libraries have their own functions for a vector. `matrix` is rows x columns; it is transposed if `turn`. */
  static void vector(const Library& in, const Matrix& matrix, int64_t rows, int64_t columns, bool turn, const void* x, int64_t step,
                     void* y, int64_t out_step, Real alpha) {
    const bool stored = matrix.by_rows;
    reinterpret_cast<Vector>(in.vector)(row_major, stored != turn ? plain : transposed, Int(stored ? rows : columns),
                                        Int(stored ? columns : rows), alpha, matrix.data, Int(matrix.lead), x, Int(step), Real(0), y,
                                        Int(out_step));
  }
  static void all(const Library& in, const tw_args& args) {
    const int64_t m = args.sizes[0], n = args.sizes[1], k = args.sizes[2], batch = args.sizes[3], bytes = sizeof(Real);
    const Real alpha = static_cast<Real>(args.scalars[0]);
    for (int64_t i = 0; i < batch; i++) {
      const Matrix a = matrix(args, 0, m, k, i, bytes), b = matrix(args, 1, k, n, i, bytes), out = matrix(args, 2, m, n, i, bytes);
      if (n == 1 && k > 0)
        vector(in, a, m, k, false, b.data, b.row, out.data, out.row, alpha);
      else if (m == 1 && k > 0)
        vector(in, b, k, n, true, a.data, a.column, out.data, out.column, alpha);
      else
        product(in, a, b, out, m, n, k, alpha);
    }
  }
};

template <class Real>
int run(tw_args* args) {
  const Library& in = library<Real>();
  if (!in.product) {
    std::snprintf(args->error, TW_ERROR_BYTES, "%s", in.error.c_str());
    return 1;
  }
  const int threads = static_cast<int>(args->launch[0]), before = in.get_threads ? in.get_threads() : threads;
  const bool limits = in.set_threads && threads > 0 && threads != before;
  if (limits) in.set_threads(threads);
  in.wide ? Calls<Real, int64_t>::all(in, *args) : Calls<Real, int32_t>::all(in, *args);
  if (limits) in.set_threads(before);
  return 0;
}

}  // namespace tw_blas

#define TW_BLAS_EXPORT extern "C" __attribute__((visibility("default")))
#define TW_BLAS_PRODUCT(REAL, DIGEST)                                             \
  TW_BLAS_EXPORT const tw_kernel_info* tw_info() {                                \
    static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), DIGEST}; \
    return &info;                                                                 \
  }                                                                               \
  TW_BLAS_EXPORT int64_t tw_workspace(const tw_args*) { return 0; }               \
  TW_BLAS_EXPORT int tw_run(tw_args* args) { return tw_blas::run<REAL>(args); }
