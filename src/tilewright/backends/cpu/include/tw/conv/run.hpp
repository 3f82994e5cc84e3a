// What the convolutions that work in an arena do alike: Kernel(args, team, arena) takes its memory; work() computes and
// returns 0, or what a failed step of it returned.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/parallel.hpp"

namespace tw {

TW_INLINE int check_workspace(tw_args* args, int64_t needed) {
  if (args->workspace_bytes >= needed && args->workspace) return 0;
  return fail(args, "the workspace has % bytes but % are needed: call tw_workspace with the same sizes and launch",
              args->workspace_bytes, needed);
}

// Adds shares of sums, `distance` apart, to the first one, in ascending order.
TW_INLINE void add_shares(float* first, int64_t count, int64_t shares, int64_t distance) {
  for (int64_t share = 1; share < shares; ++share) {
    const float* next = first + share * distance;
    for (int64_t i = 0; i < count; ++i) first[i] += next[i];
  }
}

template <class Kernel>
struct InArena {
  static int64_t bytes(const tw_args& args) {
    Arena arena(nullptr);
    Kernel(args, Team{0, 1, nullptr, nullptr}, arena);
    return arena.used();
  }

  static int run(tw_args* args) {
    if (int status = check_workspace(args, bytes(*args))) return status;
    int status = 0;
    parallel(args->runtime, Launch(*args).threads, [&](const Team& team) {
      Arena arena(args->workspace);
      const int failed = Kernel(*args, team, arena).work();
      if (failed) status = fail(args, "a step of a convolution with % images returned %", args->sizes[0], failed);
    });
    return status;
  }
};

}  // namespace tw
