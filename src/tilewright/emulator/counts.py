"""What a launch executed, counted: instructions by kind, LDS cycles by emulated addresses, bytes.

These are counts, not times: the emulator knows what a kernel does, and not how fast a GPU does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .instruction import Instruction
from .state import Waves

if TYPE_CHECKING:
    from .assembly import Kernel

# Kinds of instructions; the first pattern that fits an opcode names its kind.
PATTERNS = {
    "matrix": r"v_s?(mfma|mfmac|wmma|wmmac)|v_(smfmac|swmmac)",
    "scratch": r"scratch_",
    "lds": r"ds_",
    "load": r"(global|buffer|flat)_(load|atomic)",
    "store": r"(global|buffer|flat)_store",
    "vector": r"v_",
    "wait": r"s_wait",
    "barrier": r"s_barrier",
    "branch": r"s_c?branch|s_setpc|s_endpgm",
    "scalar": r"s_",
}
KINDS = tuple(PATTERNS)
BANK_BYTES = 4


@lru_cache(maxsize=4096)
def kind_of(opcode: str) -> str:
    """Return the kind of an instruction.

    >>> [kind_of(name) for name in ("v_mfma_f32_32x32x8_f16", "ds_read_b128", "buffer_load_dwordx4", "v_add_f32")]
    ['matrix', 'lds', 'load', 'vector']
    """
    return next((kind for kind, pattern in PATTERNS.items() if re.match(pattern, opcode)), "scalar")


def instruction_counts(instructions: Iterable[Instruction]) -> dict[str, int]:
    """Return how many of the instructions are of each kind; a dual instruction counts once."""
    found = dict.fromkeys(KINDS, 0)
    for i in instructions:
        found[kind_of(i.opcode)] += 1
    return found


def multiply_adds(opcode: str) -> int:
    """Return the multiplications of one matrix instruction; 0 for others.

    >>> multiply_adds("v_mfma_f32_32x32x8_f16"), multiply_adds("v_mfma_f32_4x4x4_16b_f16"), multiply_adds("v_add_f32")
    (8192, 1024, 0)
    """
    found = re.match(r"v_\w*?_(\d+)x(\d+)x(\d+)(?:_(\d+)b_)?", opcode)
    if found is None or kind_of(opcode) != "matrix":
        return 0
    m, n, k, blocks = (int(x or 1) for x in found.groups())
    return m * n * k * blocks


@dataclass
class Tally:
    """Counts of one launch, summed over all waves. LDS cycles are those of one unit's banks, by emulated addresses.

    `lds_ideal` is what the same accesses need without bank conflicts. `scratch_bytes` is the traffic of registers that
    were spilled.
    """

    banks: int = 32
    executed: dict[int, int] = field(default_factory=dict)  # first instruction of a block -> waves that executed it
    lds_cycles: int = 0
    lds_ideal: int = 0
    loaded_bytes: int = 0
    stored_bytes: int = 0
    scratch_bytes: int = 0

    def block(self, start: int, waves: int) -> None:
        """Note that waves executed the block that begins at an instruction."""
        self.executed[start] = self.executed.get(start, 0) + waves

    def lds(self, st: Waves, address: Any, size: int) -> None:
        """Note one LDS instruction: lanes that move 4 bytes per bank at a time, and those that meet in a bank."""
        address, active = np.broadcast_to(address, (st.W, st.lanes)), np.broadcast_to(st.E, (st.W, st.lanes))
        words = max(1, size // BANK_BYTES)
        group = max(1, min(st.lanes, self.banks // words))  # lanes served at once
        at = (address // BANK_BYTES).reshape(st.W, -1, group)
        on = active.reshape(at.shape)
        cells = (at[..., None] + np.arange(words)).reshape(*at.shape[:2], -1)
        idle = np.repeat(~on, words, axis=-1)
        self.lds_ideal += int(on.any(-1).sum())
        self.lds_cycles += int(_turns(np.where(idle, -1, cells), self.banks).sum())

    def memory(self, address: Any, size: int, where: Any, store: bool) -> None:
        """Note one access to global memory: bytes of the lanes that take part."""
        if np.ndim(address) < 2:  # scalar loads: arguments and descriptors
            return
        moved = int(np.broadcast_to(where, np.shape(address)).sum()) * size
        if store:
            self.stored_bytes += moved
        else:
            self.loaded_bytes += moved

    def scratch(self, size: int, where: Any, shape: tuple[int, ...]) -> None:
        """Note one access to scratch."""
        self.scratch_bytes += int(np.broadcast_to(where, shape).sum()) * size

    def counts(self, kernel: Kernel) -> dict[str, int]:
        """Return all counts by name: instructions by kind, products, LDS cycles, bytes."""
        found, products = dict.fromkeys(KINDS, 0), 0
        ends = _ends(kernel)
        for start, waves in self.executed.items():
            for i in kernel.instructions[start : ends[start]]:
                found[kind_of(i.opcode)] += waves
                products += waves * multiply_adds(i.opcode)
        return {
            **found, "multiply_adds": products, "lds_cycles": self.lds_cycles, "lds_ideal": self.lds_ideal,
            "loaded_bytes": self.loaded_bytes, "stored_bytes": self.stored_bytes,
            "scratch_bytes": self.scratch_bytes,
        }  # fmt: skip


def _ends(kernel: Kernel) -> Mapping[int, int]:
    """Return where each block ends, by its first instruction."""
    starts = {0, *kernel.labels.values()} | {i.index + 1 for i in kernel.instructions if i.ends_block}
    ordered = sorted(s for s in starts if s < len(kernel.instructions))
    return dict(zip(ordered, [*ordered[1:], len(kernel.instructions)], strict=True))


def _turns(cells: Any, banks: int) -> Any:
    """Return how often the fullest bank is used by each group of lanes; lanes that read one cell share it.

    >>> _turns(np.array([[[0, 32, 64, 1], [5, 5, 5, -1]]]), 32).tolist()
    [[3, 1]]
    """
    ordered = np.sort(cells, axis=-1)
    new = (ordered >= 0) & np.concatenate([np.ones((*cells.shape[:-1], 1), bool), np.diff(ordered) != 0], axis=-1)
    groups = new.reshape(-1, cells.shape[-1])
    bank = (ordered % banks).reshape(groups.shape)
    used = np.zeros((len(groups), banks), np.int32)
    row = np.broadcast_to(np.arange(len(groups))[:, None], groups.shape)
    np.add.at(used, (row[groups], bank[groups]), 1)
    return used.max(-1).reshape(cells.shape[:-1])
