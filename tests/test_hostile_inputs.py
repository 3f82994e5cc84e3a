"""Inputs that once hung or ended in a raw error: named pipes, manifests of bundles, results of a cluster."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.bundle.manifest import ABI_VERSION, BUNDLE_SCHEMA, KIND, SELECTION_ABI
from tilewright.bundle.opened import Bundle
from tilewright.errors import DeviceError, SchemaError, TilewrightError
from tilewright.jit import Cache
from tilewright.model.device import Device
from tilewright.model.json_text import read_bytes
from tilewright.store.lines import read_lines
from tilewright.tune.measure.cluster import RayStation, _event
from tilewright.tune.measure.station import LocalStation
from tilewright.tune.measure.sweep import StationLostError
from tilewright.tune.measure.task import Choice, Task

READERS: dict[str, Callable[[Path], Any]] = {
    "x.json": read_bytes,
    "x.jsonl": lambda path: [*read_lines(path)],
    "x.jsonl.gz": lambda path: [*read_lines(path)],
    "x.tar.gz": lambda path: Cache(path.parent / "cache").import_(path),
}


@pytest.mark.parametrize("name", READERS)
def test_a_named_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(TilewrightError, match="named pipe"):
        READERS[name](tmp_path / name)


def test_a_pipe_that_a_shell_opened_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"[1]")
    os.close(writer)
    assert read_bytes(f"/dev/fd/{reader}") == b"[1]"
    os.close(reader)


def _manifest(folder: Path) -> dict[str, Any]:
    def stored(name: str) -> dict[str, Any]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        return {"file": name, "sha256": empty, "bytes": 0}

    kernel = {
        "name": "k", "files": [stored("lib/k.so")], "digest": "d", "code": "c", "priority": 0, "spec": {},
        "numbers": [1.0], "factor": 1.0, "basis": "", "counted": {"x": 1.0},
    }  # fmt: skip
    return {
        "schema": BUNDLE_SCHEMA, "kind": KIND, "abi": ABI_VERSION, "selection_abi": SELECTION_ABI, "tilewright": "0",
        "name": "n", "backend": "cpu",
        "arch": {"name": "x86_64_v3", "kind": "cpu", "machines": [os.uname().machine], "cpu_flags": []},
        "libraries": {part: stored(f"lib/{part}") for part in ("runtime", "selection", "program", "models")},
        "kernels": [kernel], "report": {},
    }  # fmt: skip


def test_manifests_of_bundles_end_in_errors_of_tilewright(tmp_path: Path) -> None:
    """Each field of a good manifest, replaced by values of every kind."""
    good, opened = _manifest(tmp_path), 0
    (tmp_path / "manifest.json").write_text(json.dumps(good))
    Bundle.open(tmp_path, verify=True)
    values = [None, True, 0, -1, 1.5, 10**30, "", "x", "../x", "a/" * 3000 + "a", [], [1], [None], ["x"], {}, {"a": 1}]
    values += ["lib", "lib/k.so/x", "\x00", [{}], [[]], {"x": "y"}]
    rng, paths = Random(0), [*_paths(good)]
    for path in paths:
        for value in rng.sample(values, 12):
            bad = json.loads(json.dumps(good))
            *outer, last = path
            inner = bad
            for step in outer:
                inner = inner[step]
            inner[last] = value
            (tmp_path / "manifest.json").write_text(json.dumps(bad))
            try:
                bundle = Bundle.open(tmp_path, verify=True)
                opened += 1
                _ = bundle.specs
            except TilewrightError:
                pass
    assert len(paths) * 12 > 400
    assert opened < len(paths) * 4


@pytest.mark.parametrize("name", ["machines", "cpu_flags", "kernles"])
def test_an_unknown_field_of_a_manifest_is_refused_with_file_and_fields(name: str, tmp_path: Path) -> None:
    """Also one that belongs to the arch."""
    (tmp_path / "manifest.json").write_text(json.dumps({**_manifest(tmp_path), name: []}))
    with pytest.raises(SchemaError) as caught:
        Bundle.open(tmp_path)
    said = str(caught.value)
    assert str(tmp_path / "manifest.json") in said
    known = "abi, arch, backend, kernels, kind, libraries, name, report, schema, selection_abi, tilewright"
    assert f"unknown manifest field {name!r}" in said
    assert said.count(known) == 1
    assert "machines" not in said.replace(repr(name), "")


def _paths(value: Any, before: tuple[Any, ...] = ()) -> Any:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield (*before, key)
        yield from _paths(inner, (*before, key))


def test_a_file_of_a_bundle_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(_manifest(tmp_path)))
    (tmp_path / "lib" / "k.so").unlink()
    os.mkfifo(tmp_path / "lib" / "k.so")
    with pytest.raises(TilewrightError, match="is not the file that the manifest describes"):
        Bundle.open(tmp_path)
    shutil.rmtree(tmp_path / "lib")
    with pytest.raises(TilewrightError, match="lacks lib/"):
        Bundle.open(tmp_path)


@pytest.mark.parametrize(
    "data",
    [{"index": -1, "samples": ()}, {"index": 2, "samples": ()}, {"index": True, "samples": ()}, {"index": "0"}, None,
     [], {"index": 0}, {"index": 0, "samples": (), "other": 1}, {"index": 0, "status": "ok", "clocks": "no object"},
     {"index": 0, "status": "ok", "tier": 5}, {"index": 0, "status": "ok", "more": 1},
     {"index": 0, "status": "ok", "samples": 7}],
)  # fmt: skip
def test_a_result_of_a_cluster_that_is_none_ends_the_station(data: Any) -> None:
    with pytest.raises(StationLostError, match="sent a result"):
        _event(data, [5, 6], "station 1")


class _Ray:
    """A cluster whose only station does what `how` says."""

    def __init__(self, how: str) -> None:
        self.how, self.exceptions, self.kill = how, SimpleNamespace(), None
        for name, base in (("RayError", Exception), ("GetTimeoutError", None), ("RayActorError", None)):
            setattr(self.exceptions, name, type(name, (base or self.exceptions.RayError,), {}))

    def __getattr__(self, name: str) -> Any:  # the actor: build and measure, with the options of a stream
        return SimpleNamespace(remote=lambda *a: iter(["result"]), options=lambda **_: getattr(self, name))

    def wait(self, waiting: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return ([], waiting) if self.how == "silent" else (waiting, [])

    def get(self, reference: Any, timeout: float) -> Any:
        assert timeout < float("inf")
        if self.how in ("raises", "late"):
            name = "RayError" if self.how == "raises" else "GetTimeoutError"
            raise getattr(self.exceptions, name)("ray::Post.measure()\nRuntimeError: out of memory")
        return [{"digest": "d", "other": 1}]


@pytest.mark.parametrize(
    ("how", "says"), [("silent", "sent no result within"), ("late", "sent no result within"), ("raises", "of memory$")]
)
def test_a_station_that_is_silent_or_fails_is_lost(how: str, says: str) -> None:
    ray = _Ray(how)
    station = RayStation(ray, ray, "node 0", Device("one", "x", 1))
    with pytest.raises(StationLostError, match=says):
        list(station.measure(Task({"op": "gemm"}, (Choice({}, "d", {}, "b"),))))


@pytest.mark.parametrize(("how", "says"), [("late", "built nothing within"), ("odd", "a build that cannot be read")])
def test_a_station_that_does_not_build_is_an_error(how: str, says: str) -> None:
    ray = _Ray(how)
    with pytest.raises(DeviceError, match=says):
        RayStation(ray, ray, "node 0", Device("one", "x", 1)).build([{}], float("inf"))


@pytest.mark.parametrize(
    "line",
    ['{"index": -1, "status": "ok"}', '{"found": 7}', '{"found": [[]]}', '{"index": 0, "status": 5}', '{"index": 3}',
     '{"index": 0, "status": "ok", "host": "elsewhere", "odd": 1}', '{"begin": [7, {}]}\n{"index": 9}'],
)  # fmt: skip
def test_what_a_kernel_writes_to_the_pipe_of_its_station_is_a_crash_of_it(line: str) -> None:
    station = LocalStation(patience=30.0)
    program = f"import sys; print('{{}}', flush=True); sys.stdin.readline(); print({line!r}, flush=True); input()"
    station._command = lambda: [sys.executable, "-c", program]  # type: ignore[method-assign]
    events = list(station.measure(Task({"op": "gemm"}, (Choice({}, "d", {}, "b"),))))
    station.close()
    assert [(e.index, e.status) for e in events] == [(0, "crash")]
    assert "its response cannot be read" in events[0].message
