// Threads, lent by the caller through args->runtime, and static partitions of a range.
#pragma once
#include "tw/gemm/args.hpp"

namespace tw {

struct Team {
  int index, count;
  const tw_runtime* runtime;
  tw_team* handle;
  // Every member must arrive the same number of times.
  TW_INLINE void barrier() const {
    if (count > 1) runtime->barrier(handle, index);
  }
};

// Runs body(Team) on `count` threads, the calling one among them, and returns when all are done.
template <class Body>
void parallel(const tw_runtime* runtime, int count, const Body& body) {
  if (count <= 1 || !runtime) {
    body(Team{0, 1, nullptr, nullptr});
    return;
  }
  struct Context {
    const tw_runtime* runtime;
    const Body* body;
  } context{runtime, &body};
  runtime->parallel(
      count,
      [](void* opaque, int index, int members, tw_team* team) {
        const Context& c = *static_cast<Context*>(opaque);
        (*c.body)(Team{index, members, c.runtime, team});
      },
      &context);
}

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

// Part `index` of `parts` of [0, total), cut at multiples of `unit`. Sizes differ by one unit at most.
TW_INLINE Range partition(int64_t total, int64_t unit, int parts, int index) {
  const int64_t units = ceil_div(total, unit);
  return {min(total, units * index / parts * unit), min(total, units * (index + 1) / parts * unit)};
}

}  // namespace tw
