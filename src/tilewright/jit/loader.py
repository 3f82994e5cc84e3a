"""Compiled kernels in this process: `load_kernel` opens and checks a library, `runtime_address` gives it threads.

A kernel is a shared library with `tw_info`, `tw_workspace` and `tw_run` (`native/tilewright_abi.h`). Its ABI version,
the size of its argument struct and the digest of the spec it was generated from are compared before the first call.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CacheError, LaunchError
from ..model.abi import ABI_VERSION, ERROR_BYTES, MAX_LAUNCH, MAX_RANK, MAX_SCALARS, MAX_SIZES, MAX_TENSORS
from ..model.locks import new_lock
from ..settings import Settings
from .binary import BadLibraryError, check_machine, host_machine
from .private_copy import private_copy

if TYPE_CHECKING:
    from .artifact import Artifact
    from .cache import Cache

MAX_LIBRARY_BYTES = 1 << 30


class TwArgs(ctypes.Structure):
    """`tw_args` of the C ABI: everything one launch needs."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("tensors", ctypes.c_void_p * MAX_TENSORS),
        ("sizes", ctypes.c_int64 * MAX_SIZES),
        ("strides", (ctypes.c_int64 * MAX_RANK) * MAX_TENSORS),
        ("scalars", ctypes.c_double * MAX_SCALARS),
        ("launch", ctypes.c_int64 * MAX_LAUNCH),
        ("runtime", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_int64),
        ("error", ctypes.c_char * ERROR_BYTES),
    ]


class TwKernelInfo(ctypes.Structure):
    """`tw_kernel_info` of the C ABI: the self-description of a kernel."""

    _fields_ = [("abi_version", ctypes.c_uint32), ("args_size", ctypes.c_uint32), ("digest", ctypes.c_char_p)]


def new_args(
    sizes: Sequence[int] = (),
    scalars: Sequence[float] = (),
    launch: Sequence[int] = (),
    strides: Sequence[Sequence[int]] = (),
) -> TwArgs:
    """Return arguments with version and size filled in, and the given slots in order.

    >>> args = new_args(sizes=(8, 8, 4), launch=(2,))
    >>> args.sizes[2], args.launch[0], args.struct_size == ctypes.sizeof(TwArgs)
    (4, 2, True)
    """
    args = TwArgs(struct_size=ctypes.sizeof(TwArgs), abi_version=ABI_VERSION)
    for values, slots in ((sizes, args.sizes), (scalars, args.scalars), (launch, args.launch)):
        slots[: len(values)] = list(values)
    for slot, row in enumerate(strides):
        args.strides[slot][: len(row)] = list(row)
    return args


@dataclass(frozen=True)
class Kernel:
    """A loaded, checked kernel. Libraries stay loaded until the process ends, so its addresses stay valid."""

    path: Path
    digest: str
    run_address: int
    workspace_address: int
    library: ctypes.CDLL = field(repr=False, compare=False)
    templates: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # of launches, see `plan.abi`

    @cached_property
    def _workspace(self) -> Any:
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.POINTER(TwArgs))(self.workspace_address)

    def workspace(self, args: TwArgs) -> int:
        """Return the bytes of scratch memory that a launch with these sizes and choices needs."""
        needed = int(self._workspace(ctypes.byref(args)))
        if needed < 0:
            raise LaunchError(
                f"kernel {self.path.name} says it needs {needed} bytes of workspace for these sizes",
                remedy="this is a defect of the kernel: select another one and report it",
            )
        return needed

    def address(self, name: str) -> int | None:
        """Return the address of the exported function `name` (such as `tw_pack_b`), or None if the kernel has none."""
        return _address(self.library, name)


def _address(library: ctypes.CDLL, name: str) -> int | None:
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def load_kernel(path: str | os.PathLike[str], digest: str | None = None, sha256: str | None = None) -> Kernel:
    """Return the kernel in the shared library at `path`, checked; `digest` is the spec digest it must have.

    `sha256` is the digest that the bytes of the file must have. Loads with local symbols, so that kernels never see
    each other, and resolves everything at once, so that a missing symbol is an error here rather than in the middle
    of a launch.

        kernel = load_kernel(artifact.file(), spec.digest)
    """
    path = Path(path)
    library = open_library(path, sha256)
    try:
        return _checked(library, path, digest)
    except (CacheError, LaunchError):
        _close(library)
        raise


def load_artifact(artifact: Artifact, digest: str) -> Kernel:
    """Return the kernel of a stored build, loaded from exactly the bytes that were stored."""
    path = artifact.file()
    return load_kernel(path, digest, artifact.files[path.name])


def _checked(library: ctypes.CDLL, path: Path, digest: str | None) -> Kernel:
    info = _read_info(library, path)
    if (info.abi_version, info.args_size) != (ABI_VERSION, ctypes.sizeof(TwArgs)):
        raise LaunchError(
            f"kernel {path} has ABI version {info.abi_version} with {info.args_size} bytes of arguments; this "
            f"tilewright has version {ABI_VERSION} with {ctypes.sizeof(TwArgs)}",
            remedy="build it again with this version (`tilewright cache clear`, then `tilewright build`)",
        )
    found = (info.digest or b"").decode(errors="replace")
    if digest is not None and found != digest:
        raise CacheError(
            f"kernel {path} was generated from spec {found[:16] or '(none)'}, not from {digest[:16]}",
            remedy="remove the entry (`tilewright cache verify`) and build it again",
        )
    return Kernel(path, found, _required(library, "tw_run", path), _required(library, "tw_workspace", path), library)


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


def _close(library: ctypes.CDLL) -> None:
    """Unload a library that was refused: the loader would return it again for a file of the same name."""
    import _ctypes

    close = getattr(_ctypes, "dlclose", None)
    if close is not None:
        close(library._handle)


def _required(library: ctypes.CDLL, name: str, path: Path) -> int:
    address = _address(library, name)
    if not address:
        raise LaunchError(
            f"library {path} does not export {name}; a kernel has tw_info, tw_workspace and tw_run",
            remedy="build it again, or check that the file is a tilewright kernel",
        )
    return address


def _read_info(library: ctypes.CDLL, path: Path) -> TwKernelInfo:
    function = ctypes.CFUNCTYPE(ctypes.POINTER(TwKernelInfo))(_required(library, "tw_info", path))
    info = function()
    if not info:
        raise LaunchError(f"tw_info of kernel {path} returned null", remedy="build it again")
    contents: TwKernelInfo = info.contents
    return contents


# The runtime: one per process, loaded when a launch first uses more than one thread.

_runtime_lock = new_lock()
_runtime: ctypes.CDLL | None = None
_lent: tuple[int, ...] | None = None  # see borrow_threads


def runtime_library(cache: Cache | None = None) -> Any:
    """Return the loaded thread pool library, built at first use; raise the error of the build if it fails."""
    global _runtime
    with _runtime_lock:
        if _runtime is None:
            from .native_build import load_runtime

            _runtime = _ready(load_runtime(dlopen, cache))
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
