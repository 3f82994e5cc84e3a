"""The C++ export: one constexpr C++17 header that needs only the standard library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ..model.arch import AmdArch, Arch, CpuArch, FmhaTile, NvidiaArch, Tile
from ..model.dtype import DTYPES
from .catalog import ArchCatalog
from .queries import own_key

HEADER = """\
// Arch facts of tilewright as constexpr tables and queries. Needs nothing but C++17.
// Written by `tilewright arch export --format cpp` from arch_specs.json (digest @DIGEST@).
// Do not edit: change arch_specs.json and export again.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace tilewright::arch {

struct Extents {
  int m, n, k;
  friend constexpr bool operator==(const Extents& a, const Extents& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k;
  }
};

// wave_size: threads per wave or warp, 0 on x86. local_memory_bytes: LDS or shared memory of a block, 0 on x86.
// vector_bits: width of a vector register, 0 on a GPU.
struct Arch {
  std::string_view name, kind, family;
  int wave_size;
  std::int64_t local_memory_bytes;
  int max_threads_per_block, vector_bits;
};
struct WaveMap { std::string_view arch; Extents waves; };
struct WarpTile { std::string_view arch, dtype_key; bool preshuffle; Extents tile; };
struct Dtype { std::string_view name; int bits; };
struct DtypeCombination { std::string_view a, b, acc, key; };
struct Pipeline { std::string_view name; double lds_fraction; bool preshuffle; };
struct Traits { std::string_view pipeline, epilogue, scheduler; };
// block: its first block_length entries count. pipelines: names separated by commas.
struct FmhaTile {
  std::string_view arch, family, dtype;
  int hdim_q, hdim_v;
  std::array<int, 9> block;
  int block_length;
  std::string_view pipelines;
};
struct Device {
  std::string_view name, arch;
  int units;
  double clock_mhz, bandwidth_gbps;
  std::int64_t l2_bytes, llc_bytes, memory_bytes;
};

"""

QUERIES = """
// An unknown name throws std::invalid_argument; in a constant expression that is a compile error.
template <class Table>
constexpr const auto& named(const Table& table, std::string_view name, const char* message) {
  for (const auto& entry : table)
    if (entry.name == name) return entry;
  throw std::invalid_argument(message);
}

constexpr const Arch& get_arch(std::string_view name) { return named(archs, name, "unknown arch"); }
constexpr const Pipeline& get_pipeline(std::string_view name) { return named(pipelines, name, "unknown pipeline"); }
constexpr const Device& get_device(std::string_view name) { return named(devices, name, "unknown device"); }
constexpr int element_bits(std::string_view dtype) { return named(dtypes, dtype, "unknown dtype").bits; }

constexpr const DtypeCombination* find_dtype_combo(std::string_view a, std::string_view b) {
  for (const auto& c : dtype_combinations)
    if (c.a == a && c.b == b) return &c;
  return nullptr;
}

constexpr bool is_dtype_combo_valid(std::string_view a, std::string_view b) {
  element_bits(a), element_bits(b);
  return find_dtype_combo(a, b) != nullptr;
}

constexpr std::string_view accumulator(std::string_view a, std::string_view b) {
  if (!is_dtype_combo_valid(a, b)) throw std::invalid_argument("no such dtype pair");
  return find_dtype_combo(a, b)->acc;
}

constexpr void require_amd(std::string_view arch) {
  if (get_arch(arch).kind != "amd") throw std::invalid_argument("not an AMD arch");
}

constexpr void require_dtype_key(std::string_view key) {
  for (const auto& c : dtype_combinations)
    if (c.key == key) return;
  throw std::invalid_argument("unknown dtype key");
}

constexpr bool has_wave_map(std::string_view arch, Extents waves) {
  require_amd(arch);
  for (const auto& entry : wave_maps)
    if (entry.arch == arch && entry.waves == waves) return true;
  return false;
}

constexpr bool has_warp_tile(std::string_view arch, std::string_view dtype_key, Extents tile, bool preshuffle = false) {
  require_amd(arch);
  require_dtype_key(dtype_key);
  for (const auto& entry : warp_tiles)
    if (entry.arch == arch && entry.dtype_key == dtype_key && entry.preshuffle == preshuffle && entry.tile == tile)
      return true;
  return false;
}

constexpr std::int64_t lds_limit(std::string_view pipeline, std::string_view arch) {
  require_amd(arch);
  return static_cast<std::int64_t>(static_cast<double>(get_arch(arch).local_memory_bytes) *
                                   get_pipeline(pipeline).lds_fraction);
}

constexpr bool contains(const std::string_view* first, const std::string_view* last, std::string_view name) {
  for (; first != last; ++first)
    if (*first == name) return true;
  return false;
}

