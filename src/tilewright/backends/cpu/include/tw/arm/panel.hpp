// Panels of Arm's kernels, beside those of gemm/panel.hpp:
//
//   inner        A: stored, width, group, block            B: stored, width, group, block     planes
//   dot int8     i8,   mr, 4, 4                            i8,   nr, 4, 4                     1
//   dot bf16     bf16, mr, 2, 2                            bf16, nr, 2, 2                     1
//   mm int8      i8,   mr, 8, 8                            i8,   nr, 8, 8                     1
//   mm bf16      bf16, mr, 4, 4                            bf16, nr, 4, 4                     1
//
// A word of a dot product has four bytes. A matrix product takes two lines of eight bytes each, which are then one
// register. Bytes are signed on both sides, so nobody reads the corrections that follow a packed 8-bit B.
#pragma once
#include "tw/gemm/panel.hpp"

namespace tw {

#if defined(__aarch64__)
template <class Config>
struct Formats<Config, Inner::dot, true> {
  using A = Panel<int8_t, Config::mr, 4, 4>;
  using B = Panel<int8_t, Config::nr, 4, 4>;
};
template <class Config>
struct Formats<Config, Inner::dot, false> {
  using A = Panel<bf16, Config::mr, 2, 2>;
  using B = Panel<bf16, Config::nr, 2, 2>;
};
#endif

// Lines of eight bytes per group: two 32-bit words.
template <class StoredT, int Width>
struct PairPanel : Panel<StoredT, Width, 8 / int(sizeof(StoredT)), 8 / int(sizeof(StoredT))> {};

#if defined(__aarch64__)
template <class Config>
struct Formats<Config, Inner::mm, true> {
  using A = PairPanel<int8_t, Config::mr>;
  using B = PairPanel<int8_t, Config::nr>;
};
template <class Config>
struct Formats<Config, Inner::mm, false> {
  using A = PairPanel<bf16, Config::mr>;
  using B = PairPanel<bf16, Config::nr>;
};
#endif

}  // namespace tw
