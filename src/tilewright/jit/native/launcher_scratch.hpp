/* Workspace for launches: blocks that idle between calls and are lent to one launch at a time.
 *
 * Workspace holds nothing from one launch to the next, so all calls of a process share the same few blocks: memory is
 * bounded by (launches at once) x (largest workspace), and a small problem after a large one finds warm pages. Every
 * function needs the GIL, which is what makes the list safe without a lock. */
#ifndef TILEWRIGHT_LAUNCHER_SCRATCH_HPP
#define TILEWRIGHT_LAUNCHER_SCRATCH_HPP
#include <stdlib.h>
#include <sys/mman.h>

namespace scratch {

struct Block {
  void* memory;
  size_t bytes;
};

constexpr size_t kSmallUnit = size_t(1) << 16;
constexpr size_t kHugePage = size_t(1) << 21;
constexpr int kMaxIdle = 64;

inline Block idle[kMaxIdle];
inline int idle_count = 0;

inline Block allocate(size_t bytes) {
  const size_t unit = bytes >= kHugePage ? kHugePage : kSmallUnit;
  if (bytes > SIZE_MAX - unit) return {nullptr, 0};
  const size_t rounded = (bytes + unit - 1) / unit * unit;
  const size_t alignment = unit == kHugePage ? kHugePage : 4096;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, rounded) != 0) return {nullptr, 0};
#if defined(MADV_HUGEPAGE)
  if (unit == kHugePage) madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: a refusal changes nothing
#endif
  return {memory, rounded};
}

/* A block of at least `bytes`, the one used last where it is large enough; {nullptr, 0} when memory is out. */
inline Block take(size_t bytes) {
  for (int i = idle_count - 1; i >= 0; --i) {
    if (idle[i].bytes < bytes) continue;
    const Block found = idle[i];
    for (int j = i + 1; j < idle_count; ++j) idle[j - 1] = idle[j];
    --idle_count;
    return found;
  }
  if (idle_count > 0) free(idle[--idle_count].memory);  // too small: it is replaced, not kept beside the larger one
  return allocate(bytes);
}

inline void give(Block block) {
  if (idle_count < kMaxIdle)
    idle[idle_count++] = block;
  else
    free(block.memory);
}

/* Makes sure that an idle block of `bytes` exists, so that the first launch allocates nothing. */
inline bool reserve(size_t bytes) {
  const Block block = take(bytes);
  if (!block.memory) return false;
  give(block);
  return true;
}

/* Frees all idle blocks; answers how many bytes that were. */
inline size_t trim() {
  size_t bytes = 0;
  while (idle_count > 0) {
    bytes += idle[--idle_count].bytes;
    free(idle[idle_count].memory);
  }
  return bytes;
}

inline size_t held() {
  size_t bytes = 0;
  for (int i = 0; i < idle_count; ++i) bytes += idle[i].bytes;
  return bytes;
}

}  // namespace scratch
#endif
