"""What differs between the instruction sets that the emulator knows."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import AssemblyError

VCC, NULL, M0, SCC, EXEC = 106, 125, 124, 253, 126  # scalar registers by the emulator's own numbers
TTMP = 108
SCALARS = 256
ACCUMULATORS = 512  # accumulation register 0 is vector register 512
VECTOR = 256  # in sets of registers, vector register r is VECTOR + r


@dataclass(frozen=True)
class Isa:
    """One instruction set. `counters` maps a kind of memory access to the counter that a wait names.

    `flushes_halves`: products and dot products of 16-bit floats read and write denormal numbers as 0 (MI200 only).
    """

    name: str
    family: str
    fnuz: bool = False
    keeps_high_half: bool = False
    packed_ids: bool = True
    ids_in_ttmp: bool = False
    flushes_halves: bool = False

    @property
    def counters(self) -> dict[str, str]:
        """The wait counter of loads, stores, LDS accesses and scalar loads.

        >>> isa_of("gfx942").counters["store"], isa_of("gfx1100").counters["store"]
        ('vm', 'vs')
        """
        return COUNTERS[self.family]


COUNTERS = {
    "cdna": {"load": "vm", "store": "vm", "lds": "lgkm", "scalar": "lgkm"},
    "rdna3": {"load": "vm", "store": "vs", "lds": "lgkm", "scalar": "lgkm"},
    "rdna4": {"load": "load", "store": "store", "lds": "ds", "scalar": "km"},
}

ISAS = {
    isa.name: isa
    for isa in (
        Isa("gfx908", "cdna", packed_ids=False),
        Isa("gfx90a", "cdna", flushes_halves=True),
        Isa("gfx942", "cdna", fnuz=True),
        Isa("gfx950", "cdna"),
        Isa("gfx1100", "rdna3", keeps_high_half=True),
        Isa("gfx1200", "rdna4", keeps_high_half=True, ids_in_ttmp=True),
        Isa("gfx1201", "rdna4", keeps_high_half=True, ids_in_ttmp=True),
    )
}


def isa_of(name: str) -> Isa:
    """Return the instruction set of an arch; raise an error that lists the known ones.

    >>> isa_of("gfx1201").family
    'rdna4'
    """
    found = ISAS.get(name)
    if found is None:
        raise AssemblyError(
            f"the emulator does not know arch {name or '(none)'!r}", remedy=f"compile for one of {', '.join(ISAS)}"
        )
    return found
