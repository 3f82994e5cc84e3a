"""Makes data/counted_pairs.jsonl: pairs of compiled AMD kernels of which one is worse in one known way.

    python tests/backends/gpu/tools/make_counted_pairs.py      # needs triton; about two minutes on one core

Each pair computes the same problem. The slower kernel spills registers in its main loop, has bank conflicts, leaves
room for fewer blocks with the same code, or multiplies mostly padding. Pairs without the fault are left out and named.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE))

from kernel_variants import compiled, counted, gemm, with_descriptor

from tilewright.backends.gpu import kernel_counts
from tilewright.backends.gpu.kernel_counts import FILE, counts_from_row, rows_of, short_row
from tilewright.model.canonical import digest

OUT = HERE / "data" / "counted_pairs.jsonl"
LARGE = {"m": 4096, "n": 4096, "k": 4096}
SMALL = {"tile_m": 64, "tile_n": 64, "tile_k": 32}
DEEP = {"tile_m": 64, "tile_n": 64, "tile_k": 64}
MIDDLE = {"tile_m": 128, "tile_n": 128, "tile_k": 64}
WIDE = {"tile_m": 256, "tile_n": 256, "tile_k": 64}
# (arch, dtype, algorithm, waves per SIMD that registers must leave room for): the compiler spills to reach them.
SPILLS = (
    ("gfx942", "fp16", MIDDLE, 4), ("gfx942", "bf16", MIDDLE, 4), ("gfx90a", "fp16", MIDDLE, 4),
    ("gfx950", "fp16", MIDDLE, 4), ("gfx1100", "fp16", SMALL, 16), ("gfx1200", "bf16", MIDDLE, 12),
    ("gfx1201", "fp16", MIDDLE, 12),
)  # fmt: skip
# (arch, algorithm): four waves have too few registers for the tile, eight have enough.
CROWDED = (("gfx1100", MIDDLE), ("gfx1201", MIDDLE), ("gfx942", WIDE))
# Kernels of CK Tile, by how their digests begin: a tile that fits the registers, and one that does not.
CK_TILE = (("dbebe444", "eaf3a9c7"), ("3a2624fd", "0a0faed3"), ("906f7528", "6d1ff933"))
CONFLICTS = (
    ("gfx908", "fp16", SMALL), ("gfx90a", "fp16", SMALL), ("gfx942", "fp16", SMALL), ("gfx942", "bf16", MIDDLE),
    ("gfx950", "fp16", SMALL), ("gfx1100", "fp16", SMALL), ("gfx1200", "fp16", SMALL), ("gfx1201", "bf16", SMALL),
)  # fmt: skip
# (arch, algorithm, registers, bytes of LDS) that the same code asks for.
OCCUPANCY = (
    ("gfx942", SMALL, 0, 65536), ("gfx942", SMALL, 512, 0), ("gfx90a", SMALL, 512, 0), ("gfx950", SMALL, 0, 163840),
    ("gfx1100", SMALL, 0, 65536), ("gfx1201", SMALL, 0, 65536),
)  # fmt: skip
# (arch, small tile, large tile, sizes): the large tile is mostly padding.
TAILS = (
    ("gfx942", DEEP, MIDDLE, {"m": 64, "n": 64, "k": 4096, "batch": 4096}),
    ("gfx942", DEEP, WIDE, {"m": 60, "n": 56, "k": 4096, "batch": 4096}),
    ("gfx90a", DEEP, MIDDLE, {"m": 60, "n": 64, "k": 4096, "batch": 2048}),
    ("gfx950", DEEP, MIDDLE, {"m": 64, "n": 56, "k": 4096, "batch": 4096}),
    ("gfx1100", DEEP, MIDDLE, {"m": 64, "n": 64, "k": 4096, "batch": 2048}),
    ("gfx1201", DEEP, MIDDLE, {"m": 60, "n": 56, "k": 4096, "batch": 2048}),
)


class Kernels:
    """Counts of kernels and their variants, each compiled once."""

    def __init__(self, root: Path) -> None:
        self._root, self._rows = root, dict[str, dict[str, Any]]()

    def folder(self, spec: Any, **how: Any) -> Path:
        """Return the folder of a compiled kernel."""
        folder = self._root / f"{spec.digest[:16]}_{digest(how)[:8]}"
        if not (folder / "kernel.json").is_file():
            compiled(spec, folder, **how)
        return folder

    def row(self, spec: Any, **how: Any) -> dict[str, Any]:
        """Return the counts of a kernel, compiled plainly or otherwise."""
        key = f"{spec.digest} {how}"
        if key not in self._rows:
            self._rows[key] = counted(spec, self.folder(spec, **how))
        return self._rows[key]

    def asking(self, spec: Any, registers: int, lds_bytes: int) -> dict[str, Any]:
        """Return the counts of the same code with a descriptor that asks for more."""
        to = self._root / f"{spec.digest[:16]}_asks_{registers}_{lds_bytes}"
        with_descriptor(self.folder(spec), to, registers=registers, lds_bytes=lds_bytes)
        return counted(spec, to)


def pairs(kernels: Kernels) -> Iterator[dict[str, Any] | None]:
    """Yield every pair: why, problem, and the rows of the faster and the slower kernel."""
    for arch, dtype, algorithm, waves in SPILLS:
        spec = gemm(arch, dtype, **algorithm)
        yield pair("spills", LARGE, kernels.row(spec), kernels.row(spec, options={"waves_per_eu": waves}))
    for arch, algorithm in CROWDED:
        few, many = (gemm(arch, **algorithm, warps=warps) for warps in (4, 8))
        yield pair("spills", LARGE, kernels.row(many), kernels.row(few))
    shipped = [row for _, row in rows_of(Path(kernel_counts.__file__).parents[1] / "ck_tile" / FILE)]
    for few, many in CK_TILE:
        rows = [next(r for r in shipped if r["digest"].startswith(name)) for name in (few, many)]
        yield pair("spills", LARGE, rows[0], rows[1])
    for arch, dtype, algorithm in CONFLICTS:
        spec = gemm(arch, dtype, **algorithm)
        yield pair("bank conflicts", LARGE, kernels.row(spec), kernels.row(spec, swizzle=False))
    for arch, algorithm, registers, lds_bytes in OCCUPANCY:
        spec = gemm(arch, **algorithm)
        yield pair("lost occupancy", LARGE, kernels.row(spec), kernels.asking(spec, registers, lds_bytes))
    for arch, small, large, sizes in TAILS:
        yield pair("wasted tails", sizes, kernels.row(gemm(arch, **small)), kernels.row(gemm(arch, **large)))


def pair(why: str, sizes: dict[str, int], faster: dict[str, Any], slower: dict[str, Any]) -> dict[str, Any] | None:
    """Return one line of the file; None if the slower kernel does not have the fault."""
    spec = faster["spec"]
    good, bad = counts_from_row(faster), counts_from_row(slower)
    has = {
        "spills": bad.per_product("scratch_bytes") > 2 * good.per_product("scratch_bytes"),
        "bank conflicts": bad.loop["lds_cycles"] > 1.5 * bad.loop["lds_ideal"]
        and good.loop["lds_cycles"] <= 1.1 * good.loop["lds_ideal"],
        "lost occupancy": bad.resident < good.resident and dict(bad.loop) == dict(good.loop),
        "wasted tails": True,
    }
    print(why if has[why] else f"no {why}", slower.get("name", slower["digest"][:8]), flush=True)
    if not has[why]:
        return None
    problem = {"op": "gemm", **sizes, "dtype": spec["signature"]["dtype_a"], "device": f"emu:{spec['arch']}"}
    return {"why": why, "problem": problem, "faster": short_row(faster), "slower": short_row(slower)}


def main() -> int:
    """Write the file; a folder as argument keeps what was compiled."""
    with tempfile.TemporaryDirectory() as own:
        root = Path(sys.argv[1] if len(sys.argv) > 1 else own)
        found = [p for p in pairs(Kernels(root)) if p is not None]
    lines = [json.dumps(p, sort_keys=True, separators=(",", ":")) for p in found]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} pairs in {OUT.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
