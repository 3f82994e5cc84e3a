"""Stations: where kernels are built and measured. A local one is a separate process that may crash or hang."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ...backends import get_backend_op
from ...backends.plain import spec_from_dict
from ...errors import SchemaError, TilewrightError
from ...jit import Artifact, Cache, build_many
from ...model.device import Device, full_device_name
from ...model.json_text import Json
from ...settings import Settings
from ..worker_process import WorkerFault, WorkerProcess
from . import worker
from .environment import worker_env
from .task import Event, Task

START_SECONDS = 300.0  # a busy machine takes long to start Python


@dataclass(frozen=True)
class Built:
    """The outcome of one build: its key and content, or why it failed.

    `earlier` are the keys of earlier builds of the same bytes, whose measurements hold for this one.
    """

    digest: str
    build_key: str
    artifact: str = ""
    toolchain: str = ""
    failure: str = ""
    cancelled: bool = False
    earlier: Sequence[str] = ()

    @property
    def same_keys(self) -> tuple[str, ...]:
        """The keys under which measurements hold for this build."""
        return (self.build_key, *self.earlier)


class Station(Protocol):
    """One place that builds and measures. The sweep uses only this interface."""

    name: str
    device: Device | None  # of another machine; None: this one's
    host: str  # its machine; empty: one of many equal ones, whose rows count for each other

    def build(self, specs: Sequence[Mapping[str, Any]], seconds: float, progress: Any = None) -> list[Built]:
        """Build kernels (specs in plain form) within `seconds`; return those that were reached."""
        ...

    def measure(self, task: Task) -> Iterator[Event]:
        """Yield the events of a task as they happen; a candidate that crashes or hangs is one of them."""
        ...

    def close(self) -> None:
        """Stop its process."""
        ...


class LocalStation(WorkerProcess):
    """A station of this machine: a spawned process that is monitored, and replaced when it dies or hangs.

    `gpu` is the number of the GPU it sees, None for the CPU. After `patience` seconds without an event the current
    candidate counts as hung.
    """

    device: Device | None = None

    def __init__(
        self, settings: Settings | None = None, gpu: int | None = None, patience: float = 30.0, name: str = ""
    ) -> None:
        self.settings = settings or Settings.from_env()
        self.gpu, self.patience = gpu, patience
        self.name = name or (f"gpu {gpu}" if gpu is not None else "cpu")
        super().__init__(worker.MODULE)
        self.host = os.uname().nodename

    def build(self, specs: Sequence[Mapping[str, Any]], seconds: float, progress: Any = None) -> list[Built]:
        """Build in parallel; after `seconds` the running compilers are stopped."""
        cancel = threading.Event()
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), cancel.set)
        timer.daemon = True
        timer.start()
        try:
            return build_here(specs, self.settings, cancel, progress)
        finally:
            timer.cancel()

    def measure(self, task: Task) -> Iterator[Event]:
        """Yield the events of a task; after a crash or a hang, send the remaining candidates again.

        If several were in flight at once, any of them may be the cause: they are sent again to be measured alone.
        """
        left, alone = list(range(len(task.choices))), False
        while left:
            flying: list[int] = []
            try:
                for event in self._run(task, left, flying, alone):
                    if not event.more and event.index in left:
                        left.remove(event.index)
                    yield event
                return
            except WorkerFault as fault:
                if len(flying) > 1:
                    left, alone = sorted({*left, *flying}), True
                    continue
                # If no candidate was started, the problem itself cannot be prepared.
                blamed = flying or left
                left = [i for i in left if i not in blamed]
                for index in blamed:
                    yield Event(index, fault.status, message=str(fault), host=self.host)

    def _run(self, task: Task, left: list[int], flying: list[int], alone: bool) -> Iterator[Event]:
        self._start(task.policy.threads)
        self.send(self._message(task, left, alone))
        while True:
            data = self.receive(self.patience)
            if "begin" in data:
                begun = data["begin"]
                flying[:] = [
                    i for i in (begun if isinstance(begun, list) else [begun]) if i in range(len(task.choices))
                ]
            elif data.get("end"):
                return
            else:
                yield from self._events(data.get("found", [data]), len(task.choices))

    def _message(self, task: Task, left: list[int], alone: bool) -> Json:
        """Return what is sent: the process sees one GPU, so that its number there is 0."""
        message = task.message(left, alone)
        if self.gpu is not None:
            kind = message["problem"].get("device", "cpu").partition(":")[0]
            message["problem"]["device"] = full_device_name(kind)
        return message

    def _events(self, found: Any, candidates: int) -> Iterator[Event]:
        """Yield results that belong together; a kernel can write anything to the pipe."""
        try:
            events = [Event.read(one, candidates, host=self.host) for one in found]
        except (SchemaError, TypeError) as error:
            self.close()
            raise WorkerFault("crash", f"its response cannot be read: {error}") from None
        yield from (replace(event, open=number < len(events)) for number, event in enumerate(events, 1))

    def _start(self, threads: int) -> None:
        try:
            if self.launch(self._env(threads)):
                self.host = self.receive(START_SECONDS).get("host", self.host)
        except WorkerFault as fault:
            raise TilewrightError(f"the measuring process does not start: {fault}") from None

    def _env(self, threads: int) -> dict[str, str]:
        env = {**worker_env([], threads), **self.settings.to_env()}
        if self.gpu is not None:
            env |= one_gpu(self.gpu, os.environ)
        return env


def one_gpu(number: int, env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that leave a process one of the GPUs that `env` leaves this one; none if it has no such.

    >>> one_gpu(1, {"CUDA_VISIBLE_DEVICES": "5,GPU-3f"})["CUDA_VISIBLE_DEVICES"]
    'GPU-3f'
    >>> one_gpu(1, {})
    {'CUDA_VISIBLE_DEVICES': '1', 'HIP_VISIBLE_DEVICES': '1'}
    """
    cuda = env.get("CUDA_VISIBLE_DEVICES")
    lists = {"CUDA_VISIBLE_DEVICES": cuda, "HIP_VISIBLE_DEVICES": env.get("HIP_VISIBLE_DEVICES", cuda)}
    words = {name: None if text is None else text.split(",") for name, text in lists.items()}
    return {n: str(number) if w is None else w[number].strip() if number < len(w) else "-1" for n, w in words.items()}


