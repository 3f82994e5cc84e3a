"""The HIP runtime over the emulator: what the stand-in library (`hip_standin.cpp`) asks, by the runtime's own names.

A code object is loaded from a file. What is executed is the assembly text beside it, which every build keeps:
`kernel.co` and `kernel.s`, `kernel.hsaco` and `kernel.amdgcn`. Launches and copies are done when the call returns.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ....arch import get_arch, get_nominal_devices
from ....emulator import ISAS, Finding, Kernel, Memory, Report, Tally, kernel_of, launch
from ....errors import (
    AssemblyError,
    EmulatorError,
    EmulatorMemoryError,
    KernelArgumentError,
    KernelFaultError,
    StepLimitError,
    TilewrightError,
    UnknownNameError,
    UnsupportedInstructionError,
    check_known,
)
from ....model.device import Device
from ....model.locks import new_rlock
from ....settings import Settings
from ..amd_code import HEADER_BYTES, code_object_version, is_code_object
from .facts import attribute, properties, resident_groups

ASSEMBLY = {".co": ".s", ".hsaco": ".amdgcn"}  # the text beside a code object
(INVALID_VALUE, OUT_OF_MEMORY, INVALID_DEVICE, INVALID_IMAGE, NO_BINARY, NO_FILE, INVALID_HANDLE, NOT_FOUND,
 ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, LAUNCH_FAILURE, NOT_SUPPORTED) = (
    1, 2, 101, 200, 209, 301, 400, 500, 700, 702, 719, 801)  # fmt: skip
CODES: tuple[tuple[type[TilewrightError], int], ...] = (
    (AssemblyError, INVALID_IMAGE), (UnsupportedInstructionError, NOT_SUPPORTED), (KernelArgumentError, INVALID_VALUE),
    (EmulatorMemoryError, INVALID_VALUE), (KernelFaultError, ILLEGAL_ADDRESS), (StepLimitError, LAUNCH_TIMEOUT),
    (EmulatorError, LAUNCH_FAILURE), (UnknownNameError, NOT_FOUND),
)  # fmt: skip
WORDS = {
    INVALID_VALUE: "invalid argument", OUT_OF_MEMORY: "out of memory", INVALID_DEVICE: "invalid device ordinal",
    INVALID_HANDLE: "invalid resource handle", NO_FILE: "file not found", NOT_FOUND: "named symbol not found",
}  # fmt: skip
CAPTURE_UNSUPPORTED, CAPTURE_INVALIDATED, CAPTURE_IMPLICIT, CAPTURE_RELAXED = 900, 901, 906, 2
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3  # hipMemcpyKind
FIRST_WITH_6 = 60_300_000  # the version of the runtime that first loads code objects of version 6
Extent = tuple[int, int, int]
MAX_REPORTS = 1000  # kept of the last launches


class HipError(Exception):
    """Ends a call with a code of the runtime and, perhaps, with words of its own."""

    def __init__(self, code: int, said: str = "") -> None:
        super().__init__(said)
        self.code, self.said = code, said


@dataclass(frozen=True)
class CountedLaunch:
    """One launch with its counts: workgroups, work items of each, LDS of each."""

    kernel: Kernel
    workgroups: int
    threads: int
    lds_bytes: int
    tally: Tally

    def counts(self) -> dict[str, int]:
        """Return the counts by name."""
        return self.tally.counts(self.kernel)


class EmulatedRuntime:
    """One stand-in library: GPUs, one memory for all of them, streams, loaded kernels.

    Each public method that begins with `hip` is an entry point; it takes the words of the call.
    """

    def __init__(self, devices: Sequence[Device], sanitize: bool = False) -> None:
        self.devices, self.sanitize = tuple(devices), sanitize
        self.memory = Memory()
        self.lock = new_rlock()
        self.reports: list[Report] = []
        self.counted: list[CountedLaunch] | None = None  # what launches executed, if it is to be counted
        self.version = 70_000_000  # of ROCm, as hipRuntimeGetVersion says it
        self.faults: dict[str, int] = {}  # code that an entry point fails with, for tests
        self.modules: dict[int, str] = {}  # assembly text by handle, of what is loaded
        self._functions: list[tuple[int, Kernel]] = []  # module and kernel
        self._next = 0
        self._streams: set[int] = set()
        self._thread = threading.local()
        self._captured: dict[int, list[Callable[[], Any]] | None] = {}  # by stream; None: invalid after an error
        self._graphs: list[list[Callable[[], Any]]] = []

    def call(self, name: str, words: Sequence[int]) -> int:
        """Return the code of one call. No exception leaves it: below it is C."""
        try:
            with self.lock:
                if name in self.faults:
                    raise HipError(self.faults[name])
                getattr(self, name)(*words)
            return 0
        except HipError as error:
            return error.code if name == "hipGetLastError" else self._remember(error.code, error.said)
        except TilewrightError as error:
            code = next((c for kind, c in CODES if isinstance(error, kind)), LAUNCH_FAILURE)
            return self._remember(code, str(error))
        except Exception as error:
            return self._remember(LAUNCH_FAILURE, f"internal error (please report it): {error!r}")

    def take_findings(self) -> list[Finding]:
        """Return what the sanitizer found in the launches since the last call."""
        found = [f for report in self.reports for f in report.findings]
        self.reports.clear()
        return found

    def _remember(self, code: int, said: str) -> int:
        self._thread.said, self._thread.last = (code, said), code
        return code

    def hipGetErrorString(self, code: int, into: int, size: int) -> None:
        """Write the words for a code; those of the last failure of this thread, if it had the code."""
        last, said = getattr(self._thread, "said", (0, ""))
        text = said if last == code and said else WORDS.get(code, "unknown error")
        ctypes.memmove(into, text.encode()[: size - 1] + b"\0", len(text.encode()[: size - 1]) + 1)

    def hipGetLastError(self) -> None:
        """Return the last error of this thread as the code of this call, and forget it."""
        last, self._thread.last = getattr(self._thread, "last", 0), 0
        if last:
            raise HipError(last)

    def hipRuntimeGetVersion(self, into: int) -> None:
        """Write the version of the runtime."""
        ctypes.c_int.from_address(into).value = self.version

    # Devices.

    def hipInit(self, flags: int) -> None:
        """Nothing is to initialise."""

    def hipGetDeviceCount(self, into: int) -> None:
        """Write the number of GPUs."""
        ctypes.c_int.from_address(into).value = len(self.devices)

    def hipGetDevice(self, into: int) -> None:
        """Write the number of this thread's current GPU."""
        ctypes.c_int.from_address(into).value = getattr(self._thread, "device", 0)

    def hipSetDevice(self, device: int) -> None:
        """Make a GPU current in this thread."""
        self._device(device)
        self._thread.device = device

    def hipDeviceGetName(self, into: int, size: int, device: int) -> None:
        """Write the name of a GPU."""
        text = self._device(device).name.encode()[: size - 1] + b"\0"
        ctypes.memmove(into, text, len(text))

    def hipDeviceTotalMem(self, into: int, device: int) -> None:
        """Write the bytes of memory of a GPU."""
        ctypes.c_size_t.from_address(into).value = self._device(device).memory_bytes

    def hipDeviceGetAttribute(self, into: int, what: int, device: int) -> None:
        """Write one fact about a GPU."""
        value = attribute(self._device(device), what)
        if value is None:
            raise HipError(INVALID_VALUE)
        ctypes.c_int.from_address(into).value = value

    def hipGetDevicePropertiesR0600(self, into: int, device: int) -> None:
        """Fill the fields of the structure of properties that tilewright reads."""
        data = properties(self._device(device))
        ctypes.memmove(into, data, len(data))

    def _device(self, ordinal: int) -> Device:
        if not 0 <= ordinal < len(self.devices):
            raise HipError(INVALID_DEVICE)
        return self.devices[ordinal]

    @property
    def _current(self) -> Device:
        return self._device(getattr(self._thread, "device", 0))

    # Memory.

    def hipMalloc(self, into: int, size: int) -> None:
        """Write the address of new memory."""
        self._unsafe()
        try:
            address = self.memory.allocate(int(size))
        except (EmulatorMemoryError, MemoryError) as error:
            raise HipError(OUT_OF_MEMORY, f"out of memory: {error}") from None
        ctypes.c_uint64.from_address(into).value = address

    def hipFree(self, address: int) -> None:
        """Give memory back."""
        self._unsafe()
        if address:
            self.memory.free(address)

    def hipMemcpyAsync(self, to: int, source: int, size: int, kind: int, stream: int) -> None:
        """Copy between host and GPU, or on the GPU."""
        copies: dict[int, Callable[[], Any]] = {
            TO_DEVICE: lambda: self.memory.write(to, ctypes.string_at(source, size)),
            TO_HOST: lambda: ctypes.memmove(to, self.memory.span(source, size).ctypes.data, size),
            ON_DEVICE: lambda: self.memory.write(to, self.memory.read(source, np.uint8, size)),
        }
        if kind not in copies:
            raise HipError(INVALID_VALUE, f"copies of kind {kind} are not known")
        self._queue(stream, copies[kind])

    def hipMemsetAsync(self, at: int, value: int, size: int, stream: int) -> None:
        """Fill bytes."""
        self._queue(stream, lambda: self.memory.span(at, size).fill(value & 0xFF))

    def hipMemset2DAsync(self, at: int, pitch: int, value: int, width: int, rows: int, stream: int) -> None:
        """Fill bytes of rows."""
        for row in range(rows):
            self.hipMemsetAsync(at + row * pitch, value, width, stream)

    # Streams. Work is done at once, so there is nothing to wait for.

    def hipStreamCreate(self, into: int) -> None:
        """Write the handle of a new stream."""
        handle = max(self._streams, default=0x5000) + 16
        self._streams.add(handle)
        ctypes.c_uint64.from_address(into).value = handle

    def hipStreamCreateWithFlags(self, into: int, flags: int) -> None:
        """Write the handle of a new stream; all streams are alike here."""
        self.hipStreamCreate(into)

    def hipStreamDestroy(self, stream: int) -> None:
        """Forget a stream."""
        self._stream(stream)
        self._streams.discard(stream)

    def hipStreamSynchronize(self, stream: int) -> None:
        """Check the handle: what is captured cannot be waited for."""
        self._stream(stream)
        if stream in self._captured or (not stream and self._captured):
            self._refuse_captured(CAPTURE_UNSUPPORTED, "a captured stream cannot be waited for")

    def hipDeviceSynchronize(self) -> None:
        """Nothing is under way."""
        self._unsafe()

    def hipThreadExchangeStreamCaptureMode(self, mode: int) -> None:
        """Exchange what this thread may do while a stream is captured."""
        at = ctypes.c_int.from_address(mode)
        at.value, self._thread.mode = getattr(self._thread, "mode", 0), at.value

    def hipStreamBeginCapture(self, stream: int, mode: int) -> None:
        """Record what is queued on a stream from now on."""
        self._stream(stream)
        self._captured[stream] = []

    def hipStreamEndCapture(self, stream: int, into: int) -> None:
        """Write the handle of the graph that was recorded."""
        found = self._captured.pop(stream)
        if found is None:
            raise HipError(CAPTURE_INVALIDATED, "the capture was invalidated by an earlier error")
        self._graphs.append(found)
        ctypes.c_uint64.from_address(into).value = len(self._graphs)

    def hipGraphLaunch(self, graph: int, stream: int) -> None:
        """Do all that was recorded."""
        for work in self._graphs[graph - 1]:
            work()

    def _queue(self, stream: int, work: Callable[[], Any]) -> None:
        """Do the work, or record it if the stream is captured."""
        self._stream(stream)
        if not stream and self._captured:
            self._refuse_captured(CAPTURE_IMPLICIT, "the default stream is used while another is captured")
        recorded = self._captured.get(stream)
        if recorded is None:
            work()
        else:
            recorded.append(work)

    def _unsafe(self) -> None:
        """Refuse a call that no capture allows, unless this thread relaxed its mode."""
        if self._captured and getattr(self._thread, "mode", 0) != CAPTURE_RELAXED:
            self._refuse_captured(CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing")

    def _refuse_captured(self, code: int, said: str) -> None:
        self._captured = dict.fromkeys(self._captured)
        raise HipError(code, said)

    def _stream(self, handle: int) -> None:
        if handle and handle not in self._streams:
            raise HipError(INVALID_HANDLE, f"{handle:#x} is no stream")

    # Code.

    def hipModuleLoad(self, into: int, path: int) -> None:
        """Load a code object: the assembly text beside it."""
        self._unsafe()
        code = Path(os.fsdecode(ctypes.string_at(path)))
        try:
            with code.open("rb") as file:
                head = file.read(HEADER_BYTES)
        except OSError as error:
            raise HipError(NO_FILE, f"{code} cannot be read: {error.strerror}") from None
        if not is_code_object(head):
            raise HipError(NO_BINARY, f"{code} is no code object")
        if code_object_version(head) > 5 and self.version < FIRST_WITH_6:
            raise HipError(NO_BINARY, "no kernel image is available for execution on the device")
        text = code.with_suffix(ASSEMBLY.get(code.suffix, ".s"))
        try:
            found = text.read_text(encoding="utf-8", errors="replace")
        except OSError:
            raise HipError(NOT_SUPPORTED, f"no assembly text {text.name} beside {code}: nothing to execute") from None
        self._next += 1
        self.modules[self._next] = found
        ctypes.c_uint64.from_address(into).value = self._next

    def hipModuleUnload(self, module: int) -> None:
        """Forget a code object; its kernels cannot be launched any more."""
        self._unsafe()
        if self.modules.pop(module, None) is None:
            raise HipError(INVALID_HANDLE, f"{module:#x} is no loaded code object")

    def hipModuleGetFunction(self, into: int, module: int, name: int) -> None:
        """Write the handle of a kernel of a loaded code object."""
        if module not in self.modules:
            raise HipError(INVALID_HANDLE, f"{module:#x} is no loaded code object")
        kernel = kernel_of(self.modules[module], ctypes.string_at(name).decode())
        if kernel.isa.name != self._current.arch:
            raise HipError(NO_BINARY, f"the code object is for {kernel.isa.name}, the GPU is {self._current.arch}")
        self._functions.append((module, kernel))
        ctypes.c_uint64.from_address(into).value = len(self._functions)

    def hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        self, into: int, function: int, threads: int, lds: int
    ) -> None:
        """Write how many workgroups a compute unit holds at once."""
        kernel = self._function(function)
        arch: Any = get_arch(kernel.isa.name)
        ctypes.c_int.from_address(into).value = resident_groups(kernel, arch, threads, lds)

    def hipModuleLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, lds: int, stream: int, params: int,
        extra: int,
    ) -> None:  # fmt: skip
        """Execute a kernel; `params` points to one pointer per argument."""
        kernel = self._function(function)
        if extra or not params:
            raise HipError(NOT_SUPPORTED, "arguments are taken as an array of pointers only")
        raw = _gathered(kernel, params)
        self._queue(stream, lambda: self._execute(self._function(function), raw, (gx, gy, gz), (bx, by, bz), lds))

    def _execute(self, kernel: Kernel, raw: bytes, grid: Extent, block: Extent, lds: int) -> None:
        tally = None
        if self.counted is not None:
            arch: Any = get_arch(kernel.isa.name)
            tally = Tally(arch.lds_banks)
            self.counted.append(CountedLaunch(kernel, prod(grid), prod(block), kernel.lds_bytes + lds, tally))
        report = launch(
            kernel, self.memory, raw, grid, block, dynamic_lds=lds, sanitize=self.sanitize, tally=tally
        )  # fmt: skip
        self.reports = [*self.reports[1 - MAX_REPORTS :], report]

    def _function(self, handle: int) -> Kernel:
        if not 0 < handle <= len(self._functions):
            raise HipError(INVALID_HANDLE, f"{handle:#x} is no kernel")
        module, kernel = self._functions[handle - 1]
        if module not in self.modules:
            raise HipError(INVALID_HANDLE, f"the code of {kernel.name} was unloaded")
        return kernel


