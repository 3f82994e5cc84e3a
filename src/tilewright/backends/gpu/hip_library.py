"""Which libamdhip64 this process uses. Two runtimes in one process do not know each other's memory and streams."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from ...errors import DeviceError
from ...jit.loaded import loaded_files

NAMES = ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")


def load_library() -> Any:
    """Return the runtime of this machine, loaded; loading initialises nothing."""
    said = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            said = str(error)
    raise DeviceError(
        f"the HIP runtime libamdhip64.so was not found ({said})",
        remedy="install ROCm, or run on a machine with an AMD GPU",
    )


def runtime_path() -> str | None:
    """Return the file of the HIP runtime of this machine; None if there is none."""
    try:
        return str(load_library()._name)
    except DeviceError:
        return None


def _candidates() -> Iterator[str]:
    """Yield where the runtime may be: what torch has loaded, what torch brings along, ROCM_PATH, the system's."""
    yield from _of_loaded_torch()
    yield from _beside("torch", "lib")
    yield from _beside("_rocm_sdk_core", "lib")  # ROCm as Python packages, which torch loads
    yield from (os.path.join(root, "lib", name) for root in [os.environ.get("ROCM_PATH", "")] if root for name in NAMES)
    yield from (os.path.join("/opt/rocm/lib", name) for name in NAMES)
    yield from NAMES


def _of_loaded_torch() -> Iterator[str]:
    """Yield the runtime that a torch for ROCm has loaded into this process, from anywhere."""
    version = getattr(sys.modules.get("torch"), "version", None)
    if getattr(version, "hip", None) is None:
        return
    yield from [path for path in loaded_files() if os.path.basename(path).startswith("libamdhip64.so")][:1]


def _beside(package: str, folder: str) -> Iterator[str]:
    """Yield the runtime inside of an installed package, which is not imported for it."""
    found = find_spec(package)
    if found is not None and found.origin:
        yield from (os.path.join(os.path.dirname(found.origin), folder, name) for name in NAMES)
