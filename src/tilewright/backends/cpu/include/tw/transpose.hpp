// Transposition of a square of 32-bit words in registers.
#pragma once
#include "tw/simd.hpp"

namespace tw {

#if TW_LANES == 16
#define TW_SHUFFLE4(a, b, w, x, y, z)                                                                              \
  __builtin_shufflevector(a, b, w, x, y, z, w + 4, x + 4, y + 4, z + 4, w + 8, x + 8, y + 8, z + 8, w + 12, x + 12, \
                          y + 12, z + 12)
#elif TW_LANES == 8
#define TW_SHUFFLE4(a, b, w, x, y, z) __builtin_shufflevector(a, b, w, x, y, z, w + 4, x + 4, y + 4, z + 4)
#else
#define TW_SHUFFLE4(a, b, w, x, y, z) __builtin_shufflevector(a, b, w, x, y, z)
#endif

// In-register transpose: v[i][j] becomes v[j][i].
TW_INLINE void transpose(vu (&v)[lanes]) {
  TW_UNROLL
  for (int i = 0; i < lanes; i += 4) {  // 4 x 4 squares inside every 128-bit piece
    const vu t0 = TW_SHUFFLE4(v[i], v[i + 1], 0, lanes, 1, lanes + 1);
    const vu t1 = TW_SHUFFLE4(v[i + 2], v[i + 3], 0, lanes, 1, lanes + 1);
    const vu t2 = TW_SHUFFLE4(v[i], v[i + 1], 2, lanes + 2, 3, lanes + 3);
    const vu t3 = TW_SHUFFLE4(v[i + 2], v[i + 3], 2, lanes + 2, 3, lanes + 3);
    v[i] = TW_SHUFFLE4(t0, t1, 0, 1, lanes, lanes + 1);
    v[i + 1] = TW_SHUFFLE4(t0, t1, 2, 3, lanes + 2, lanes + 3);
    v[i + 2] = TW_SHUFFLE4(t2, t3, 0, 1, lanes, lanes + 1);
    v[i + 3] = TW_SHUFFLE4(t2, t3, 2, 3, lanes + 2, lanes + 3);
  }
#if TW_LANES == 16
  TW_UNROLL
  for (int i = 0; i < 16; ++i) {  // then the 128-bit pieces: exchange bit 2 of the row with bit 2 of the column
    if (i & 4) continue;
    const vu a = v[i], b = v[i + 4];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
  TW_UNROLL
  for (int i = 0; i < 8; ++i) {
    const vu a = v[i], b = v[i + 8];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    v[i + 8] = __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
#elif TW_LANES == 8
  TW_UNROLL
  for (int i = 0; i < 4; ++i) {
    const vu a = v[i], b = v[i + 4];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

}  // namespace tw