def _gathered(kernel: Kernel, params: int) -> bytes:
    """The bytes of a kernel's arguments, each read from where its pointer says, as the metadata lays them out."""
    wanted = [a for a in kernel.arguments if not a.hidden]
    raw = bytearray(max((a.offset + a.size for a in wanted), default=0))
    pointers = (ctypes.c_uint64 * len(wanted)).from_address(params)
    for a, at in zip(wanted, pointers, strict=True):
        if not at:
            raise HipError(INVALID_VALUE, f"no pointer to the argument at offset {a.offset} of {kernel.name}")
        raw[a.offset : a.offset + a.size] = ctypes.string_at(at, a.size)
    return bytes(raw)


HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t)
_KEPT: list[Any] = []  # C code holds the callbacks for the rest of the process
SERVED: list[EmulatedRuntime] = []  # behind libraries that were loaded in place of the HIP runtime, the newest last


def handler_of(runtime: EmulatedRuntime) -> Any:
    """Return the C function that a stand-in library calls; it lives as long as the process."""

    def handle(name: bytes, words: Any, count: int) -> int:
        # Numbers of devices may be negative; no address or size is that large.
        return runtime.call(name.decode(), [w - (1 << 64) if w >> 63 else w for w in words[:count]])

    made = HANDLER(handle)
    _KEPT.append(made)
    return made


