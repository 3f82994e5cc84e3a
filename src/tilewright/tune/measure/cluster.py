"""Stations on a Ray cluster: the same code as on this machine, inside actors that Ray places by GPU and restarts.

Each actor holds a `LocalStation` of its machine: it builds into that machine's cache and measures in a process that may
crash. If the actor itself dies with its machine, Ray restarts it elsewhere, and the remaining work is sent again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ...errors import DeviceError, MissingExtraError, SchemaError
from ...model.device import Device
from ...model.json_text import Json
from ...settings import Settings, env_of
from .station import START_SECONDS, Built, LocalStation
from .sweep import StationLostError
from .task import Event, Task

MAX_RESTARTS = 8
RESULT_SECONDS = 1800.0  # for one result of a station, which has its own limits for each candidate
REBUILD_SECONDS = 600.0
MAX_BUILD_SECONDS = 24 * 3600.0  # of a tuning without a limit
_ADDRESS = re.compile(r"auto|(?:ray://)?(?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


def _ray() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # a CPU actor keeps its environment
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", extra="cluster", why="to tune on a cluster") from None
    return ray


def _event(data: Any, numbers: list[int], name: str) -> Event:
    """Return the event that a station sent; raise `StationLostError` if it is none, or of no candidate of the task."""
    try:
        event = Event.read(data, len(numbers))
    except SchemaError as error:
        raise StationLostError(f"{name} sent {error.message}") from None
    return replace(event, index=numbers[event.index])


class Post:
    """The actor on a machine of the cluster: a local station with plain values as its interface."""

    def __init__(self, settings: Mapping[str, Any], gpu: bool, patience: float) -> None:
        os.environ.update(env_of(settings))  # the process is this actor's own
        self._station = LocalStation(Settings.from_env(), gpu=0 if gpu else None, patience=patience)

    def place(self) -> Json:
        """Return the place of the actor."""
        return {"host": os.uname().nodename, "pid": os.getpid(), "worker": self._station.pid}

    def cache_dir(self) -> str:
        """Return the folder of kernels on this machine."""
        from ...jit import Cache

        return str(Cache.from_settings(self._station.settings).root)

    def device(self, device: str) -> Json:
        """Return the device that it measures on."""
        from ...backends import device_at

        try:  # a machine of the cluster has its own numbers: Ray gives each actor one GPU
            return device_at(device.partition(":")[0], self._station.settings).to_dict()
        except DeviceError as error:
            raise DeviceError(f"{os.uname().nodename}: {error.message}", remedy=error.remedy) from None

    def build(self, specs: Sequence[Mapping[str, Any]], seconds: float) -> list[Json]:
        """Build on this machine."""
        return [asdict(b) for b in self._station.build(specs, seconds)]

    def measure(self, task: Task) -> Iterator[Json]:
        """Measure on this machine; yield events one by one."""
        for event in self._station.measure(task):
            yield asdict(event)


class RayStation:
    """A station on a cluster: one actor with one GPU, or with the cores of the CPU threads that are measured."""

    def __init__(self, ray: Any, actor: Any, name: str, device: Device) -> None:
        self._ray, self.actor, self.name, self.device = ray, actor, name, device
        self.host = ""
        self._specs: list[Mapping[str, Any]] = []

    def build(self, specs: Sequence[Mapping[str, Any]], seconds: float, progress: Any = None) -> list[Built]:
        """Build on the station's machine."""
        self._specs = list(specs)
        limit = min(seconds, MAX_BUILD_SECONDS) + RESULT_SECONDS
        try:
            found = self._ray.get(self.actor.build.remote(self._specs, seconds), timeout=limit)
            return [Built(**b) for b in found]
        except self._ray.exceptions.GetTimeoutError:
            raise DeviceError(f"{self.name} built nothing within {limit:g} s", remedy="see `ray status`") from None
        except TypeError as problem:
            raise DeviceError(f"{self.name} sent a build that cannot be read: {problem}") from None

    def measure(self, task: Task) -> Iterator[Event]:
        """Yield the events of a task; after a restart of the actor, send the candidates without an outcome again."""
        left = list(range(len(task.choices)))
        for _ in range(MAX_RESTARTS):
            done: set[int] = set()
            try:
                for event in self._stream(Task(task.problem, tuple(task.choices[i] for i in left), task.policy), left):
                    if not event.more:
                        done.add(event.index)
                    yield event
                return
            except self._ray.exceptions.RayActorError as error:
                left = [i for i in left if i not in done]
                if not left:
                    return
                self._revive(error)
            except self._ray.exceptions.RayError as error:  # what the actor raised, or a result that got lost
                raise StationLostError(f"{self.name} failed: {str(error).strip().splitlines()[-1][:300]}") from None
        raise StationLostError(f"{self.name} was lost {MAX_RESTARTS} times on one problem")

    def _stream(self, part: Task, numbers: list[int]) -> Iterator[Event]:
        results = self.actor.measure.options(num_returns="streaming").remote(part)
        while self._ray.wait([results], timeout=RESULT_SECONDS)[0]:
            reference = next(results, None)
            if reference is None:
                return
            try:
                data = self._ray.get(reference, timeout=RESULT_SECONDS)
            except self._ray.exceptions.GetTimeoutError:
                break
            yield _event(data, numbers, self.name)
        raise StationLostError(f"{self.name} sent no result within {RESULT_SECONDS:g} s")

    def _revive(self, error: Exception) -> None:
        """Wait until the actor is restarted, maybe on another machine, and make sure that the kernels are there."""
        end, wrong = time.monotonic() + REBUILD_SECONDS, self._ray.exceptions
        while time.monotonic() < end:
            try:
                self._ray.get(self.actor.build.remote(self._specs, REBUILD_SECONDS), timeout=REBUILD_SECONDS)
                return
            except wrong.ActorUnavailableError:  # Ray is still starting it
                time.sleep(0.5)
            except (wrong.RayActorError, wrong.GetTimeoutError):
                break
        raise StationLostError(f"{self.name} is gone: {error}")

    def close(self) -> None:
        """End the actor."""
        self._ray.kill(self.actor)


