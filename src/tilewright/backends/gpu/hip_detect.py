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
from ...errors import DeviceError, UnknownNameError
from ...model.device import Device
from .hip_library import runtime_path

NO_DEVICE = 100  # hipErrorNoDevice
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
        said = done.stderr.strip().splitlines()[-1:] if facts is None else []
    except (OSError, ValueError, subprocess.TimeoutExpired):
        facts, said = None, []
    if facts is None:
        why = f" ({said[0]})" if said else ""
        return [], f"the HIP runtime {path} does not respond{why}. Fix: check the driver with `rocminfo`."
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
        # The runtime reports the L2 cache of one die, and not the cache behind it.
        l2_bytes=max(facts["l2_bytes"], rated.l2_bytes if rated else 0),
        llc_bytes=(rated or nominal[0]).llc_bytes if nominal else 0,
        memory_bytes=facts["memory_bytes"],
    )


def facts_of(lib: Any, ordinal: int) -> dict[str, Any]:
    """Return what the runtime says about one GPU."""
    found: dict[str, Any] = {}
    for name, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        _ask(lib, "hipDeviceGetAttribute", ctypes.byref(value), number, ordinal)
        found[name] = value.value
    text, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    _ask(lib, "hipDeviceGetName", text, 256, ordinal)
    _ask(lib, "hipDeviceTotalMem", ctypes.byref(memory), ordinal)
    return {**found, "name": text.value.decode(), "arch": arch_of(lib, ordinal), "memory_bytes": memory.value}


def arch_of(lib: Any, ordinal: int) -> str:
    """Return the arch of a GPU, such as gfx942: a text in the properties, whose place depends on the ROCm version."""
    properties = ctypes.create_string_buffer(PROPERTIES_BYTES)
    name = "hipGetDevicePropertiesR0600"
    _ask(lib, name if hasattr(lib, name) else "hipGetDeviceProperties", properties, ordinal)
    found = re.search(rb"gfx[0-9a-f]{3,4}(?=[:\0])", properties.raw)
    return found[0].decode() if found else "unknown"


def _ask(lib: Any, name: str, *words: Any) -> None:
    """Call the runtime; raise `DeviceError` if it fails."""
    code = getattr(lib, name)(*words)
    if code:
        raise DeviceError(f"{name} failed with HIP error {code}", remedy="check the driver with `rocminfo`")


def main(path: str) -> int:
    """Print the facts of each GPU as JSON; the exit status is 1 if the runtime does not start."""
    lib, count = ctypes.CDLL(path), ctypes.c_int()
    try:
        for name, words in (("hipInit", (0,)), ("hipGetDeviceCount", (ctypes.byref(count),))):
            code = getattr(lib, name)(*words)
            if code == NO_DEVICE:  # to some versions of the runtime, having no GPU is an error
                print("[]")
                return 0
            if code:
                raise DeviceError(f"{name} failed with HIP error {code}")
        print(json.dumps([facts_of(lib, i) for i in range(count.value)]))
    except DeviceError as error:
        print(error.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
