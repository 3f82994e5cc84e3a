"""Which GPUs are here, found without creating a context on any of them."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from ...model.device import Device
from .cuda_driver import ATTRIBUTES


@cache
def gpu_devices() -> tuple[Device, ...]:
    """Return the NVIDIA GPUs that this process may use; empty if there is no driver or no GPU.

    `cuInit` and attribute queries make no context, so asking costs no GPU memory and a later fork stays possible until
    the first launch.
    """
    lib = _driver()
    if lib is None:
        return ()
    count = ctypes.c_int()
    if lib.cuDeviceGetCount(ctypes.byref(count)):
        return ()
    return tuple(_device(lib, i) for i in range(count.value))


def missing_gpu() -> str | None:
    """Return why no GPU can be used here, with the remedy; None if one can."""
    lib = _driver()
    if lib is None:
        return "no NVIDIA driver (libcuda.so.1) responds. Fix: run on a machine with an NVIDIA GPU."
    return None if gpu_devices() else "the NVIDIA driver sees no GPU. Fix: check CUDA_VISIBLE_DEVICES."


@cache
def _driver() -> Any:
    try:
        lib = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return None if lib.cuInit(0) else lib


def _device(lib: Any, ordinal: int) -> Device:
    handle = ctypes.c_int()
    lib.cuDeviceGet(ctypes.byref(handle), ordinal)
    found = {}
    for name, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        lib.cuDeviceGetAttribute(ctypes.byref(value), number, handle)
        found[name] = value.value
    text, memory = ctypes.create_string_buffer(128), ctypes.c_size_t()
    lib.cuDeviceGetName(text, 128, handle)
    lib.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)
    # Two transfers per clock of the memory, bus_bits wide.
    bandwidth = 2 * found["memory_clock_khz"] * 1e3 * found["bus_bits"] / 8 / 1e9
    name, arch = text.value.decode(), f"sm_{found['major']}{found['minor']}"
    rated = _rated(name, arch)
    return Device(
        name=name,
        arch=arch,
        units=found["units"],
        clock_mhz=rated.clock_mhz if rated else found["clock_khz"] / 1e3,
        bandwidth_gbps=rated.bandwidth_gbps if rated else bandwidth,
        l1_bytes=found["shared_per_unit"],
        l2_bytes=found["l2_bytes"],
        memory_bytes=memory.value,
    )


def _rated(name: str, arch: str) -> Device | None:
    """The nominal device of that name: its clock is the one held under load, the driver's the highest for a moment.

    Cost models are fitted with nominal figures, so a described GPU and a present one are ranked alike.
    """
    from ...arch import default_catalog, get_nominal_devices

    words = set(name.split())
    if arch not in {a.name for a in default_catalog().values()}:
        return None
    return next((d for d in get_nominal_devices(arch) if d.name.split("-")[0] in words), None)
