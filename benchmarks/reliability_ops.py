"""The operations that `kill.py` and `faults.py` disturb: each can be run, and what it left can be judged.

An operation works in one folder. `prepare` makes what is there before, `run` is disturbed, `check` looks at what is
left, does the work again undisturbed, and returns what was lost, damaged or unusable: one sentence each. What `run`
returns is called undisturbed afterwards and raises `AssertionError` if the result is wrong.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TilewrightError
from tilewright.jit import Artifact, BuildRequest, Cache, build_many
from tilewright.model.canonical import canonical
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings
from tilewright.store import Measurement, Store
from tilewright.store.files import read_rows, write_rows
from tilewright.tune.measure.station import Built
from tilewright.tune.measure.sweep import Sweep
from tilewright.tune.measure.task import Event, Task

DEVICE = Device("a test", "x86_64_v4", 1, l1_bytes=48 << 10, l2_bytes=2 << 20, llc_bytes=32 << 20, threads=1)
BEFORE, ALL = 8, 24  # rows of a store before an operation and after it
KERNELS = 5
LIBRARY = 'extern "C" __attribute__((visibility("default"))) int answer() { return 42; }'


Judge = Callable[[], object]  # raises `AssertionError` if a result is wrong


def fine() -> None:
    """The result of an operation that `check` judges."""


def must(condition: bool, text: str = "wrong result") -> None:
    assert condition, text


class Operation:
    """One thing that is disturbed."""

    name = ""

    def prepare(self, folder: Path) -> None:
        """Make what is there before."""

    def run(self, folder: Path) -> Judge:
        """Do the work; `TilewrightError` if it cannot be done. Returns what judges the result."""
        raise NotImplementedError

    def again(self, folder: Path) -> None:
        """Do the work undisturbed, and judge it."""
        self.run(folder)()

    def check(self, folder: Path) -> list[str]:
        """Return what is wrong with what was left, and with doing the work again."""
        return []


def cache_of(folder: Path, name: str = "cache") -> Cache:
    """The cache of an operation, with its messages off."""
    return Cache(folder / name, settings=Settings(cache_dir=str(folder / name)), on_event=lambda event: None)


@functools.cache
def compiled_library() -> Path:
    """A shared library, compiled once: what is tested is not the compiler."""
    folder = Path(tempfile.mkdtemp(prefix="tilewright-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", os.fspath(folder / "answer.so")]
    subprocess.run(command, input=LIBRARY.encode(), check=True)
    return folder / "answer.so"


def job(number: int) -> BuildRequest:
    """A build that takes some milliseconds; the first one makes a shared library, which is checked by loading it."""
    if number == 0:
        commands = (("cp", os.fspath(compiled_library()), "answer.so"),)
        return BuildRequest("", "library", {"a.cpp": LIBRARY}, commands, ("answer.so",))
    script = f"sleep 0.01; echo {number} > part; cp part out"
    return BuildRequest("", f"job{number}", {"job.sh": script}, (("sh", "-eu", "job.sh"),), ("out",), {"job": number})


def jobs(*numbers: int) -> list[BuildRequest]:
    return [job(number) for number in numbers]


def wrong_jobs(cache: Cache, numbers: Sequence[int]) -> list[str]:
    """Build what is missing and return what is not as it must be."""
    found = []
    for number, result in zip(numbers, build_many(jobs(*numbers), cache, max_workers=2), strict=True):
        if not isinstance(result, Artifact):
            found.append(f"job {number} cannot be built: {result.reason}")
        elif number and result.file().read_text() != f"{number}\n":
            found.append(f"job {number} has the wrong content")
    return found


def damage(cache: Cache, needed: Sequence[int]) -> list[str]:
    """What is damaged in a cache, and which of the entries that were there before is gone."""
    found = [f"damaged: {text}" for text in cache.verify().damaged]
    found += [f"job {n} was there and is gone" for n in needed if cache.find(job(n).build_key) is None]
    for number in range(KERNELS):
        kept = cache.failure(job(number).build_key)
        if kept is not None and kept.permanent:
            found.append(f"job {number} is remembered as failed: {kept.reason}")
    return found


def tidy(cache: Cache) -> list[str]:
    """What stays behind after the next build swept up."""
    cache.sweep(again=True)
    work = cache.folder("tmp")
    return [f"left behind: {path}" for path in (work.iterdir() if work.exists() else ())]


class Build(Operation):
    """Builds three kernels into a cache that holds two; one entry there is damaged and has to be mended."""

    name = "build"

    def prepare(self, folder: Path) -> None:
        assert not wrong_jobs(cache_of(folder), (1, 2))

    def run(self, folder: Path) -> Judge:
        results = build_many(jobs(*range(KERNELS)), cache_of(folder), max_workers=2)
        failed = [result for result in results if not isinstance(result, Artifact)]
        if failed:
            raise failed[0].error()  # type: ignore[union-attr]
        return lambda: must(results[1].file().read_text() == "1\n")  # type: ignore[union-attr]

    def check(self, folder: Path) -> list[str]:
        cache = cache_of(folder)
        return [*damage(cache, (1, 2)), *wrong_jobs(cache, range(KERNELS)), *tidy(cache)]


class Mend(Build):
    """The same where an entry is damaged: it is put aside and built again."""

    name = "mend"

    def prepare(self, folder: Path) -> None:
        super().prepare(folder)
        (cache_of(folder).entry_path(job(1).build_key) / "out").write_text("damaged")

    def check(self, folder: Path) -> list[str]:
        cache = cache_of(folder)
        cache.verify()
        return [*damage(cache_of(folder), (2,)), *wrong_jobs(cache, range(KERNELS)), *tidy(cache)]


class Load(Operation):
    """Plans, loads and runs a product from a cache that holds its kernel."""

    name = "load"
    problem = {"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"}

    def prepare(self, folder: Path) -> None:
        self.again(folder)

    def run(self, folder: Path) -> Judge:
        os.environ["TILEWRIGHT_CACHE_DIR"] = str(folder / "cache")  # of the launcher, which no settings reach
        os.environ["TILEWRIGHT_DATA_DIR"] = str(folder / "data")
        settings = Settings.from_env(threads=1, ledger=False)
        dispatcher = Dispatcher(settings=settings)
        a = np.arange(64, dtype=np.float32).reshape(8, 8)
        out = np.full((8, 8), np.nan, np.float32)
        dispatcher.run(problem_from_dict(self.problem), a=a, b=a, out=out)
        return lambda: np.testing.assert_allclose(out, a @ a, rtol=1e-5)

    def check(self, folder: Path) -> list[str]:
        damaged = [f"damaged: {text}" for text in cache_of(folder).verify().damaged]
        self.again(folder)
        return [*damaged, *tidy(cache_of(folder))]


class Clear(Operation):
    """Prunes and clears a cache."""

    name = "clear"

    def prepare(self, folder: Path) -> None:
        assert not wrong_jobs(cache_of(folder), range(1, KERNELS))

    def run(self, folder: Path) -> Judge:
        cache_of(folder).prune(max_bytes=4000)
        cache_of(folder).clear()
        return fine

    def check(self, folder: Path) -> list[str]:
        cache = cache_of(folder)
        return [*damage(cache, ()), *wrong_jobs(cache, range(1, KERNELS)), *tidy(cache)]


class CacheExport(Operation):
    """Writes a cache to a file that holds an older export."""

    name = "cache export"

    def prepare(self, folder: Path) -> None:
        assert not wrong_jobs(cache_of(folder), (1, 2))
        cache_of(folder).export(folder / "kernels.tar.gz")
        assert not wrong_jobs(cache_of(folder), range(1, KERNELS))

    def run(self, folder: Path) -> Judge:
        written = cache_of(folder).export(folder / "kernels.tar.gz")
        return lambda: must(written == cache_of(folder, "judged").import_(folder / "kernels.tar.gz"))

    def check(self, folder: Path) -> list[str]:
        taken = cache_of(folder, "first").import_(folder / "kernels.tar.gz")
        found = [] if taken in (2, KERNELS - 1) else [f"the file holds {taken} kernels"]
        cache_of(folder).export(folder / "kernels.tar.gz")
        taken = cache_of(folder, "second").import_(folder / "kernels.tar.gz")
        return found if taken == KERNELS - 1 else [*found, f"the next file holds {taken} kernels"]


class CacheImport(Operation):
    """Takes over a file of kernels into a cache that holds one."""

    name = "cache import"

    def prepare(self, folder: Path) -> None:
        assert not wrong_jobs(cache_of(folder, "source"), range(1, KERNELS))
        cache_of(folder, "source").export(folder / "kernels.tar.gz")
        assert not wrong_jobs(cache_of(folder), (1,))

    def run(self, folder: Path) -> Judge:
        cache_of(folder).import_(folder / "kernels.tar.gz")
        return lambda: must(cache_of(folder).verify().whole == KERNELS - 1)

    def check(self, folder: Path) -> list[str]:
        cache = cache_of(folder)
        found = damage(cache, (1,))
        self.again(folder)
        return [*found, *wrong_jobs(cache, range(1, KERNELS)), *tidy(cache)]


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
    """A station that measures nothing and answers at once: what is disturbed is the sweep and its store."""

    name = "instant"

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
        return found if held == ALL else [*found, f"the next file holds {held} rows"]


@functools.cache
def registry() -> Registry:
    """The registry that is written: two dozen kernels, made once, before anything is forked."""
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
        return []


def operations(names: Sequence[str] = ()) -> list[Operation]:
    """All of them, or those of these names."""
    every: list[Operation] = [
        *(Build(), Mend(), Load(), Clear(), CacheExport(), CacheImport(), Merge(), SweepStore()),
        *(Export("jsonl"), Export("jsonl.gz"), RegistryExport()),
    ]
    try:
        import pyarrow  # noqa: F401

        every.append(Export("parquet"))
    except ImportError:
        pass
    unknown = {*names} - {operation.name for operation in every}
    if unknown:
        raise SystemExit(f"unknown operations {sorted(unknown)}; there are {[o.name for o in every]}")
    return [operation for operation in every if not names or operation.name in names]


def warm_up() -> None:
    """Import what the operations use, so that a fork starts at once; no thread may run yet."""
    warnings.simplefilter("ignore")
    import tilewright.jit.archive
    import tilewright.jit.runner
    import tilewright.jit.upkeep  # noqa: F401

    compiled_library()
    registry()


def child_result(work: Any) -> tuple[int, str]:
    """Run `work` in a fork; return 0, 1 for a clean error, 2 for anything else (or minus a signal), and the text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        status, text = judged(work)
        os.write(writer, text.encode()[:4000])
        os._exit(status)
    os.close(writer)
    with open(reader, "rb") as stream:
        text = stream.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), text


def judged(work: Any) -> tuple[int, str]:
    """What became of `work`: see `child_result`."""
    import traceback

    try:
        found = work()
        return 0, "\n".join(found or [])
    except TilewrightError as error:
        return 1, str(error)
    except BaseException:
        return 2, traceback.format_exc()
