// What formulas of features are made of, for one number (double) and for several candidates at once (vec).
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WIDTH = 8 };
typedef double vec __attribute__((vector_size(8 * WIDTH)));
typedef int64_t mask __attribute__((vector_size(8 * WIDTH)));
typedef double loose __attribute__((vector_size(8 * WIDTH), aligned(8)));  // in memory, wherever it lies

static inline vec all(double x) { return (vec){} + x; }
static inline double select(bool c, double yes, double no) { return c ? yes : no; }
static inline vec select(mask c, vec yes, vec no) { return c ? yes : no; }
static inline double same(double x, double) { return x; }
static inline vec same(double x, vec) { return all(x); }
static inline double as_number(int64_t v) { double x; memcpy(&x, &v, 8); return x; }
static inline vec as_number(mask v) { return (vec)v; }
static inline int64_t as_bits(double x) { int64_t v; memcpy(&v, &x, 8); return v; }
static inline mask as_bits(vec x) { return (mask)x; }
static inline double converted(int64_t v) { return (double)v; }
static inline vec converted(mask v) { return __builtin_convertvector(v, vec); }
static inline int64_t whole_part(double x) { return (int64_t)x; }
static inline mask whole_part(vec x) { return __builtin_convertvector(x, mask); }

template <class T> static inline T least(T a, T b) { return select(a < b, a, b); }
template <class T> static inline T most(T a, T b) { return select(a > b, a, b); }
template <class T> static inline T pick(T c, T yes, T no) { return select(c != same(0.0, c), yes, no); }
template <class T> static inline T absolute(T a) { return select(a < same(0.0, a), same(0.0, a) - a, a); }
template <class T> static inline T less(T a, T b) { return select(a < b, same(1.0, a), same(0.0, a)); }
template <class T> static inline T less_equal(T a, T b) { return select(a <= b, same(1.0, a), same(0.0, a)); }
template <class T> static inline T greater(T a, T b) { return select(a > b, same(1.0, a), same(0.0, a)); }
template <class T> static inline T greater_equal(T a, T b) { return select(a >= b, same(1.0, a), same(0.0, a)); }
template <class T> static inline T equal(T a, T b) { return select(a == b, same(1.0, a), same(0.0, a)); }

static inline double nearest(double x) { return rint(x); }
static inline vec nearest(vec x) {
  for (int i = 0; i < WIDTH; i++) x[i] = rint(x[i]);  // one instruction, as the loops below are
  return x;
}

static inline double ceil_div(double a, double b) { return ceil(a / b); }
static inline vec ceil_div(vec a, vec b) {
  vec x = a / b;
  for (int i = 0; i < WIDTH; i++) x[i] = ceil(x[i]);
  return x;
}

static inline double square_root(double x) { return sqrt(x); }
static inline vec square_root(vec x) {
  for (int i = 0; i < WIDTH; i++) x[i] = sqrt(x[i]);
  return x;
}

// c[0] + c[1] x + ... for N numbers c, in as few steps as there are that wait for each other.
template <int N, class T> static inline T series(const double* c, T x) {
  if constexpr (N == 1) return same(c[0], x);
  else if constexpr (N == 2) return same(c[0], x) + same(c[1], x) * x;
  else {
    constexpr int half = N > 8 ? 8 : N > 4 ? 4 : 2;
    T power = x * x;
    for (int i = 2; i < half; i *= 2) power = power * power;
    return series<half>(c, x) + series<N - half>(c + half, x) * power;
  }
}

// log(m) = 2 atanh(s) is s times a series in s * s, for s = (m - 1) / (m + 1); then that of the exponential function.
static const double ATANH[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19};
static const double EXP[] = {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                             1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};

// x to the power of y, within some 1e-14 of the value.
template <class T> static inline T power(T x, T y) {
  const auto bits = as_bits(x), e = (bits - 0x3FE6A09E667F3BCDll) >> 52;  // x = 2^e * m with m from sqrt(1/2) on
  const T one = same(1.0, x), zero = same(0.0, x), m = as_number(bits - e * (1ll << 52));
  const T s = (m - one) / (m + one);
  const T log2x = converted(e) + s * series<10>(ATANH, s * s) * same(2.8853900817779268, x);  // 2 / ln 2
  const T t = most(least(y * log2x, same(1023.0, x)), same(-1022.0, x)), whole = nearest(t);
  const T fraction = series<13>(EXP, (t - whole) * same(0.6931471805599453, x));
  const T r = fraction * as_number((whole_part(whole) + 1023) * (1ll << 52));
  const T infinite = same(INFINITY, x), ends = select((x > zero) == (y > zero), infinite, zero);  // of 0, of infinity
  return select(x > zero, select(x < infinite, r, ends), select(x == zero, ends, same(NAN, x)));
}

// Features of candidates `from` to `to` (whole vectors of one kind): `at` names their rows, of COLUMNS numbers each;
// column j of `table` (scratch) and feature j of `work` begin at j * room.
typedef void (*formulas)(int from, int to, int room, const double* rows, const int32_t* at, double* table,
                         const double* p, const double* d, double* work);
