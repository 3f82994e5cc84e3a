"""How many blocks share a compute unit of an AMD GPU."""

from __future__ import annotations

from ...model.arch import AmdArch

REGISTERS_PER_LANE = {64: 512, 32: 1536}  # that the waves of a SIMD share, by the size of a wave
FEWEST_REGISTERS = 8  # that a wave gets


def blocks_per_unit(arch: AmdArch, threads: int, registers: int, lds_bytes: int) -> int:
    """Return how many blocks a compute unit holds: as many as registers, LDS and wave slots allow, at least 1.

    `registers` counts those of a lane, accumulation registers included.

    >>> from tilewright.arch import get_arch
    >>> [blocks_per_unit(get_arch("gfx942"), 256, registers, 16384) for registers in (64, 128, 512)]
    [4, 4, 1]
    """
    waves = -(-threads // arch.wave_size)
    per_simd = min(arch.max_waves_per_simd, REGISTERS_PER_LANE[arch.wave_size] // max(FEWEST_REGISTERS, registers))
    by_waves = arch.simds_per_unit * max(1, per_simd) // max(1, waves)
    by_lds = arch.lds_bytes // lds_bytes if lds_bytes else by_waves
    return max(1, min(by_waves, by_lds))
