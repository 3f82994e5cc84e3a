// AMX: tile configuration, permission, and the tile instructions, each with its tile numbers as template parameters.
//
// Written as asm statements: <immintrin.h> costs half a second of compile time, and GCC's _tile_loadconfig lets the
// stores of the configuration be dropped.
#pragma once
#include "tw/config.hpp"

extern "C" long syscall(long number, ...) noexcept;

namespace tw {

// Shapes of the eight tiles, as ldtilecfg reads them.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
  void set(int tile, int row_count, int bytes) { rows[tile] = uint8_t(row_count), row_bytes[tile] = uint16_t(bytes); }
};

// Linux gives tile registers only to processes that ask. Asking again costs nothing, so each library asks once.
inline bool amx_permitted() {
  constexpr long arch_prctl = 158, request_permission = 0x1023, tile_data = 18;
  static const bool granted = syscall(arch_prctl, request_permission, tile_data) == 0;
  return granted;
}
constexpr const char* amx_refused =
    "Linux did not permit AMX tiles (arch_prctl ARCH_REQ_XCOMP_PERM failed): use Linux 5.16 or newer and signal stacks "
    "of at least 16 KiB, or a kernel without amx";

// Tiles are usable from construction to destruction, in this thread. Ask amx_permitted() first.
class TileScope {
 public:
  explicit TileScope(const TileConfig& config) { asm volatile("ldtilecfg %0" : : "m"(config) : "memory"); }
  ~TileScope() { asm volatile("tilerelease" : : : "memory"); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;
};

// Rows `stride` bytes apart.
template <int Tile>
TW_INLINE void tile_load(const void* p, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"(stride), "i"(Tile) : "memory");
}
template <int Tile>
TW_INLINE void tile_store(void* p, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"(stride), "i"(Tile) : "memory");
}
template <int Tile>
TW_INLINE void tile_zero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
}
// Sum += Left * Right: pairs of bf16 into float32, or groups of four signed bytes into int32.
template <int Sum, int Left, int Right>
TW_INLINE void tile_dot_bf16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
}
template <int Sum, int Left, int Right>
TW_INLINE void tile_dot_i8() {
  asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Left), "i"(Right));
}

// f(Constant<0>), ..., f(Constant<Count - 1>): tile numbers are part of the instruction.
template <int I>
struct Constant { static constexpr int value = I; };
template <int Count, int I = 0, class F>
TW_INLINE void for_tiles(const F& f) {
  if constexpr (I < Count) {
    f(Constant<I>{});
    for_tiles<Count, I + 1>(f);
  }
}

}  // namespace tw
