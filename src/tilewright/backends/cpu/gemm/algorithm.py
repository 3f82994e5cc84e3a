"""CpuGemm: how a CPU kernel blocks, packs and multiplies."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable

PIPELINES = ("tiled", "skinny")
INNERS = ("portable", "fma", "vnni", "amx", "amx_bf16x3", "dot", "mm")


@dataclass(frozen=True)
class CpuGemm:
    """The fields of a CPU GEMM kernel; each is a template parameter of the header library.

    >>> CpuGemm(mr=14, nr=32).label()
    'tiled_fma_14x32_kc512_mc192_nc4096_pab'
    """

    pipeline: str = tunable("tiled", PIPELINES, "tiled: blocked for the caches; skinny: streams B once for few rows")
    inner: str = tunable(
        "fma", INNERS, "how products are formed: vector FMA, dot products (vnni, dot), AMX tiles, 2x2 blocks (mm)"
    )
    mr: int = tunable(6, (1, 2, 4, 6, 8, 12, 14, 16, 28, 32), "rows of the register tile")
    nr: int = tunable(64, (2, 4, 6, 8, 16, 24, 32, 48, 64, 96, 128), "columns of the register tile")
    kc: int = tunable(
        512, (0, 16, 32, 64, 128, 192, 256, 384, 512, 1024, 2048), "k block: stays in L1; 0: the launch decides"
    )
    mc: int = tunable(192, (0, 48, 96, 192, 384, 768), "row block: this part of A stays in L2; 0: the launch decides")
    nc: int = tunable(4096, (256, 1024, 4096), "column block: how much of B is packed at once")
    pack_a: bool = tunable(True, (False, True), "copy A into panels, or read it in place")
    pack_b: bool = tunable(True, (False, True), "copy B into panels, or read it in place")

    def label(self) -> str:
        """Return a short readable text; display only."""
        packs = "p" + "a" * self.pack_a + "b" * self.pack_b
        blocks = "".join(f"{name}{value}_" for name, value in self._blocks() if value)
        return f"{self.pipeline}_{self.inner}_{self.mr}x{self.nr}_{blocks}{packs}"

    def _blocks(self) -> tuple[tuple[str, int], ...]:
        return ("kc", self.kc), ("mc", self.mc), ("nc", self.nc)
