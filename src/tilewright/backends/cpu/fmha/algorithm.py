"""CpuFmha: how a CPU attention kernel blocks its rows and forms its products."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable


@dataclass(frozen=True)
class CpuFmha:
    """The fields of a CPU attention kernel; each is a template parameter of the header library.

    >>> CpuFmha(row_vectors=1).label(), CpuFmha(inner="amx", row_vectors=8, block_keys=256).label()
    ('rows1v', 'amx_rows8v_keys256')
    """

    row_vectors: int = tunable(4, (1, 2, 4, 8), "registers of query rows that share one pass over the keys")
    inner: str = tunable("fma", ("fma", "amx"), "how products are formed: fused multiply-adds of fp32, or AMX tiles")
    block_keys: int = tunable(96, (96, 128, 256, 512), "keys of a block; the kernels with fma have 96")

    def label(self) -> str:
        """Return a short readable text; display only."""
        rows = f"rows{self.row_vectors}v"
        return rows if self.inner == "fma" else f"{self.inner}_{rows}_keys{self.block_keys}"
