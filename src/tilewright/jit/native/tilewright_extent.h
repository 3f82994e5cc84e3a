/* Where a strided tensor lies in memory. The launcher, its memo and the C++ headers take this definition;
 * `tilewright.model.tensor` is its twin for machines without a compiler, and the fuzzer compares both. */
#ifndef TILEWRIGHT_EXTENT_H
#define TILEWRIGHT_EXTENT_H
#include <stdint.h>
#include <stdlib.h>

#define TW_EXACT_ELEMENTS 65536 /* up to this size, elements that share an address are counted exactly */
#define TW_MAX_DIMENSIONS 32

/* The first byte that a tensor reaches and one past the last, relative to its address; equal if it has no elements. */
typedef struct tw_extent {
  int64_t low, high;
} tw_extent;

/* What can be wrong with an address. */
enum { TW_PLACED = 0, TW_NULL = 1, TW_MISALIGNED = 2, TW_WRAPS = 3 };

static inline int tw_is_empty(const int64_t* shape, int rank) {
  for (int d = 0; d < rank; ++d)
    if (shape[d] == 0) return 1;
  return 0;
}

/* The extent of a tensor whose strides count elements of `bits` bits, rounded outward to bytes. False if a size is
 * negative or the extent does not fit 64 bits. */
static inline int tw_find_extent(const int64_t* shape, const int64_t* strides, int rank, int64_t bits, tw_extent* out) {
  int64_t low = 0, high = 1; /* in elements */
  out->low = out->high = 0;
  for (int d = 0; d < rank; ++d)
    if (shape[d] < 0) return 0;
  if (tw_is_empty(shape, rank)) return 1;
  for (int d = 0; d < rank; ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(shape[d] - 1, strides[d], &reach)) return 0;
    if (__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) return 0;
  }
  if (__builtin_mul_overflow(low, bits, &low) || __builtin_mul_overflow(high, bits, &high)) return 0;
  out->low = low / 8 - (low % 8 != 0);
  out->high = high / 8 + (high % 8 != 0);
  return 1;
}

/* Whether a tensor of this extent can be at `address`: not null, aligned, and inside of what 64 bits address. */
static inline int tw_placement(uint64_t address, tw_extent extent, uint64_t alignment) {
  if (address & (alignment - 1)) return TW_MISALIGNED;
  if (extent.low == extent.high) return TW_PLACED;
  if (!address) return TW_NULL;
  if (address > INT64_MAX || (int64_t)address <= -(extent.low + 1)) return TW_WRAPS;
  return (int64_t)address > INT64_MAX - extent.high ? TW_WRAPS : TW_PLACED;
}

/* Whether the byte ranges of two placed tensors meet. Interleaved views meet and may yet share nothing. */
static inline int tw_extents_meet(uint64_t x, tw_extent a, uint64_t y, tw_extent b) {
  if (a.low == a.high || b.low == b.high) return 0;
  return x + (uint64_t)a.low < y + (uint64_t)b.high && y + (uint64_t)b.low < x + (uint64_t)a.high;
}

static inline int tw_compare_steps(const void* x, const void* y) {
  const int64_t a = *(const int64_t*)x, b = *(const int64_t*)y;
  return a < b ? -1 : a > b;
}

/* Whether two of at most TW_EXACT_ELEMENTS elements share an address; more are taken to. `steps` has pairs of a positive
 * step and a size above 1, the smallest step first. */
static inline int tw_counted_overlap(int64_t (*steps)[2], int count) {
  int64_t total = 1, filled = 1, reach = 0, part;
  for (int d = 0; d < count; ++d) {
    if (steps[d][1] > TW_EXACT_ELEMENTS / total) return 1;
    total *= steps[d][1];
    if (__builtin_mul_overflow(steps[d][0], steps[d][1] - 1, &part) || __builtin_add_overflow(reach, part, &reach)) return 1;
  }
  int64_t* places = (int64_t*)malloc((size_t)total * sizeof(int64_t));
  if (!places) return 1;
  places[0] = 0;
  for (int d = 0; d < count; ++d) {
    for (int64_t i = 1; i < steps[d][1]; ++i)
      for (int64_t k = 0; k < filled; ++k) places[i * filled + k] = places[k] + i * steps[d][0];
    filled *= steps[d][1];
  }
  qsort(places, (size_t)total, sizeof(int64_t), tw_compare_steps);
  int found = 0;
  for (int64_t i = 1; i < total && !found; ++i) found = places[i] == places[i - 1];
  free(places);
  return found;
}

/* Whether two elements of a tensor share an address, or may: if it is large or its strides are extreme, this is not
 * counted. Strides are enough for views of dense tensors. */
static inline int tw_overlaps_itself(const int64_t* shape, const int64_t* strides, int rank) {
  int64_t steps[TW_MAX_DIMENSIONS][2], reach = 0, part;
  int count = 0;
  if (tw_is_empty(shape, rank)) return 0;
  if (rank > TW_MAX_DIMENSIONS) return 1;
  for (int d = 0; d < rank; ++d) {
    if (shape[d] == 1) continue;
    if (strides[d] == INT64_MIN) return 1;
    steps[count][0] = strides[d] < 0 ? -strides[d] : strides[d];
    steps[count++][1] = shape[d];
  }
  qsort(steps, (size_t)count, sizeof(steps[0]), tw_compare_steps);
  for (int d = 0; d < count; ++d) {
    if (steps[d][0] <= reach) return tw_counted_overlap(steps, count);
    if (__builtin_mul_overflow(steps[d][0], steps[d][1] - 1, &part) || __builtin_add_overflow(reach, part, &reach)) return 1;
  }
  return 0;
}

#endif
