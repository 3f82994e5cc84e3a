// A plain convolution in three dimensions, channels last, for all directions.
#pragma once
#include "example.hpp"

namespace example {

struct Shape {
  int64_t n = 1, g = 1, c = 1, k = 1;
  int64_t in[3] = {1, 1, 1}, f[3] = {1, 1, 1}, s[3] = {1, 1, 1}, p[3] = {0, 0, 0};
  int64_t out(int i) const { return (in[i] + 2 * p[i] - f[i]) / s[i] + 1; }
  size_t inputs() const { return size_t(n * in[0] * in[1] * in[2] * c); }
  size_t outputs() const { return size_t(n * out(0) * out(1) * out(2) * k); }
  size_t weights() const { return size_t(k * f[0] * f[1] * f[2] * (c / g)); }
};
// Calls visit(input index, weight index, output index) for each product.
template <class Visit>
void each_product(const Shape& s, Visit visit) {
  const int64_t cg = s.c / s.g, kg = s.k / s.g;
  for (int64_t n = 0; n < s.n; n++)
    for (int64_t z = 0; z < s.out(0); z++)
      for (int64_t y = 0; y < s.out(1); y++)
        for (int64_t x = 0; x < s.out(2); x++)
          for (int64_t a = 0; a < s.f[0]; a++)
            for (int64_t b = 0; b < s.f[1]; b++)
              for (int64_t d = 0; d < s.f[2]; d++) {
                const int64_t iz = z * s.s[0] + a - s.p[0], iy = y * s.s[1] + b - s.p[1], ix = x * s.s[2] + d - s.p[2];
                if (iz < 0 || iy < 0 || ix < 0 || iz >= s.in[0] || iy >= s.in[1] || ix >= s.in[2]) continue;
                const int64_t pixel = ((n * s.in[0] + iz) * s.in[1] + iy) * s.in[2] + ix;
                const int64_t place = ((n * s.out(0) + z) * s.out(1) + y) * s.out(2) + x, tap = (a * s.f[1] + b) * s.f[2] + d;
                for (int64_t k = 0; k < s.k; k++)
                  for (int64_t c = 0; c < cg; c++)
                    visit(size_t(pixel * s.c + k / kg * cg + c), size_t((k * s.f[0] * s.f[1] * s.f[2] + tap) * cg + c), size_t(place * s.k + k));
              }
}
inline Shape square(int64_t n, int64_t c, int64_t k, int64_t size, int64_t taps, int64_t pad, int64_t groups = 1, int64_t stride = 1) {
  Shape s;
  s.n = n, s.c = c, s.k = k, s.g = groups;
  for (int i = 1; i < 3; i++) s.in[i] = size, s.f[i] = taps, s.p[i] = pad, s.s[i] = stride;
  return s;
}
template <class Builder>
tilewright::Problem posed(Builder builder, const Shape& s) {
  return builder.input({s.in[1], s.in[2]}).filter({s.f[1], s.f[2]}).stride({s.s[1], s.s[2]}).pad(s.p[1]).groups(s.g).dtype("fp32").build();
}

}  // namespace example
