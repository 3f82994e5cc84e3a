"""Another machine as seen from this Python: kernels that it loads, launches that it runs.

A `ForeignKernel` stands where a plan expects a loaded kernel, and `LAUNCHER` where it expects the way to launch it. So
problems, plans, launch values and verification are the project's own; only the last step happens elsewhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tilewright.jit.artifact import BuildRequest
from tilewright.jit.cache import Cache
from tilewright.jit.compiler import find_compiler
from tilewright.jit.launch_checks import Operand
from tilewright.jit.launcher import Launcher, TwArgs
from tilewright.jit.native_build import NATIVE, runtime_request
from tilewright.jit.pool import build_one
from tilewright.settings import Settings

RUNNER = Path(__file__).with_name("runner.cpp")
LOAD, WORKSPACE, RUN = 1, 2, 3  # the commands of runner.cpp
BLOCK_ALIGNMENT = 4096  # the runner keeps addresses modulo this
RUN_ADDRESS = 1  # a plan wants an address of the kernel; nothing here calls it


class MachineError(Exception):
    """A kernel failed on the other machine, or ended it."""


class Machine:
    """A runner process, started when it is first needed and again after a kernel has ended it."""

    def __init__(self, command: Sequence[str], settings: Settings) -> None:
        self._command = [*command]
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded: dict[Path, int] = {}

    def close(self) -> None:
        """End the runner."""
        self._end()

    def load(self, path: Path, digest: str) -> ForeignKernel:
        """Return the kernel of a library, checked as `load_kernel` checks it."""
        self._index(path, digest)
        return ForeignKernel(self, path, digest)

    def workspace(self, kernel: ForeignKernel, args: TwArgs) -> int:
        """Return the bytes of scratch memory that a launch needs."""
        self._send(WORKSPACE, self._index(kernel.path, kernel.digest), bytes(args))
        return self._number()

    def run(self, kernel: ForeignKernel, args: TwArgs, operands: Sequence[Operand], addresses: Sequence[int]) -> None:
        """Run one launch on the memory behind `addresses`, which afterwards holds what the kernel wrote."""
        spans = [_span(operand, address) for operand, address in zip(operands, addresses, strict=True)]
        blocks = list(_united(spans))
        parts: list[int | bytes] = [self._index(kernel.path, kernel.digest), bytes(args), len(blocks)]
        for block in blocks:
            size = block.end - block.start
            parts += [size, block.start % BLOCK_ALIGNMENT, ctypes.string_at(block.start, size)]
        parts.append(len(operands))
        for operand, address, span in zip(operands, addresses, spans, strict=True):
            home = next(i for i, block in enumerate(blocks) if block.start <= span.start and span.end <= block.end)
            parts += [operand.slot, home, address - blocks[home].start]
        self._send(RUN, *parts)
        for block in blocks:
            content = self._bytes(block.end - block.start)
            if block.written:
                ctypes.memmove(block.start, content, len(content))

    def _index(self, path: Path, digest: str) -> int:
        if self._process is None:
            self._start()
        if path not in self._loaded:
            text = os.fsencode(path)
            self._send(LOAD, len(text), text)
            index, said = self._number(), self._bytes(self._number()).decode()
            if said != digest:
                raise MachineError(f"{path} was generated from spec {said[:16]}, not from {digest[:16]}")
            self._loaded[path] = index
        return self._loaded[path]

    def _start(self) -> None:
        requests = (runner_request(self._settings), runtime_request(self._settings))
        command = [*self._command, *(os.fspath(build(request, self._settings)) for request in requests)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=_leave_no_core
        )

    def _send(self, *parts: int | bytes) -> None:
        """Send a command and read the status of its answer."""
        assert self._process is not None
        assert self._process.stdin is not None
        message = b"".join(struct.pack("<q", part) if isinstance(part, int) else part for part in parts)
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
        except BrokenPipeError:
            self._report_end()
        if self._number():
            raise MachineError(self._bytes(self._number()).decode(errors="replace"))

    def _number(self) -> int:
        (value,) = struct.unpack("<q", self._bytes(8))
        return int(value)

    def _bytes(self, count: int) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        content = self._process.stdout.read(count)
        if len(content) < count:
            self._report_end()
        return content

    def _end(self) -> int:
        """Close the pipes, on which a runner that still runs ends; return its exit status."""
        process, self._process = self._process, None
        self._loaded.clear()
        if process is None:
            return 0
        with process, contextlib.suppress(BrokenPipeError):
            process.communicate()
        return process.returncode

    def _report_end(self) -> NoReturn:
        code = self._end()
        how = signal.strsignal(-code) if code < 0 else f"status {code}"
        raise MachineError(f"the runner ended: {how}")


class ForeignKernel:
    """A kernel that another machine has loaded."""

    run_address = RUN_ADDRESS

    def __init__(self, machine: Machine, path: Path, digest: str) -> None:
        self.machine, self.path, self.digest = machine, path, digest
        self.templates: dict[Any, Any] = {}

    def workspace(self, args: TwArgs) -> int:
        """Return the bytes of scratch memory that a launch needs."""
        return self.machine.workspace(self, args)


class ForeignCall:
    """A prepared launch on another machine; see `tilewright.jit.launcher.Call`."""

    def __init__(
        self, run_address: int, args: bytes, operands: tuple[Operand, ...], out: int, release_gil: bool, keep: Any
    ) -> None:
        assert run_address == RUN_ADDRESS
        self._args, self._kernel = TwArgs.from_buffer_copy(args), keep
        self.operands = operands
        self.workspace_bytes = int(self._args.workspace_bytes)

    def run_pointers(self, *addresses: int) -> None:
        """Run on the tensors at these addresses."""
        self._kernel.machine.run(self._kernel, self._args, self.operands, addresses)


LAUNCHER = Launcher("foreign", ForeignCall, "kernels of another machine")


def runner_request(settings: Settings) -> BuildRequest:
    """Return the build of the runner by the compiler of `settings`."""
    compiler = find_compiler(settings)
    output = "runner"
    return BuildRequest(
        spec_digest="",
        name="foreign_runner",
        inputs={source.name: source.read_text(encoding="utf-8") for source in (RUNNER, NATIVE / "tilewright_abi.h")},
        commands=((*compiler.argv, "-std=c++17", "-O1", "-Wall", "-Werror", RUNNER.name, "-o", output, "-ldl"),),
        outputs=(output,),
        key={"compiler": compiler.fingerprint()},
        timeout=settings.build_timeout,
    )


def build(request: BuildRequest, settings: Settings) -> Path:
    """Return the only file of a build, from the cache if it is there."""
    return build_one(request, Cache.from_settings(settings)).file()


class Span(NamedTuple):
    """Memory from `start` up to `end`, and whether a kernel writes it."""

    start: int
    end: int
    written: bool


def _span(operand: Operand, address: int) -> Span:
    """The memory that a tensor reaches, gaps between its elements included."""
    if 0 in operand.shape:
        return Span(address, address, operand.written)
    reach = [(n - 1) * s for n, s in zip(operand.shape, operand.strides, strict=True)]
    start = address + sum(r for r in reach if r < 0)
    return Span(start, address + sum(r for r in reach if r > 0) + operand.dtype.itemsize, operand.written)


def _united(spans: Sequence[Span]) -> Iterator[Span]:
    """Spans that share memory as one, so that tensors which alias here alias there."""
    current: Span | None = None
    for span in sorted(spans):
        if current is not None and span.start < current.end:
            current = Span(current.start, max(current.end, span.end), current.written or span.written)
            continue
        if current is not None:
            yield current
        current = span
    if current is not None:
        yield current


def _leave_no_core() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