def checked_address(address: str) -> str:
    """Return the address of an existing cluster; raise `DeviceError` for an address that would start one.

    A Ray cluster lets everybody who reaches its ports run code, so tilewright joins the one that the user names and
    never opens a port itself.

    >>> checked_address("10.0.0.7:6379")
    '10.0.0.7:6379'
    """
    if not _ADDRESS.fullmatch(address):
        raise DeviceError(
            f"{address!r} is not the address of a Ray cluster",
            remedy="give host:port, ray://host:port, or auto for the cluster that this machine belongs to",
        )
    return address


def ray_stations(address: str, settings: Settings, device: str = "cpu", patience: float = 30.0) -> list[RayStation]:
    """Return a station for each GPU of the cluster at `address` ("auto": the local one), or each machine's CPU."""
    address = checked_address(address)
    ray = _ray()
    if not ray.is_initialized():
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    gpu, threads = device != "cpu", settings.resolved_threads()
    options = {"max_restarts": -1, "max_task_retries": 0}
    plain = {k: v for k, v in vars(settings).items() if v != getattr(Settings(), k)}
    actors = []
    for number, node in enumerate(n for n in ray.nodes() if n["Alive"]):
        count = int(node["Resources"].get("GPU", 0)) if gpu else int(node["Resources"].get("CPU", 0) >= 1)
        wanted = {"num_gpus": 1} if gpu else {"num_cpus": min(threads, int(node["Resources"].get("CPU", 1)))}
        near = NodeAffinitySchedulingStrategy(node["NodeID"], soft=True)
        for place in range(count):
            actor = ray.remote(Post).options(**options, **wanted, scheduling_strategy=near)
            actors.append((f"node {number} place {place}", actor.remote(plain, gpu, patience)))
    if not actors:
        raise DeviceError(f"the cluster at {address} has no {'GPU' if gpu else 'CPU'}", remedy="see `ray status`")
    try:
        devices = ray.get([actor.device.remote(device) for _, actor in actors], timeout=START_SECONDS)
    except ray.exceptions.GetTimeoutError:
        message = f"the machines of {address} did not name their devices within {START_SECONDS:g} s"
        raise DeviceError(message, remedy="see `ray status`") from None
    return [RayStation(ray, a, n, Device.from_dict(d)) for (n, a), d in zip(actors, devices, strict=True)]
