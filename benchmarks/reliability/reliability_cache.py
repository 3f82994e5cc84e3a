"""Operations on a cache of kernels: build, repair, load, clear, export, import."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from reliability_base import Judge, Operation, fine, hidden, must

from tilewright.dispatcher import Dispatcher
from tilewright.jit import Artifact, BuildFailure, BuildRequest, Cache, build_many
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings

KERNELS = 5
LIBRARY = 'extern "C" __attribute__((visibility("default"))) int answer() { return 42; }'


def cache_of(folder: Path, name: str = "cache") -> Cache:
    """Return the cache of an operation, with its messages off."""
    return Cache(folder / name, settings=Settings(cache_dir=str(folder / name)), on_event=lambda event: None)


@functools.cache
def compiled_library() -> Path:
    """Return a shared library, compiled once: what is tested is not the compiler."""
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
    """Return the builds of these numbers."""
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
    """Return what is damaged in a cache, and which of the entries that were there before is gone."""
    found = [f"damaged: {text}" for text in cache.verify().damaged]
    found += [f"job {n} was there and is gone" for n in needed if cache.find(job(n).build_key) is None]
    for number in range(KERNELS):
        kept = cache.failure(job(number).build_key)
        if kept is not None and kept.permanent:
            found.append(f"job {number} is remembered as failed: {kept.reason}")
    return found


def tidy(cache: Cache) -> list[str]:
    """Return what stays behind after the next build swept up."""
    cache.sweep(again=True)
    work = cache.folder("tmp")
    return [f"left behind: {path}" for path in (work.iterdir() if work.exists() else ())]


class Build(Operation):
    """Builds three kernels into a cache that holds two; one entry there is damaged and has to be repaired."""

    name = "build"

    def prepare(self, folder: Path) -> None:
        assert not wrong_jobs(cache_of(folder), (1, 2))

    def run(self, folder: Path) -> Judge:
        results = build_many(jobs(*range(KERNELS)), cache_of(folder), max_workers=2)
        for result in results:
            if isinstance(result, BuildFailure):
                raise result.error()
        built = [result for result in results if isinstance(result, Artifact)]
        return lambda: must(built[1].file().read_text() == "1\n")

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
        found += [] if taken == KERNELS - 1 else [f"the next file holds {taken} kernels"]
        return [*found, *hidden(folder)]


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
