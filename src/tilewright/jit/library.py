"""Shared libraries in this process, each loaded from the bytes that were checked, and the one that gives threads.

The runtime is the thread pool of all kernels: one per process, loaded when a launch first uses more than one thread.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from ..errors import CacheError, LaunchError
from ..model.locks import new_lock
from ..settings import Settings
from .binary import BadLibraryError, check_machine, host_machine
from .private_copy import private_copy

if TYPE_CHECKING:
    from .cache import Cache

MAX_LIBRARY_BYTES = 1 << 30
_runtime_lock = new_lock()
_runtime: ctypes.CDLL | None = None
_lent: tuple[int, ...] | None = None  # see borrow_threads


def open_library(path: Path, sha256: str | None = None) -> ctypes.CDLL:
    """Return the library at `path`, loaded from a private copy; raise `CacheError` if it is damaged or foreign."""
    library: ctypes.CDLL = load_from(path, dlopen, sha256)
    return library


def dlopen(name: str) -> ctypes.CDLL:
    """Return the library, with local symbols and everything resolved at once."""
    return ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL)


def import_extension(module_name: str, path: str) -> Any:
    """Return the extension module in the library at `path`; `LaunchError` if it cannot be imported."""
    loader = importlib.machinery.ExtensionFileLoader(module_name, path)
    spec = importlib.util.spec_from_file_location(module_name, path, loader=loader)
    try:
        if spec is None:
            raise ImportError("it is no extension module")
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise LaunchError(
            f"extension {path} cannot be imported: {error}", remedy="run `tilewright cache verify`"
        ) from None
    return module


def load_from(path: Path, load: Callable[[str], Any], sha256: str | None = None) -> Any:
    """Return `load(name)`, where `name` holds the checked bytes of the library at `path`.

    That is a private copy, or the file itself if the system has no private copies or `load_in_place` is set.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_LIBRARY_BYTES + 1)
        if len(data) > MAX_LIBRARY_BYTES:
            raise BadLibraryError(f"it is larger than {MAX_LIBRARY_BYTES:,} bytes, the most that is loaded")
        check_machine(data, host_machine())
        if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
            raise BadLibraryError("its bytes are not those that were stored")
        if Settings.from_env().load_in_place:
            return load(os.fspath(path))
        with private_copy(data, path.name) as copy:
            return load(copy or os.fspath(path))
    except (OSError, ImportError, BadLibraryError) as error:
        raise CacheError(
            f"kernel library {path} cannot be loaded: {error}",
            remedy="run `tilewright cache verify`, then build it again on this machine",
        ) from None


def runtime_library(cache: Cache | None = None, cancel: Event | None = None) -> Any:
    """Return the loaded thread pool library, built at first use; raise the error of the build if it fails.

    Setting `cancel` stops the build.
    """
    global _runtime
    with _runtime_lock:
        if _runtime is None:
            from .native_build import load_runtime

            _runtime = _ready(load_runtime(dlopen, cache, cancel))
        return _runtime


def adopt_runtime(path: Path, sha256: str) -> None:
    """Use the thread pool library at `path`, unless this process has one already; for machines without a compiler."""
    global _runtime
    with _runtime_lock:
        if _runtime is None:
            _runtime = _ready(open_library(path, sha256))


def _ready(library: ctypes.CDLL) -> ctypes.CDLL:
    library.tw_runtime_get.restype = ctypes.c_void_p
    if _lent is not None and hasattr(library, "tw_runtime_borrow"):  # a bundle may have an older one
        library.tw_runtime_borrow(*map(ctypes.c_void_p, _lent))
    return library


def borrow_threads(functions: tuple[int, ...]) -> None:
    """Run calls on torch's tensors on the threads of an OpenMP library, whose functions have these addresses.

    The functions are GOMP_parallel, omp_get_thread_num, omp_get_num_threads, omp_get_max_threads, omp_in_parallel and
    omp_pause_resource_all, which ends the threads before a fork (0 if there is none). A launch with more threads than
    OpenMP uses runs on threads of its own, as does every launch after a fork.
    """
    global _lent
    with _runtime_lock:
        _lent = functions
        if _runtime is not None:
            _ready(_runtime)


def borrowing_address() -> int:
    """Return the address of the `tw_runtime` that borrows threads; 0 if there is nobody to borrow from."""
    if _lent is None or _runtime is None or not hasattr(_runtime, "tw_runtime_get_borrowing"):
        return 0
    _runtime.tw_runtime_get_borrowing.restype = ctypes.c_void_p
    return int(_runtime.tw_runtime_get_borrowing())


def runtime_address(cache: Cache | None = None) -> int:
    """Return the address of the process's `tw_runtime`, for `args.runtime`.

    The runtime has no setting: `args.launch[0]` is the number of threads of each launch. `make_call` fills in the
    address if a launch uses more than one.
    """
    return int(runtime_library(cache).tw_runtime_get())


def reserve_threads(count: int, cache: Cache | None = None) -> int:
    """Start the threads of a launch with `count` threads; return `runtime_address()`.

    Raise `LaunchError` if the system refuses.
    """
    library = runtime_library(cache)
    granted = int(library.tw_runtime_reserve(count))
    if granted < count:
        raise LaunchError(
            f"a launch needs {count} threads, but the system grants this process {granted}",
            remedy=f"set TILEWRIGHT_THREADS={granted}, or raise the limit on processes and memory (ulimit -u, -v)",
        )
    return int(library.tw_runtime_get())