def build_here(
    specs: Sequence[Mapping[str, Any]], settings: Settings, cancel: threading.Event | None = None, progress: Any = None
) -> list[Built]:
    """Build specs into this machine's cache; return what was not cancelled."""
    requests, digests = [], []
    results: list[Built] = []
    for data in specs:
        spec = spec_from_dict(data)
        op = get_backend_op(spec.backend, spec.op)
        try:
            request = op.request(spec, settings)
        except TilewrightError as error:
            results.append(Built(spec.digest, "", failure=str(error)))
            continue
        if request is None:  # nothing to build: the reference, a library
            results.append(Built(spec.digest, op.library(spec), toolchain="none"))
            continue
        requests.append(request)
        digests.append(spec.digest)
    done = build_many(requests, Cache.from_settings(settings), max_workers=settings.resolved_workers(),
                      cancel=cancel, progress=progress) if requests else []  # fmt: skip
    for digest, request, result in zip(digests, requests, done, strict=True):
        toolchain = toolchain_of(request.key)
        if isinstance(result, Artifact):
            built_as = result.build_key, result.content_sha256
            results.append(Built(digest, *built_as, toolchain, earlier=request.same_keys[1:]))
        else:
            gone = result.kind == "cancelled"
            results.append(Built(digest, result.build_key, "", toolchain, result.reason, gone))
    return results


def toolchain_of(key: Mapping[str, Any]) -> str:
    """Return the compiler's name from the tools of a build request.

    >>> toolchain_of({"compiler": {"family": "gcc", "version": "12.2"}}), toolchain_of({"triton": "3.6.0"})
    ('gcc 12.2', 'triton 3.6.0')
    """
    compiler = key.get("compiler")
    if isinstance(compiler, Mapping):
        return f"{compiler.get('family')} {compiler.get('version')}"
    return " ".join(f"{name} {value}" for name, value in key.items() if name in ("triton", "driver")) or "unknown"


def seconds_left(deadline: float | None) -> float:
    """Return the seconds until a time of `time.monotonic`; infinity if there is none."""
    return float("inf") if deadline is None else deadline - time.monotonic()
