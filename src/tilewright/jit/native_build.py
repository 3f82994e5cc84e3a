"""The two native helpers, built at first use through the same cache as every kernel: thread pool and launcher.

Their sources are inputs of the build request, so their content is in the build key. The headers of Python and NumPy
never change within a version, so only the versions are in the key.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from ..errors import BuildForbiddenError, ToolchainError
from ..settings import Settings
from .artifact import BuildRequest
from .cache import Cache
from .compiler import find_compiler, linker_flags
from .use import load_library

NATIVE = Path(__file__).parent / "native"
FLAGS = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")
ELF_FLAGS = ("-Wl,--as-needed", "-Wl,-z,nodelete")
RUNTIME_SOURCES = ("runtime.cpp", "runtime_lender.hpp", "runtime_os.hpp", "tilewright_abi.h")
LAUNCHER_SOURCES = (
    "launcher.cpp",
    "launcher_blas.hpp",
    "launcher_call.hpp",
    "launcher_dlpack.hpp",
    "launcher_gpu.hpp",
    "launcher_key.hpp",
    "launcher_layer.hpp",
    "launcher_memo.hpp",
    "launcher_memo_type.hpp",
    "launcher_pattern.hpp",
    "launcher_rows.hpp",
    "launcher_scratch.hpp",
    "launcher_series.hpp",
    "launcher_watch.hpp",
    "launcher_written.hpp",
    "tilewright_abi.h",
    "tilewright_extent.h",
)


Load = Callable[[str], Any]  # takes a name that the loader of the system can open


def load_runtime(load: Load, cache: Cache | None = None, cancel: Event | None = None) -> Any:
    """Return `load` of the thread pool library; build it if it is not cached."""
    cache = cache or Cache.from_settings()
    return _load(runtime_request(cache.settings), cache, load, cancel)


def load_launcher(load: Load, cache: Cache | None = None, cancel: Event | None = None) -> Any:
    """Return `load` of the launcher extension for this Python and NumPy; build it if it is not cached.

    Raises `ToolchainError` if a compiler or headers are missing, `BuildError` if the compiler refuses.
    """
    cache = cache or Cache.from_settings()
    return _load(launcher_request(cache.settings), cache, load, cancel)


def runtime_request(settings: Settings) -> BuildRequest:
    """Return the build of the thread pool: no Python, no C++ library, only the system's threads."""
    return _request("tw_runtime", RUNTIME_SOURCES, ("-fno-exceptions", "-fno-rtti", "-pthread"), {}, settings)


def launcher_request(settings: Settings) -> BuildRequest:
    """Return the build of the C launcher against the running Python and NumPy."""
    import numpy as np

    python = sysconfig.get_paths()["include"]
    if not Path(python, "Python.h").is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolchainError(
            f"Python.h is not in {python}, so the C launcher cannot be built",
            remedy=f"install Python's headers (Debian/Ubuntu: `apt-get install python{version}-dev`)",
        )
    numpy = np.get_include()
    if not Path(numpy, "numpy", "arrayobject.h").is_file():
        raise ToolchainError(
            f"NumPy's headers are not in {numpy}, so the C launcher cannot be built", remedy="reinstall numpy"
        )
    versions = {"python": sys.version, "soabi": sysconfig.get_config_var("SOABI") or "", "numpy": np.__version__}
    return _request("tw_launcher", LAUNCHER_SOURCES, ("-isystem", python, "-isystem", numpy), versions, settings)


def helper_requests(settings: Settings, *, threads: bool) -> list[BuildRequest]:
    """Return the builds that calls of kernels need: the C launcher, and with `threads` the thread pool.

    What cannot be built here for lack of tools is left out.
    """
    found = []
    for request_of in (launcher_request, runtime_request) if threads else (launcher_request,):
        with suppress(ToolchainError):
            found.append(request_of(settings))
    return found


def _request(
    name: str, sources: tuple[str, ...], flags: tuple[str, ...], versions: Mapping[str, str], settings: Settings
) -> BuildRequest:
    compiler = find_compiler(settings)
    output = f"{name}.so"
    return BuildRequest(
        spec_digest="",
        name=name,
        inputs={source: (NATIVE / source).read_text(encoding="utf-8") for source in sources},
        commands=((*compiler.argv, *FLAGS, *linker_flags(compiler, *ELF_FLAGS), *flags, sources[0], "-o", output),),
        outputs=(output,),
        key={"compiler": compiler.fingerprint(), **versions},
        timeout=settings.build_timeout,
    )


def _load(request: BuildRequest, cache: Cache, load: Load, cancel: Event | None) -> Any:
    try:
        return load_library(request, cache, load, may_build=cache.settings.may_build, cancel=cancel)
    except BuildForbiddenError:
        raise BuildForbiddenError(
            f"{request.name} is not in the cache, and building is switched off",
            remedy="run `tilewright build` or warm_up(problems), which build it too, or ship a cache that holds it",
        ) from None
