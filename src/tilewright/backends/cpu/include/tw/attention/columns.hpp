// Registers of a row of V.
#pragma once
#include "tw/simd.hpp"

namespace tw {

// Register c of `Columns` of one row of V; only the first `Last` columns of the last one are read.
template <int Last, int Columns, class T>
TW_INLINE vf load_columns(const T* from, int c) {
  if constexpr (Last < lanes) return c + 1 < Columns ? load(from + c * lanes) : load_partial(from + c * lanes, Last);
  else return load(from + c * lanes);
}

}  // namespace tw
