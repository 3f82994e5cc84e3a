"""Operations on measurements and registries: merge, sweep, exports."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reliability_base import Judge, Operation, hidden, must

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.errors import TilewrightError
from tilewright.model.canonical import canonical
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry
from tilewright.store import Measurement, Store
from tilewright.store.files import read_rows, write_rows
from tilewright.tune.measure.station import Built
from tilewright.tune.measure.sweep import Sweep
from tilewright.tune.measure.task import Event, Task

DEVICE = Device("a test", "x86_64_v4", 1, l1_bytes=48 << 10, l2_bytes=2 << 20, llc_bytes=32 << 20, threads=1)
BEFORE, ALL = 8, 24  # rows of a store before an operation and after it


def spec_of(number: int) -> KernelSpec:
    signature = problem_of(0).signature
    return KernelSpec("gemm", "cpu", "x86_64_v4", signature, CpuGemm(mr=4, nr=16, kc=16 * (number + 1), mc=48))


def problem_of(number: int) -> Any:
    data = {"op": "gemm", "m": 8 + number, "n": 16, "k": 16, "dtype": "fp32", "layout": "rrr"}
    return problem_from_dict(data)


def rows_of(numbers: range) -> Iterator[Measurement]:
    for number in numbers:
        problem, spec = problem_of(number), spec_of(0)
        launch = canonical(Launch(threads=1))
        yield Measurement(
            problem.to_dict(), problem.tuning_key, spec.to_dict(), spec.digest, launch, "a build", DEVICE.to_dict(),
            samples=(1e-6 * (number + 1),), error=0.0, tolerance=1.0, tier="float64", host="a host", at=1.0 + number,
        )  # fmt: skip


def store_of(folder: Path) -> Store:
    return Store(folder / "store.sqlite")


def missing_rows(folder: Path, numbers: range) -> list[str]:
    """Rows that are not in the store, or not as they were written."""
    with store_of(folder) as store:
        held = {row.id: row.samples for row in store.rows()}
    wanted = {row.id: row.samples for row in rows_of(numbers)}
    gone = [key for key, samples in wanted.items() if held.get(key) != samples]
    return [f"{len(gone)} of {len(wanted)} rows are gone or changed"] if gone else []


class Merge(Operation):
    """Merges a file of measurements into a store that holds some."""

    name = "merge"

    def prepare(self, folder: Path) -> None:
        write_rows(rows_of(range(ALL)), folder / "rows.jsonl.gz")
        with store_of(folder) as store:
            store.put(rows_of(range(BEFORE)))

    def run(self, folder: Path) -> Judge:
        with store_of(folder) as store:
            store.merge(read_rows(folder / "rows.jsonl.gz"))
        return lambda: must(not missing_rows(folder, range(ALL)))

    def check(self, folder: Path) -> list[str]:
        found = missing_rows(folder, range(BEFORE))
        self.again(folder)
        return [*found, *missing_rows(folder, range(ALL))]


class Instant:
    """A station that measures nothing and returns at once: what is disturbed is the sweep and its store."""

    name, device, host = "instant", None, "h"

    def build(self, specs: Any, seconds: float, progress: Any = None) -> list[Built]:
        return []

    def measure(self, task: Task) -> Iterator[Event]:
        for round_ in range(2):
            for index in range(len(task.choices)):
                yield Event(index, "ok", (1e-6,), more=round_ > 0, error=0.0, tolerance=1.0, tier="float64", host="h")

    def close(self) -> None:
        pass


class SweepStore(Operation):
    """Sweeps two candidates over two problems into a store that holds earlier measurements."""

    name = "sweep"
    problems, candidates = 2, 2

    def prepare(self, folder: Path) -> None:
        with store_of(folder) as store:
            store.put(rows_of(range(BEFORE)))

    def run(self, folder: Path) -> Judge:
        specs = [spec_of(i) for i in range(self.candidates)]
        built = {spec.digest: Built(spec.digest, f"{number:064x}") for number, spec in enumerate(specs)}
        candidates = [Candidate(spec, Launch(threads=1)) for spec in specs]
        with store_of(folder) as store:
            sweep = Sweep(store, [Instant()], DEVICE, built)
            report = sweep.run([(problem_of(100 + i), candidates) for i in range(self.problems)])
            if report.lost:
                raise TilewrightError(report.lost[0])
        return lambda: self._judge(folder)

    def _judge(self, folder: Path) -> None:
        with store_of(folder) as store:
            found = [row for row in store.rows() if row.build_key != "a build"]
        assert len(found) == self.problems * self.candidates, len(found)
        assert all(row.ok and set(row.samples) == {1e-6} for row in found)

    def check(self, folder: Path) -> list[str]:
        found = missing_rows(folder, range(BEFORE))
        self.again(folder)
        return [*found, *missing_rows(folder, range(BEFORE))]


class Export(Operation):
    """Writes measurements to a file that holds an older export."""

    def __init__(self, ending: str) -> None:
        self.name, self.ending = f"export {ending}", ending

    def _file(self, folder: Path) -> Path:
        return folder / f"rows.{self.ending}"

    def prepare(self, folder: Path) -> None:
        write_rows(rows_of(range(BEFORE)), self._file(folder))

    def run(self, folder: Path) -> Judge:
        written = write_rows(rows_of(range(ALL)), self._file(folder))
        return lambda: must(written == ALL == len(list(read_rows(self._file(folder)))))

    def check(self, folder: Path) -> list[str]:
        held = len(list(read_rows(self._file(folder))))
        found = [] if held in (BEFORE, ALL) else [f"the file holds {held} rows, neither {BEFORE} nor {ALL}"]
        self.again(folder)
        held = len(list(read_rows(self._file(folder))))
        found += [] if held == ALL else [f"the next file holds {held} rows"]
        return [*found, *hidden(folder)]


@functools.cache
def registry() -> Registry:
    """Return the registry that is written: two dozen kernels, made once, before anything is forked."""
    made = Registry("two dozen")
    for number in range(ALL):
        made.add(spec_of(number))
    return made


class RegistryExport(Operation):
    """Writes a registry to a file that holds an older one."""

    name = "export registry"

    def prepare(self, folder: Path) -> None:
        Registry("old").export_json(folder / "registry.json")

    def run(self, folder: Path) -> Judge:
        registry().export_json(folder / "registry.json")
        return lambda: Registry.import_json(folder / "registry.json")

    def check(self, folder: Path) -> list[str]:
        Registry.import_json(folder / "registry.json")
        self.again(folder)
        return hidden(folder)
