"""What to do about an error code of the HIP runtime."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...errors import BuildError
from .amd_code import code_object_version, read_code_object

NO_BINARY = 209
CAPTURE = range(900, 909)  # hipErrorStreamCapture...
FIRST_ROCM = {6: (6, 3)}  # that loads a version of code objects
LOADED_BY_ALL = 5  # the version that every ROCm from 5.4 on loads
REPORT = "see the HIP documentation for this error code"
BROKEN = "the GPU cannot be used any more in this process: start a new one, and find the kernel with `emu:ARCH`"
_REMEDIES: tuple[tuple[Iterable[int], str], ...] = (
    ((2,), "free GPU memory, or use a kernel that needs no workspace"),
    ((1, 9, 17), "internal error (please report it): the runtime refuses what it was given"),
    ((3, 4, 709), "start a new process: the runtime is not initialised, or was shut down"),
    ((35, 303), "update the GPU's kernel driver (amdgpu) to one that this ROCm supports"),
    ((100, 101), "run on a machine with an AMD GPU that this process may use (HIP_VISIBLE_DEVICES)"),
    (
        (98, 200, 218, 300, 500),
        "the build is damaged: clear it from the cache and build it again",
    ),
    ((301,), "the build was removed meanwhile: build it again"),
    ((302, 304, 1052, 1053), "check the driver with `rocminfo`: the runtime met an error of the system"),
    ((400,), "pass a stream of this GPU that was not destroyed"),
    ((701, 720), "use a kernel with fewer registers, less LDS or smaller blocks"),
    ((53, 214, 700, 702, 710, 719), BROKEN),
    (CAPTURE, "call the operation once before the graph is captured; inside of a capture nothing may be waited for"),
)


def remedy_of(code: int) -> str:
    """Return what to do about an error code.

    >>> remedy_of(2)
    'free GPU memory, or use a kernel that needs no workspace'
    """
    return next((text for codes, text in _REMEDIES if code in codes), REPORT)


def unloadable(path: Path, arch: str, version: int) -> str:
    """Return the remedy for a code object that the runtime has no use for (209): read from the file what is wrong.

    `arch` is that of the GPU, `version` that of the runtime (hipRuntimeGetVersion: 60342131 is 6.3).
    """
    try:
        binary = path.read_bytes()
        made = read_code_object(binary)[0].partition(":")[0]
    except (OSError, BuildError):
        return "the file is no code object: clear it from the cache and build it again"
    if arch and made != arch:
        return f"the code object is for {made}, the GPU is {arch}: build the kernel for this GPU's arch"
    written, runtime = code_object_version(binary), (version // 10_000_000, version // 100_000 % 100)
    newer = FIRST_ROCM.get(written)
    if newer is not None and version and runtime < newer:
        return (
            f"the code object has version {written}, which ROCm {runtime[0]}.{runtime[1]} does not load: build the "
            f"kernel again (it gets version {LOADED_BY_ALL}), or update ROCm to {newer[0]}.{newer[1]}"
        )
    return f"the code object is for {made} as this GPU is; its xnack or sramecc feature may differ: build it again here"
