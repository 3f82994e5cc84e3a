"""The compile-time constants of the strip kernels, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...gemm.kernels.config import EpilogueConfig
from .config import Columns

MOST_HELD = 72  # registers of a thread for a filter


@dataclass(frozen=True)
class StripConfig(Columns):
    """Constants of the strip kernels.

    A program walks down `lines` strips of `span` destination columns and `width` channels (`channels` per group), and
    takes `rows` steps of the stride at a time.
    `stride` and `phase` (backward data: left padding modulo stride) describe both axes. `ahead`: turns
    whose copies are under way. `vector`: channels per thread on the vector units; `piece`: channels of one copy.
    `pair`: columns whose channels a product sums over together. `pdl`: set up while the kernel before still runs.
    """

    forward: bool
    weight: bool
    channels: int
    pair: int
    width: int
    lines: int
    span: int
    fh: int
    fw: int
    stride: int
    phase: int
    ahead: int
    rows: int
    warps: int
    piece: int
    wide: bool
    atomic: bool
    pdl: bool
    out: Any
    epilogue: EpilogueConfig

    @property
    def planes(self) -> bool:
        """Whether products multiply the pixels of one channel at a time."""
        return self.pair == 16

    @property
    def plane_w(self) -> int:
        """Columns of the gradient in a product of planes: as many as 8 columns of the input meet."""
        return next(n for n in (4, 2, 1) if (n - 1) * self.stride + self.fw <= 8)

    @property
    def plane_h(self) -> int:
        """Rows of the gradient in a product of planes, or of the destination, and in a turn."""
        return 2 if self.weight or self.fw <= 5 else 1

    @property
    def plane_turns(self) -> int:
        """Turns of the gradient in a product of planes, which takes 8 of its pixels."""
        return 4 // self.plane_w

    @property
    def plane_sums(self) -> tuple[tuple[int, int], ...]:
        """(which of a turn's input rows, how many products the gradient is older) of each product of planes."""
        each, ages = self.plane_turns, range(self.depth)
        met = {(p, m // each) for p in range(self.plane_steps) for m in ages if self._plane_meets(p, m)}
        return tuple(sorted(met, key=lambda s: (s[1], s[0])))

    def _plane_meets(self, step: int, age: int) -> bool:
        """Whether some of two input rows meet some of the gradient's two of `age` turns ago by a filter row."""
        first = self.rows_in * age + self.plane_h * step
        rows = range(self.plane_h)
        return any(first + i - self.stride * a in range(self.fh) for i in rows for a in rows)

    @property
    def plane_steps(self) -> int:
        """Products that take a turn's input rows one after the other."""
        return self.rows_in // self.plane_h

    @property
    def unit(self) -> int:
        """Pixels of a piece: `plane_w` columns of a product's rows, of all strips."""
        return 16 * self.plane_h * self.plane_w

    @property
    def window(self) -> int:
        """Destination columns of a product of planes in the data directions: two such groups hold all they meet."""
        return 8 // self.plane_h

    @property
    def windows(self) -> int:
        """Windows side by side in a strip of planes."""
        return self.span // self.window

    @property
    def units(self) -> int:
        """Groups of source columns that a strip of planes has, as wide as windows."""
        return self.windows + 1

    @property
    def x_columns(self) -> int:
        """Input columns of planes in shared memory: a power of two, or those needed where they are much fewer."""
        need = (self.span - self.plane_w) * self.stride + 8
        whole = 1 << (need - 1).bit_length()
        return need if 3 * need <= 2 * whole else whole  # each copy of a part waits for those before it

    @property
    def x_chunks(self) -> tuple[tuple[int, int], ...]:
        """(first column, columns) of the copies of an input row: powers of two."""
        sizes = [n for n in (32, 16, 8, 4, 2) if self.x_columns & n]
        return tuple((sum(sizes[:i]), n) for i, n in enumerate(sizes))

    @property
    def x_units(self) -> int:
        """Pieces that a turn adds to each of the input's rings, of which every step has one."""
        return self.x_columns // self.plane_w

    @property
    def g_units(self) -> int:
        """Pieces that a turn adds to the gradient's rings."""
        return (1 << (self.span - 1).bit_length()) // self.plane_w

    @property
    def g_parts(self) -> int:
        """Rings of the gradient: one, or one per piece where products take pieces of several turns side by side."""
        return self.g_units if self.plane_turns > 1 else 1

    @property
    def g_places(self) -> int:
        """Turns that a ring of the gradient has room for: its first ones stand behind the last one, too."""
        return self.g_slots + self.plane_turns - 1

    @property
    def blocks(self) -> int:
        """Blocks of channels on the matrix units."""
        return self.width // self.block

    @property
    def block(self) -> int:
        """Channels of a block, which a warp holds: 16, or 8 where products sum over several columns."""
        return 16 if self.pair == 1 else 8

    @property
    def dot(self) -> bool:
        """Whether the matrix units do it."""
        return self.channels > 1 or self.pair > 1

    @property
    def line(self) -> int:
        """Channels of a copy from which on wider ones are not faster."""
        return 64 if not self.weight or (self.dot and self.pair in (1, 16)) else 32

    @property
    def groups_of_columns(self) -> int:
        """Groups of 4 source columns that a row of a strip needs where a product takes two of them."""
        return max(self.first_group(w) + self._groups_of_window(w) for w in range(self.span // 4))

    def first_group(self, window: int) -> int:
        """The first group of 4 source columns that a window of 4 destination columns meets."""
        return window * self.stride if self.forward else window // self.stride

    def _groups_of_window(self, window: int) -> int:
        """Groups of 4 source columns that a window of 4 destination columns meets."""
        begin = self.low + 4 * self.first_group(window)
        last = (4 * window + 3) * self.stride + self.fw - 1
        if not self.forward:
            last = (4 * window + 3 + self.phase) // self.stride
        return -(-(last + 1 - begin) // 4)

    @property
    def window_classes(self) -> int:
        """Windows that meet their columns by different filter columns."""
        return 1 if self.forward else min(self.stride, self.span // 4)

    @property
    def products_of_window(self) -> int:
        """Products of a window with one source row, each over two groups of columns."""
        return max(-(-self._groups_of_window(w) // 2) for w in range(self.span // 4))

    @property
    def vector(self) -> int:
        """Channels per thread on the vector units."""
        return self.lines * self.width // (32 * self.warps)

    @property
    def pack(self) -> int:
        """Columns that lie together: of a group, or so many that every thread of the vector units copies a piece."""
        if self.dot:
            return 4 if self.pair == 8 else 1
        return max(1, self.piece // max(1, self.vector))

    @property
    def hold(self) -> bool:
        """Whether the vector units keep the filter in registers."""
        return self.fh * self.fw * self.vector <= MOST_HELD

    @property
    def rows_in(self) -> int:
        """Source rows that a turn adds."""
        if self.planes:
            return self.plane_h * self.stride
        return self.rows * (self.stride if self.forward else 1)

    @property
    def rows_out(self) -> int:
        """Destination rows of a turn."""
        if self.planes:
            return self.plane_h
        return self.rows * (1 if self.forward else self.stride)

    @property
    def reach(self) -> int:
        """Source rows that the destination rows of one step meet."""
        return self.fh if self.forward else (self.fh - 1) // self.stride + 1

    @property
    def need(self) -> int:
        """Source rows that a turn reads, where sums are kept for its own destination rows only."""
        return self.reach + self.rows_in - self.rows_in // self.rows

    @property
    def ring(self) -> int:
        """Source rows in shared memory."""
        return self.need + self.rows_in * self.ahead

    @property
    def depth(self) -> int:
        """Destination rows (turns of them with planes) that meet the source rows of a turn."""
        if self.planes:
            return 1 + (self.fh - 1 + self.stride * (self.plane_h - 1)) // self.rows_in
        return -(-self.fh // self.stride) if self.forward else max(self.fh, self.stride)

    @property
    def lag(self) -> int:
        """Turns from a strip's first source row to its first complete destination row."""
        return self.depth - 1 if self.forward or self.planes else self.reach - 1

    @property
    def idle(self) -> int:
        """Turns of a strip that complete no destination row: its first `lag`, where sums are kept over turns."""
        return self.lag if self.weight or self.planes or not self.dot else 0

    @property
    def sums_of_taps(self) -> int:
        """Sums of backward weight: one per tap; pairs of columns share them, and a filter row has some more."""
        return self.fh * (self.fw + (self.stride if self.pair > 1 else 0))

    @property
    def sums(self) -> int:
        """Registers of a thread that hold sums."""
        each = self.block // 2 if self.dot else self.vector
        if self.planes:
            sets = len(self.plane_sums) if self.weight else self.depth
            return 4 * sets * self.width // self.warps
        if self.weight:
            return self.sums_of_taps * each
        return each * self.span * (self.rows_out if self.dot else self.depth)

    @property
    def late(self) -> bool:
        """Whether backward weight reads what a turn multiplies before new copies begin, which then replace it."""
        return self.weight and self.dot and self.pair == 1 and self.stride == 1

    @property
    def under_way(self) -> int:
        """Turns of backward weight whose copies have begun when one is multiplied, with that one."""
        return self.ahead + (1 if self.late else 0)

    @property
    def x_slots(self) -> int:
        """Turns of source rows in shared memory."""
        return self.ahead + 1

    @property
    def g_slots(self) -> int:
        """Turns of the gradient's rows in shared memory."""
        each = self.plane_turns if self.planes else 1
        return -(-self.depth // each) * each + self.ahead

    def _packed(self, columns: int) -> int:
        """Columns filled up to whole packs."""
        return -(-columns // self.pack) * self.pack

    @property
    def shared(self) -> int:
        """Elements in shared memory."""
        if self.planes and not self.weight:
            return self.width * ((self.ahead + 1) * self.units * 8 * self.lines + 128)
        if self.planes:
            sums = 1 << (len(self.plane_sums) - 1).bit_length()
            units = self.plane_steps * self.x_units * self.x_slots + self.g_units * self.g_places
            return self.width * max(self.unit * units, 2 * 128 * sums)
        columns = 4 * self.groups_of_columns if self.pair == 8 else self._packed(self.high - self.low)
        rows = self.rows_in * self.x_slots * columns
        if self.weight:
            rows += self.g_slots * self._packed(self.span)
        elif self.dot:
            rows = self.ring * columns
        filters = 0 if self.dot or self.weight or self.hold else 2 * self.fh * self.fw
        if self.dot and not self.weight:
            # What waits to be stored takes the place of a filter row that waited to be spread.
            filters = max(self.rows_out * self.span * self.lines, self.filter_numbers if self.pair == 1 else 0)
        return self.width * (rows * self.lines + filters)

    @property
    def filter_numbers(self) -> int:
        """Numbers of an output channel's filter row, filled up to a power of two."""
        return 1 << (self.fw * self.channels - 1).bit_length()

    @property
    def registers(self) -> int:
        """Registers that a thread needs, about."""
        columns = self.high - self.low
        if self.planes and not self.weight:
            return min(255, self.sums + 28 + (2 * self.depth + 4) * self.width // self.warps)
        if self.planes:
            return min(255, self.sums + 20 + 15 * self.width // self.warps)
        if self.dot:
            filters = 4 * self.fh * self.fw
            if self.pair == 8:
                filters = 8 * self.fh * self.products_of_window * self.window_classes
            return min(255, self.sums + 48 + (4 * self.span if self.weight else filters))
        held = 0 if self.weight or not self.hold else self.fh * self.fw
        return min(255, self.sums + 28 + self.vector * (columns + held + (self.span if self.weight else 0)))

    @property
    def resident(self) -> int:
        """Programs that a multiprocessor of 64 warps, 65536 registers and 227 KB of shared memory runs at a time."""
        registers = 65536 // (32 * self.warps * -(-self.registers // 8) * 8)
        return max(1, min(64 // self.warps, registers, 227 * 1024 // (2 * self.shared + 1024), 32))
