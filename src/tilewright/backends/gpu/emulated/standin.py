"""The stand-in for the HIP runtime: built at first use, served by one emulated runtime with a GPU of every arch."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from ....emulator import ISAS
from ....errors import check_known
from ....jit.artifact import BuildRequest
from ....jit.compiler import cxx_request
from ....settings import Settings
from ..hip_driver import HipDriver, hip_driver
from .runtime import HANDLER, EmulatedRuntime, emulated_devices, handler_of

SOURCE = Path(__file__).with_name("hip_standin.cpp")
LIBRARY = "libamdhip64.so"


def standin_request(settings: Settings) -> BuildRequest:
    """Return the build of the library; it needs a C++ compiler, and no headers but the compiler's own."""
    return cxx_request(
        SOURCE.read_text(encoding="utf-8"), name="tw_hip_standin", flags=("-ldl",), settings=settings, output=LIBRARY,
        source_name=SOURCE.name,
    )  # fmt: skip


def standin_library(settings: Settings | None = None) -> Path:
    """Return the path of the library, built if the cache has none."""
    from ....jit.cache import Cache
    from ....jit.use import load_built

    store = Cache.from_settings(settings)
    request = standin_request(store.settings)
    return load_built(request, store, lambda artifact: artifact.file(), may_build=store.settings.may_build)


@cache
def emulated_runtime() -> EmulatedRuntime:
    """Return the runtime behind the places `emu:ARCH` of this process: one GPU of each arch that the emulator knows."""
    return EmulatedRuntime(emulated_devices(list(ISAS)))


@cache
def _served() -> str:
    """Return the path of the library, loaded and served by the runtime of this process."""
    path = str(standin_library())
    serve = ctypes.CDLL(path).tilewright_serve
    serve.argtypes, serve.restype = (HANDLER,), None
    serve(handler_of(emulated_runtime()))
    return path


def emulated_driver(arch: str) -> HipDriver:
    """Return the driver of the emulated GPU of an arch: that of real AMD GPUs, over the stand-in library."""
    check_known("arch of an emulated GPU", arch, ISAS)
    return hip_driver(list(ISAS).index(arch), _served())
