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
static inline vec select(mask c, vec yes, vec no) { return (vec)(((mask)yes & c) | ((mask)no & ~c)); }
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

// To the nearest whole number, by adding and taking away what leaves no room for a fraction (below 2^51).
template <class T> static inline T nearest(T x) {
  const T big = same(6755399441055744.0, x), r = (x + big) - big;
  return select(absolute(x) < same(2251799813685248.0, x), r, x);
}

template <class T> static inline T ceil_div(T a, T b) {
  const T x = a / b, r = nearest(x);
  return select(r < x, r + same(1.0, x), r);
}

static inline double square_root(double x) { return sqrt(x); }
static inline vec square_root(vec x) {
  for (int i = 0; i < WIDTH; i++) x[i] = sqrt(x[i]);
  return x;
}

// x to the power of y, within some 1e-14 of the value.
template <class T> static inline T power(T x, T y) {
  // log2(x): x = 2^e * m with m around 1, and log(m) = 2 atanh(s) as a series in s = (m - 1) / (m + 1).
  const auto bits = as_bits(x), e = (bits - 0x3FE6A09E667F3BCDll) >> 52;  // m from sqrt(1/2) on
  const T one = same(1.0, x), zero = same(0.0, x), m = as_number(bits - e * (1ll << 52));
  const T s = (m - one) / (m + one), q = s * s;
  T series = same(1.0 / 21.0, x);
  for (int i = 19; i > 0; i -= 2) series = series * q + same(1.0 / i, x);
  const T log2x = converted(e) + s * series * same(2.8853900817779268, x);  // 2 / ln 2
  // 2^t: a whole power of two, and the rest as a series.
  const T t = most(least(y * log2x, same(1023.0, x)), same(-1022.0, x)), whole = nearest(t);
  const T f = (t - whole) * same(0.6931471805599453, x);
  T sum = one;
  for (int i = 13; i > 0; i--) sum = sum * (f * same(1.0 / i, x)) + one;
  const T r = sum * as_number((whole_part(whole) + 1023) * (1ll << 52));
  const T infinite = same(INFINITY, x), ends = select((x > zero) == (y > zero), infinite, zero);  // of 0, of infinity
  return select(x > zero, select(x < infinite, r, ends), select(x == zero, ends, same(NAN, x)));
}
