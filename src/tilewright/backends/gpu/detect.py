"""Which GPUs are here, found without creating a context on any of them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any

from ...arch import get_nominal_devices
from ...errors import UnknownNameError
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
    found: dict[str, Any] = {}
    for name, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        lib.cuDeviceGetAttribute(ctypes.byref(value), number, handle)
        found[name] = value.value
    text, memory = ctypes.create_string_buffer(128), ctypes.c_size_t()
    lib.cuDeviceGetName(text, 128, handle)
    lib.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)
    return device_of({**found, "name": text.value.decode(), "memory_bytes": memory.value})


def device_of(facts: Mapping[str, Any]) -> Device:
    """Return the device that the driver describes: its `ATTRIBUTES`, `name` and `memory_bytes`.

    >>> facts = {"major": 9, "minor": 0, "units": 132, "clock_khz": 1, "memory_clock_khz": 1, "bus_bits": 1,
    ...          "shared_per_unit": 233472, "l2_bytes": 1, "name": "NVIDIA H200", "memory_bytes": 1}
    >>> device_of(facts).arch
    'sm_90'
    """
    # Two transfers per clock of the memory, bus_bits wide.
    bandwidth = 2 * facts["memory_clock_khz"] * 1e3 * facts["bus_bits"] / 8 / 1e9
    name, arch = facts["name"], f"sm_{facts['major']}{facts['minor']}"
    rated = _rated(name, arch)
    return Device(
        name=name,
        arch=arch,
        units=facts["units"],
        clock_mhz=rated.clock_mhz if rated else facts["clock_khz"] / 1e3,
        bandwidth_gbps=rated.bandwidth_gbps if rated else bandwidth,
        l1_bytes=facts["shared_per_unit"],
        l2_bytes=facts["l2_bytes"],
        memory_bytes=facts["memory_bytes"],
    )


def _rated(name: str, arch: str) -> Device | None:
    """The nominal device of that name: its clock is the one held under load, the driver's the highest for a moment.

    Cost models are fitted with nominal figures, so a described GPU and a present one are ranked alike.
    """
    words = name.split(" ")
    try:
        nominal = get_nominal_devices(arch)
    except UnknownNameError:
        return None
    return next((d for d in nominal if d.name.split("-")[0] in words), None)