constexpr bool is_trait_combo_unsupported(std::string_view pipeline, std::string_view epilogue,
                                          std::string_view scheduler) {
  get_pipeline(pipeline);
  if (!contains(epilogues.data(), epilogues.data() + epilogues.size(), epilogue))
    throw std::invalid_argument("unknown epilogue");
  if (!contains(schedulers.data(), schedulers.data() + schedulers.size(), scheduler))
    throw std::invalid_argument("unknown scheduler");
  for (const auto& t : unsupported_traits)
    if (t.pipeline == pipeline && t.epilogue == epilogue && t.scheduler == scheduler) return true;
  return false;
}

}  // namespace tilewright::arch
"""


def header_text(catalog: ArchCatalog) -> str:
    """Return the text of the header."""
    amd = [a for a in catalog.values() if isinstance(a, AmdArch)]
    combinations = [_row([c.a, c.b, c.acc, c.key]) for c in catalog.dtype_combinations.values()]
    tables = [
        _array("Arch", "archs", map(_arch_row, catalog.values())),
        _array("WaveMap", "wave_maps", (_row([a.name, _Raw(_extents(w))]) for a in amd for w in a.wave_maps)),
        _array("WarpTile", "warp_tiles", (row for a in amd for row in _warp_tile_rows(a))),
        _array("Dtype", "dtypes", (_row([d.name, d.bits]) for d in DTYPES.values())),
        _array("DtypeCombination", "dtype_combinations", combinations),
        _array(
            "Pipeline", "pipelines", (_row([p.name, p.lds_fraction, p.preshuffle]) for p in catalog.pipelines.values())
        ),
        _array("std::string_view", "epilogues", map(json.dumps, catalog.epilogues)),
        _array("std::string_view", "schedulers", map(json.dumps, catalog.schedulers)),
        _array("Traits", "unsupported_traits", (_row(t) for t in sorted(catalog.unsupported_traits))),
        _array("FmhaTile", "fmha_tiles", (row for a in amd for row in _fmha_rows(a))),
        _array("Device", "devices", map(_device_row, catalog.devices.values())),
    ]
    return HEADER.replace("@DIGEST@", catalog.digest[:16]) + "\n".join(tables) + QUERIES


class _Raw(str):
    """C++ text that is written verbatim."""


def _value(value: Any) -> str:
    if isinstance(value, _Raw):
        return str(value)
    return json.dumps(value)


def _row(values: Iterable[Any]) -> str:
    return "{" + ", ".join(map(_value, values)) + "}"


def _array(kind: str, name: str, rows: Iterable[str]) -> str:
    lines = [*rows]
    body = "".join(f"    {line},\n" for line in lines)
    return f"inline constexpr std::array<{kind}, {len(lines)}> {name} = {{{{\n{body}}}}};\n"


def _extents(tile: Tile | Sequence[int]) -> str:
    return "{" + ", ".join(map(str, tile)) + "}"


def _arch_row(arch: Arch) -> str:
    if isinstance(arch, AmdArch):
        facts = [arch.wave_size, arch.lds_bytes, arch.max_threads_per_block, 0]
    elif isinstance(arch, NvidiaArch):
        facts = [arch.warp_size, arch.smem_per_block_bytes, arch.max_threads_per_block, 0]
    else:
        facts = [0, 0, 0, arch.vector_bits if isinstance(arch, CpuArch) else 0]
    return _row([arch.name, arch.kind, arch.family, *facts])


def _warp_tile_rows(arch: AmdArch) -> Iterable[str]:
    for preshuffle, table in ((False, arch.warp_tiles), (True, arch.preshuffle_warp_tiles)):
        for key, tiles in table.items():
            # CK calls the 8-bit floats of gfx942 fp8 and bf8; see `queries.own_key`.
            other = key.replace("_fnuz", "")
            for name in (key, other) if other != key and own_key(arch, other) == key else (key,):
                for tile in tiles:
                    yield _row([arch.name, name, preshuffle, _Raw(_extents(tile))])


def _fmha_rows(arch: AmdArch) -> Iterable[str]:
    for family, by_dtype in arch.fmha.families.items():
        for dtype, table in by_dtype.items():
            for tile in table.tiles:
                yield _fmha_row(arch.name, family, dtype, tile)


def _fmha_row(arch: str, family: str, dtype: str, tile: FmhaTile) -> str:
    block = _Raw("{{" + ", ".join(map(str, (*tile.block, *[0] * (9 - len(tile.block))))) + "}}")
    return _row([arch, family, dtype, *tile.hdim, block, len(tile.block), ",".join(tile.pipelines)])


def _device_row(device: Any) -> str:
    sizes = [device.l2_bytes, device.llc_bytes, device.memory_bytes]
    return _row([device.name, device.arch, device.units, device.clock_mhz, device.bandwidth_gbps, *sizes])
