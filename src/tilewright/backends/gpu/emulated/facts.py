"""What the stand-in for the HIP runtime says about its GPUs: attributes, properties, occupancy."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....emulator import Kernel
from ....model.device import Device
from ..hip_detect import ATTRIBUTES
from ..occupancy import blocks_per_unit

PROPERTIES_BYTES, ARCH_OFFSET, ARCH_BYTES = 1472, 1160, 256  # hipDeviceProp_tR0600 and its gcnArchName
BUS_BITS = 4096


def attribute(device: Device, number: int) -> int | None:
    """Return a number that the runtime reports about a GPU; None if it is not one that tilewright reads.

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


def resident_groups(kernel: Kernel, arch: Any, threads: int, dynamic_lds: int) -> int:
    """Return how many workgroups a compute unit holds: as many as registers, LDS and wave slots allow."""
    registers = kernel.vector_registers + kernel.accumulation_registers
    return blocks_per_unit(arch, threads, registers, kernel.lds_bytes + dynamic_lds)
