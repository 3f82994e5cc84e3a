"""Which AMD GPUs are here. A process of its own asks the HIP runtime, so this one can still fork afterwards.

`python -m tilewright.backends.gpu.hip_detect LIBRARY` prints the facts of each GPU as JSON.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from ...arch import get_nominal_devices
from ...errors import UnknownNameError
from ...model.device import Device
from .hip_driver import runtime_path

TIMEOUT = 60.0  # seconds; a runtime takes about one to start
PROPERTIES_BYTES = 8192  # more than the structure has in any version
# hipDeviceAttribute_t: the numbers have been the same since ROCm 5.
ATTRIBUTES = {"clock_khz": 5, "l2_bytes": 19, "bus_bits": 59, "memory_clock_khz": 60, "units": 63, "lds_bytes": 74}


@cache
def hip_devices() -> tuple[Device, ...]:
    """Return the AMD GPUs that this process may use, in the runtime's order; empty if there is no runtime or GPU."""
    return tuple(device_of(facts) for facts in _asked()[0])


def missing_hip() -> str | None:
    """Return why no AMD GPU can be used here, with the remedy; None if one can."""
    return _asked()[1]


@cache
def _asked() -> tuple[list[dict[str, Any]], str | None]:
    """Return (facts of each GPU, why there is none)."""
    path = runtime_path()
    if path is None:
        return [], (
            "the HIP runtime libamdhip64.so was not found. Fix: install ROCm, or run on a machine with an AMD GPU."
        )
    argv = [sys.executable, "-m", __name__, path]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        facts = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        facts = None
    if facts is None:
        return [], f"the HIP runtime {path} does not respond. Fix: check the driver with `rocminfo`."
    return facts, None if facts else "the HIP runtime sees no GPU. Fix: check HIP_VISIBLE_DEVICES."


def device_of(facts: Mapping[str, Any]) -> Device:
    """Return the device of some facts. A known model has its rated clock and bandwidth, which hold under load."""
    try:
        nominal = list(get_nominal_devices(facts["arch"]))
    except UnknownNameError:
        nominal = []
    named = [d for d in nominal if d.name.removesuffix("-GCD").replace("-", " ") in facts["name"].replace("-", " ")]
    rated = named[0] if named else None
    measured = 2 * facts["memory_clock_khz"] * 1e3 * facts["bus_bits"] / 8 / 1e9  # two transfers per clock
    return Device(
        name=facts["name"],
        arch=facts["arch"],
        units=facts["units"],
        clock_mhz=rated.clock_mhz if rated else facts["clock_khz"] / 1e3,
        bandwidth_gbps=rated.bandwidth_gbps if rated else measured,
        l1_bytes=rated.l1_bytes if rated else 0,
        l2_bytes=facts["l2_bytes"],
        llc_bytes=rated.llc_bytes if rated else 0,
        memory_bytes=facts["memory_bytes"],
    )


def facts_of(lib: Any, ordinal: int) -> dict[str, Any]:
    """Return what the runtime says about one GPU."""
    found: dict[str, Any] = {}
    for name, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        lib.hipDeviceGetAttribute(ctypes.byref(value), number, ordinal)
        found[name] = value.value
    text, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    lib.hipDeviceGetName(text, 256, ordinal)
    lib.hipDeviceTotalMem(ctypes.byref(memory), ordinal)
    return {**found, "name": text.value.decode(), "arch": _arch(lib, ordinal), "memory_bytes": memory.value}


def _arch(lib: Any, ordinal: int) -> str:
    """The arch of a GPU, such as gfx942: a text in the properties, whose place differs between versions of ROCm."""
    properties = ctypes.create_string_buffer(PROPERTIES_BYTES)
    ask = getattr(lib, "hipGetDevicePropertiesR0600", None) or lib.hipGetDeviceProperties
    ask(properties, ordinal)
    found = re.search(rb"gfx[0-9a-f]{3,4}(?=[:\0])", properties.raw)
    return found[0].decode() if found else "unknown"


def main(path: str) -> int:
    """Print the facts of each GPU as JSON; the exit status is 1 if the runtime does not start."""
    lib, count = ctypes.CDLL(path), ctypes.c_int()
    if lib.hipInit(0) or lib.hipGetDeviceCount(ctypes.byref(count)):
        count.value = 0  # no GPU is an error to some versions of the runtime
    print(json.dumps([facts_of(lib, i) for i in range(count.value)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
