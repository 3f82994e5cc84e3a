"""The common part of the drivers of both makes of GPU: memory, code, and calls that no capture of a graph may end.

The makes have the same functions under other names. A driver lists its names, and adds what only its make has.
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from ...errors import DeviceError, LaunchError
from ...model.locks import new_lock

CAPTURE_RELAXED = 2  # cudaStreamCaptureModeRelaxed, and HIP's
STREAM_NON_BLOCKING = 1
log = logging.getLogger("tilewright")


class Names(NamedTuple):
    """The functions that every driver calls, as a make names them. They take the same arguments."""

    init: str
    attribute: str
    current: str
    make_current: str
    capture_mode: str
    allocate: str
    free: str
    clear: str
    new_stream: str
    end_stream: str
    wait_stream: str
    load: str
    function: str


class _Module:
    """Loaded code: its handle, its kernels by name, and how many use it."""

    def __init__(self, handle: int) -> None:
        self.handle, self.functions, self.uses = handle, dict[str, int](), 0


class GpuDriver:
    """The driver of one make in this process, with one GPU. Addresses and streams are plain integers."""

    name: ClassVar[str]
    ready: ClassVar[str]  # what a launch in C does before its kernels
    make: ClassVar[str]  # in error messages
    names: ClassVar[Names]
    attributes: ClassVar[Mapping[str, int]]  # numbers that the driver knows about a GPU, by our names
    entry_names: ClassVar[tuple[str, ...]]  # of functions that are called from C, in this order
    _own: Any  # what the make calls current while the GPU is: a ctypes value

    def __init__(self, ordinal: int, lib: Any) -> None:
        self.ordinal, self.pid, self._lib = ordinal, os.getpid(), lib
        self.check(self._call("init", 0), "initialise the GPU driver", DeviceError)
        found = [getattr(lib, name, None) for name in self.entry_names]
        self.entries = tuple(ctypes.cast(f, ctypes.c_void_p).value or 0 if f is not None else 0 for f in found)
        self._modules: dict[str, _Module] = {}
        self._loading = new_lock()

    def describe(self, code: int) -> str:
        """Return the driver's own words for an error code."""
        raise NotImplementedError

    def remedy_of(self, code: int) -> str:
        """Return what to do about an error code."""
        raise NotImplementedError

    def _device(self) -> Any:
        """Return the GPU as the functions of this make take it."""
        raise NotImplementedError

    def _call(self, what: str, *arguments: Any) -> int:
        """Call the function that the make names for `what`; return its code. One that is missing is an error."""
        return int(self._found(getattr(self.names, what))(*arguments))

    def _found(self, name: str) -> Any:
        """Return a function of the library."""
        function = getattr(self._lib, name, None)
        if function is None:
            raise DeviceError(f"the driver has no {name}", remedy="use a newer driver")
        return function

    def check(self, code: int, what: str, error: type[Any] = LaunchError) -> None:
        """Raise a readable error if `code` is not success."""
        if code:
            self.refuse(code, what, error, self.remedy_of(code))

    def refuse(self, code: int, what: str, error: type[Any], remedy: str) -> None:
        """Raise the error of a code."""
        failure = error(f"cannot {what}: {self.make} error {code} ({self.describe(code)})", remedy=remedy)
        failure.code = code
        raise failure

    def _noticed(self, code: int, what: str) -> None:
        """Log an error of a call whose caller cannot handle one."""
        if code:
            log.warning("cannot %s: %s error %d (%s)", what, self.make, code, self.describe(code))

    def check_process(self) -> None:
        """Raise a clear error in a fork, where the driver cannot work."""
        if os.getpid() != self.pid:
            raise DeviceError(
                f"the GPU was initialised in process {self.pid}, and this is its fork {os.getpid()}",
                remedy="start worker processes with the 'spawn' method, or before the first GPU launch",
            )

    def make_current(self) -> None:
        """Make the GPU current in this thread, and leave it so; raise a clear error in a fork."""
        self.check_process()
        self.check(self._call("make_current", self._own), f"open GPU {self.ordinal}", DeviceError)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the GPU current for the time of a block; what the thread had current comes back."""
        before = type(self._own)()
        self.check(self._call("current", ctypes.byref(before)), "read the current GPU", DeviceError)
        if before.value == self._own.value:
            yield
            return
        self.make_current()
        try:
            yield
        except BaseException:
            self._call("make_current", before)  # the first error is the one to report
            raise
        self.check(self._call("make_current", before), "go back to the GPU that was current", DeviceError)

    @contextmanager
    def outside_capture(self) -> Iterator[None]:
        """Make the GPU current, and allow calls, for a block, that would end a capture, whichever thread records it.

        torch's captures forbid them to all threads. Threads of the background load kernels, and a dispatcher that is
        collected gives its memory back, at any time.
        """
        self.check_process()
        mode = ctypes.c_int(CAPTURE_RELAXED)
        with self.current():
            self.check(self._call("capture_mode", ctypes.byref(mode)), "leave the capture mode", DeviceError)
            try:
                yield
            except BaseException:
                self._call("capture_mode", ctypes.byref(mode))
                raise
            self.check(self._call("capture_mode", ctypes.byref(mode)), "restore the capture mode", DeviceError)

    def attribute(self, name: str) -> int:
        """Return a number that the driver knows about the GPU; see `attributes`."""
        value = ctypes.c_int()
        code = self._call("attribute", ctypes.byref(value), self.attributes[name], self._device())
        self.check(code, f"read the attribute {name}", DeviceError)
        return value.value

    def units(self) -> int:
        """Return the compute units (multiprocessors) of the GPU."""
        return self.attribute("units")

    # Code.

    def load(self, path: Path, name: str, shared: int = 0) -> int:
        """Return the function called `name` of a file, allowed to use `shared` bytes of shared memory.

        A file is loaded once, and stays loaded.
        """
        with self._loading:
            return self._loaded(path, name, shared)

    def _loaded(self, path: Path, name: str, shared: int) -> int:
        """Return a function for one more user of its module, while the lock is held."""
        key = os.fspath(path)
        module = self._modules.get(key)
        if module is None:
            module = self._modules[key] = _Module(self._load(path, name))
        found = module.functions.get(name)
        if found is None:
            found = module.functions[name] = self._function(path, module.handle, name, shared)
        module.uses += 1
        return found

    def _load(self, path: Path, name: str) -> int:
        module = ctypes.c_void_p()
        with self.outside_capture():
            self._check_code(
                self._call("load", ctypes.byref(module), os.fsencode(path)), f"load the kernel {name}", path
            )
        return int(module.value or 0)

    def _function(self, path: Path, module: int, name: str, shared: int) -> int:
        function = ctypes.c_void_p()
        with self.outside_capture():
            code = self._call("function", ctypes.byref(function), ctypes.c_void_p(module), name.encode())
            self._check_code(code, f"find the kernel {name} in its module", path)
            self._set_shared(function, name, shared)
        return int(function.value or 0)

    def _check_code(self, code: int, what: str, path: Path) -> None:
        """Raise the error of a file that cannot be used."""
        self.check(code, what)

    def _set_shared(self, function: Any, name: str, shared: int) -> None:
        """Let a kernel use `shared` bytes of shared memory, if that has to be said before the launch."""

    # Memory.

    def allocate(self, size: int) -> int:
        """Return the address of `size` new zeroed bytes on the GPU; free them with `free`.

        A stream may be recording a graph meanwhile: the memory is cleared on a stream of its own, and the thread's
        capture mode is relaxed, so that this is neither refused nor recorded.
        """
        address, size = ctypes.c_void_p(), max(size, 1)
        with self.outside_capture():
            code = self._call("allocate", ctypes.byref(address), ctypes.c_size_t(size))
            self.check(code, f"allocate {size:,} bytes of GPU memory", DeviceError)
            try:
                with self._own_stream() as stream:
                    self.clear(int(address.value or 0), size, stream)
                    self.synchronize(stream)
            except DeviceError:
                self.free(int(address.value or 0))
                raise
        return int(address.value or 0)

    @contextmanager
    def _own_stream(self) -> Iterator[int]:
        """Yield a stream for the time of a block, which does not wait for the default one."""
        stream = ctypes.c_void_p()
        self.check(self._call("new_stream", ctypes.byref(stream), STREAM_NON_BLOCKING), "make a stream", DeviceError)
        try:
            yield int(stream.value or 0)
        finally:
            self._noticed(self._call("end_stream", stream), "destroy a stream")

    def clear(self, address: int, size: int, stream: int = 0) -> None:
        """Zero `size` bytes, in the order of `stream`."""
        with self.current():
            code = self._call(
                "clear", ctypes.c_void_p(address), ctypes.c_int(0), ctypes.c_size_t(size), ctypes.c_void_p(stream)
            )
        self.check(code, f"clear {size:,} bytes of GPU memory", DeviceError)

    def synchronize(self, stream: int = 0) -> None:
        """Wait until everything on `stream` is done."""
        with self.current():
            code = self._call("wait_stream", ctypes.c_void_p(stream))
        self.check(code, "wait for the GPU", DeviceError)

    def free(self, address: int) -> None:
        """Give back memory that `allocate` returned; finalisers call this, so that an error is only logged."""
        if os.getpid() != self.pid:
            return  # it is the memory of the process that forked this one
        try:
            with self.outside_capture():
                self._noticed(self._call("free", ctypes.c_void_p(address)), "free GPU memory")
        except DeviceError as error:
            log.warning("cannot free GPU memory: %s", error.message)


D = TypeVar("D", bound=GpuDriver)
_LOCK = new_lock()


def opened(known: dict[tuple[str, int], D], make: type[D], ordinal: int, library: str = "") -> D:
    """Return the driver of GPU `ordinal`, made at the first call; raise an error in a fork of the process it is of."""
    driver = known.get((library, ordinal))
    if driver is None:
        with _LOCK:
            driver = known.get((library, ordinal))
            if driver is None:
                driver = known[(library, ordinal)] = make(ordinal, library or None)
    driver.check_process()
    return driver
