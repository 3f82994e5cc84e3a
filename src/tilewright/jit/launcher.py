"""Launch compiled kernels from Python: `Kernel`, its arguments, and `make_call`, which binds it to arrays of one kind.

Two launchers share one interface. The C extension (`native/launcher.cpp`, built at first use) costs a fraction of a
microsecond per call. If it cannot be built (no compiler, no Python.h, no NumPy headers), or while a dispatcher has it
built in the background, the ctypes launcher is used; `launcher_status()` says which one is active and why.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import BuildCancelledError, LaunchError, TensorError, TilewrightError
from ..model.abi import ABI_VERSION, ERROR_BYTES, MAX_LAUNCH, MAX_RANK, MAX_SCALARS, MAX_SIZES, MAX_TENSORS
from ..model.dtype import numpy_dtype
from ..model.locks import cached_property, new_lock
from ..model.tensor import TensorView
from .arrays import is_masked, view_of
from .background import Background, Pending
from .launch_checks import Operand, failed, find_mistakes, misplaced, refuse, shares_memory
from .library import borrowing_address, import_extension, reserve_threads, runtime_library

if TYPE_CHECKING:
    from .cache import Cache

MODULE_NAME = "_tilewright_launcher"
KEEP_GIL_FLOPS = 200_000  # a shorter launch is done before another thread could take the interpreter lock


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
    templates: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # of launches, see `plan`

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
        return address_in(self.library, name)


def address_in(library: ctypes.CDLL, name: str) -> int | None:
    """Return the address of a function of a library; None if it does not export it."""
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    except AttributeError:
        return None


class Call(Protocol):
    """A prepared launch: checks its arrays, runs the kernel, returns the out array. Threads may share it."""

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The requirements on each array."""

    @property
    def workspace_bytes(self) -> int:
        """Scratch memory of one launch."""

    def __call__(self, *arrays: Any) -> Any:
        """Run on NumPy arrays, given in the order of `operands`."""

    def run_pointers(self, *addresses: int) -> None:
        """Run on raw addresses of tensors that were checked before; only null and alignment are checked here."""


@dataclass(frozen=True)
class Launcher:
    """One way to launch: its types and why it is the active one."""

    kind: str  # "c" | "ctypes"
    call: Any
    reason: str
    module: Any = None


_lock, _starting = new_lock(), new_lock()
_active: Launcher | None = None
_pending: Pending | None = None  # the build of the C extension in the background


def launcher(cache: Cache | None = None, cancel: Event | None = None) -> Launcher:
    """Return the active launcher: the C extension, loaded (and at first use built) here, or the ctypes one.

    Setting `cancel` stops the build; that raises `BuildCancelledError`, and the next call looks again.
    """
    global _active
    active = _active
    if active is not None:
        return active
    with _lock:
        if _active is None:
            _active = _find_launcher(cache, cancel)
        return _active


def launcher_at_once(cache: Cache | None = None) -> Launcher:
    """Return the active launcher; the ctypes one, for the moment, while the C extension is built in the background.

    >>> launcher_at_once().kind in ("c", "ctypes")
    True
    """
    if launcher_is_pending():
        return ctypes_launcher("the C launcher is being compiled")
    return launcher(cache)


def prepare_launches(cache: Cache, threads: int, may_build: bool) -> None:
    """Take the launcher, and the thread pool if `threads` > 1, from `cache`, unless this process has them already.

    Nothing is built unless `may_build`. What fails here fails again, with its error, where it is needed.
    """
    from .cache import Cache

    if cache.settings.may_build and not may_build:
        cache = Cache(cache.root, cache.shared, replace(cache.settings, build="never"))
    launcher_at_once(cache)
    if threads > 1:
        with suppress(TilewrightError):
            runtime_library(cache)


def launcher_is_pending() -> bool:
    """Return whether the C launcher is being built in the background: calls that are prepared now run without it."""
    return _active is None and _pending is not None and not _pending.done()


def build_in_background(background: Background, cache: Cache, then: Callable[[], None]) -> Pending | None:
    """Have the C extension built in the background, and return its `Pending`; None if it needs no build, or has none.

    `then` is called when it is there: calls that were prepared for the ctypes launcher can be prepared again.
    """
    from .native_build import launcher_request
    from .pool import build_one

    global _pending
    with _starting:
        if _active is not None or (_pending is not None and not _pending.done()) or not cache.settings.may_build:
            return None
        try:
            request = launcher_request(cache.settings)
        except TilewrightError:
            return None  # `launcher` says why
        if cache.find(request.build_key) is not None:
            return None

        def work(cancel: Event) -> None:
            with suppress(TilewrightError):  # `launcher` finds the same, and says so
                build_one(request, cache, cancel=cancel)
            launcher(cache, cancel)

        def built(done: Pending) -> None:
            done.finish()  # first: calls are prepared for the C extension from now on
            then()

        _pending = background.submit(work, built)
        return _pending


def _find_launcher(cache: Cache | None, cancel: Event | None) -> Launcher:
    try:
        return c_launcher(cache, cancel)
    except BuildCancelledError:
        raise
    except TilewrightError as error:
        return ctypes_launcher(str(error))


def c_launcher(cache: Cache | None = None, cancel: Event | None = None) -> Launcher:
    """Return the C launcher; raise `ToolchainError`, `BuildError` or `CacheError` if it cannot be used."""
    from .native_build import load_launcher

    module = load_launcher(partial(import_extension, MODULE_NAME), cache, cancel)
    module.setup(refuse, misplaced, failed, shares_memory, is_masked)
    return Launcher("c", module.Call, f"C extension {MODULE_NAME}", module)


