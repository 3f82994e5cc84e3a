"""CpuFmha: how a CPU attention kernel blocks its rows."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable


@dataclass(frozen=True)
class CpuFmha:
    """The fields of a CPU attention kernel; each is a template parameter of the header library.

    >>> CpuFmha(row_vectors=1).label()
    'rows1v'
    """

    row_vectors: int = tunable(4, (1, 2, 4), "registers of query rows that share one pass over the keys")

    def label(self) -> str:
        """A short readable text; display only."""
        return f"rows{self.row_vectors}v"