def emulated_devices(archs: Sequence[str]) -> list[Device]:
    """Return the nominal device of each arch, named as one that is emulated.

    >>> emulated_devices(["gfx942"])[0].name
    'MI300X (emulated)'
    """
    for arch in archs:
        check_known("arch of an emulated GPU", arch, ISAS)
    nominal = [get_nominal_devices(arch)[0] for arch in archs]
    return [replace(d, name=f"{d.name} (emulated)") for d in nominal]


def serve(set_handler: int) -> None:
    """Serve a stand-in library that was loaded in place of the HIP runtime; `set_handler` takes the handler.

    It offers the GPUs of the setting `emulated_gpus` that HIP_VISIBLE_DEVICES leaves.
    """
    settings = Settings.from_env()
    devices = visible(emulated_devices([a for a in settings.emulated_gpus.split(",") if a]))
    runtime = EmulatedRuntime(devices, settings.sanitize)
    register: Callable[[Any], None] = ctypes.CFUNCTYPE(None, HANDLER)(set_handler)
    register(handler_of(runtime))
    SERVED.append(runtime)


def visible(devices: Sequence[Device]) -> list[Device]:
    """Return the devices that HIP_VISIBLE_DEVICES names, in its order: it ends at the first number that is none."""
    text = os.environ.get("HIP_VISIBLE_DEVICES")
    if text is None:
        return list(devices)
    found = []
    for word in text.split(","):
        if not word.strip().isdigit() or int(word) >= len(devices):
            break
        found.append(devices[int(word)])
    return found