def ctypes_launcher(reason: str) -> Launcher:
    """Return the launcher that needs only Python; `reason` says why it is used."""
    from .launcher_ctypes import CtypesCall

    return Launcher("ctypes", CtypesCall, reason)


def launcher_status(cache: Cache | None = None) -> str:
    """Return one line for `doctor`: which launcher is active, and what to do about the slower one.

    The text starts with "C launcher" or "ctypes launcher".
    """
    active = launcher(cache)
    if active.kind == "c":
        return f"C launcher: {active.reason}"
    return f"ctypes launcher (each call costs some ten microseconds more), for lack of the C launcher: {active.reason}"


def trim_scratch(cache: Cache | None = None) -> int:
    """Free the workspace that is idle between launches; return its bytes."""
    active = launcher(cache)
    return int((active.call if active.module is None else active.module).trim_scratch())


def make_call(
    kernel: Kernel,
    args: TwArgs,
    slots: Sequence[int],
    arrays: Sequence[Any],
    out_slot: int,
    *,
    may_alias: Collection[int] = (),
    written: Collection[int] = (),
    release_gil: bool = True,
    alignment: int | Mapping[int, int] = 1,
    names: Sequence[str] = (),
    active: Launcher | None = None,
) -> Call:
    """Return a `Call` of `kernel` for arrays like `arrays`: same dtypes, shapes and strides.

    `args` holds sizes, strides, scalars and launch choices; it is copied. `slots[i]` is the tensor slot of the i-th
    array. `out_slot` is written and returned; `written` names further slots that are written. Slots in `may_alias` may
    be the same memory as a written one. `alignment`, for all or by slot, must divide the addresses; an element's own
    alignment is always required. `release_gil=False` suits kernels of a few microseconds. `arrays`
    may be NumPy arrays, torch tensors or `TensorView`s; they are checked here as each call checks its own.

        call = make_call(load_kernel(path), new_args(sizes=(m, n, k), launch=(2,)), (0, 1, 2), (a, b, out), 2)
        call(a, b, out)  # again and again, with any arrays that look alike
    """
    examples = [_as_array(array, name) for array, name in zip(arrays, _name_all(slots, names), strict=True)]
    writes = {out_slot, *written}
    operands = tuple(
        _describe(name, slot, array, alignment, slot in writes, slot in may_alias)
        for name, slot, array in zip(_name_all(slots, names), slots, examples, strict=True)
    )
    mistakes = find_mistakes(operands, examples)
    if mistakes:
        raise TensorError.of("bind", mistakes)
    return new_call(kernel, args, operands, [*slots].index(out_slot), release_gil, active)


def new_call(
    kernel: Kernel,
    args: TwArgs,
    operands: tuple[Operand, ...],
    out: int,
    release_gil: bool,
    active: Launcher | None = None,
) -> Call:
    """Return a `Call` of `kernel` on `operands`, of which `out` is returned; `args` is copied.

    While the C launcher is being built in the background, that is one of the ctypes launcher.
    """
    chosen = active or launcher_at_once()
    _lend_threads(args, chosen)
    args.workspace_bytes = kernel.workspace(args)
    call: Call = chosen.call(kernel.run_address, bytes(args), operands, out, release_gil, kernel)
    return call


def _lend_threads(args: TwArgs, chosen: Launcher) -> None:
    threads = int(args.launch[0])
    if threads > 1:
        runtime = reserve_threads(threads)
        args.runtime = args.runtime or runtime
        if chosen.module is not None:
            chosen.module.borrow(borrowing_address())


def _name_all(slots: Sequence[int], names: Sequence[str]) -> Sequence[str]:
    return names or [f"array {i}" for i in range(len(slots))]


def _describe(
    name: str, slot: int, array: npt.NDArray[Any], alignment: int | Mapping[int, int], written: bool, may_alias: bool
) -> Operand:
    wanted = alignment if isinstance(alignment, int) else alignment.get(slot, 1)
    return Operand(
        name, slot, array.dtype, array.shape, array.strides, max(wanted, array.dtype.alignment), written, may_alias
    )


def _as_array(tensor: Any, name: str) -> npt.NDArray[Any]:
    """Return a NumPy array over the memory of any host tensor, including bf16 and 8-bit floats of torch."""
    if isinstance(tensor, np.ndarray):
        return tensor
    view = view_of(tensor, name)
    if not view.device.startswith("cpu"):
        raise TensorError(f"{name} is on {view.device}; this launcher runs on the host", remedy="move it to the CPU")
    return array_over(view)


def array_over(view: TensorView) -> npt.NDArray[Any]:
    """Return a NumPy array over the memory of a `TensorView`, which it keeps alive.

    >>> data = np.arange(6, dtype=np.float32)
    >>> array_over(TensorView(data.ctypes.data, "fp32", (2, 3), (3, 1), "cpu", False, data))[1].tolist()
    [3.0, 4.0, 5.0]
    """
    dtype = numpy_dtype(view.dtype)
    interface = {
        "version": 3,
        "shape": view.shape,
        "strides": tuple(s * dtype.itemsize for s in view.strides),
        "typestr": f"|V{dtype.itemsize}",  # ml_dtypes have no type string; the view below gives the bytes their type
        "data": (view.address, view.readonly),
    }
    return np.asarray(SimpleNamespace(__array_interface__=interface, owner=view)).view(dtype)


if ctypes.sizeof(ctypes.c_void_p) != 8:  # the ABI is laid out for 64-bit addresses
    raise LaunchError("tilewright needs a 64-bit Python", remedy="install a 64-bit Python")
