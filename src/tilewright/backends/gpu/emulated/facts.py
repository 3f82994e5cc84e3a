"""What the stand-in for the HIP runtime says about its GPUs: attributes, properties, occupancy."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....emulator import Kernel
from ....model.device import Device
from ..hip_detect import ATTRIBUTES

PROPERTIES_BYTES, ARCH_OFFSET, ARCH_BYTES = 1472, 1160, 256  # hipDeviceProp_tR0600 and its gcnArchName
BUS_BITS = 4096
REGISTERS_PER_LANE = {64: 512, 32: 1536}  # that the waves of a SIMD share, by the size of a wave


def attribute(device: Device, number: int) -> int | None:
    """Return a number that the runtime tells about a GPU; None if it is not one that tilewright reads.

    >>> from tilewright.arch import get_nominal_devices
    >>> attribute(get_nominal_devices("gfx942")[0], ATTRIBUTES["units"])
    304
    """
    arch: Any = get_arch(device.arch)
    values = {
        "clock_khz": int(device.clock_mhz * 1e3),
        "l2_bytes": device.l2_bytes,
        "bus_bits": BUS_BITS,
        "memory_clock_khz": int(device.bandwidth_gbps * 1e9 / (2 * BUS_BITS / 8) / 1e3),
        "units": device.units,
        "lds_bytes": arch.lds_bytes,
    }
    return next((values[name] for name, n in ATTRIBUTES.items() if n == number), None)


def properties(device: Device) -> bytes:
    """Return the structure of properties with its name, memory and arch filled in; all else is 0."""
    raw = bytearray(PROPERTIES_BYTES)
    name = device.name.encode()[:255]
    raw[: len(name)] = name
    arch = device.arch.encode() + b":sramecc+:xnack-"
    raw[ARCH_OFFSET : ARCH_OFFSET + len(arch)] = arch
    return bytes(raw)


def blocks_per_unit(kernel: Kernel, arch: Any, threads: int, dynamic_lds: int) -> int:
    """Return how many workgroups a compute unit holds: as many as registers, LDS and wave slots allow."""
    waves = -(-threads // kernel.wave_size)
    registers = max(8, kernel.vector_registers + kernel.accumulation_registers)
    per_simd = min(arch.max_waves_per_simd, REGISTERS_PER_LANE[kernel.wave_size] // registers)
    by_waves = arch.simds_per_unit * max(1, per_simd) // waves
    lds = kernel.lds_bytes + dynamic_lds
    by_lds = arch.lds_bytes // lds if lds else by_waves
    return max(1, min(int(by_waves), int(by_lds)))
