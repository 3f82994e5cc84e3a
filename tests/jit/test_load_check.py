"""A compiler that says yes and leaves garbage, and libraries that turn bad later: nothing of that is run or kept."""

from __future__ import annotations

import os
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from build_tools import runs
from launch_kernel import DIGEST, NATIVE, SOURCE

from tilewright.dispatcher import Dispatcher
from tilewright.errors import BuildError, BuildForbiddenError, CacheError
from tilewright.jit import Artifact, BuildFailure, Cache, CacheWarning, build_many, build_one, cxx_request
from tilewright.jit.artifact import BuildRequest
from tilewright.jit.binary import BadLibraryError, host_machine, read_library
from tilewright.jit.entry import seal_entry
from tilewright.jit.loader import load_artifact, load_kernel
from tilewright.jit.use import load_built
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings

FOREIGN = 183 if host_machine() == 62 else 62


def _request(cache: Cache, digest: str = DIGEST, source: str = SOURCE) -> BuildRequest:
    return cxx_request(
        source,
        name="launch-test",
        spec_digest=digest,
        include_dirs=[NATIVE],
        flags=["-DABI=TW_ABI_VERSION"],
        settings=cache.settings,
    )


def _cache(folder: Path, cxx: Path | str = "") -> Cache:
    return Cache(folder, settings=Settings(cache_dir=str(folder), cxx=str(cxx)))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    cache = _cache(tmp_path_factory.mktemp("good"))
    return build_one(_request(cache), cache)


def _faulty(folder: Path, body: str) -> Path:
    """A compiler that answers questions about itself, and `body` for a compile; the output's name is in $out."""
    script = folder / "faulty-g++"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *-shared*) ;; *) exec g++ "$@";; esac\n'
        f'echo run >> {folder}/cc.runs\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done\n{body}\n'
    )
    script.chmod(0o755)
    return script


STUBS = f"""extern "C" {{ int tw_run() {{ return 0; }} int tw_workspace() {{ return 0; }}
const char* d = "{DIGEST}"; }}"""
MADE = {
    "another library": 'extern "C" int f() { return 1; }',
    "missing symbol": STUBS + 'extern "C" { int absent(); int tw_info() { return absent(); } }',
    "crashes": STUBS + 'extern "C" int tw_info() { return 0; } static int x = *(volatile int*)8;',
    "null": STUBS + 'extern "C" void* tw_info() { return 0; }',
}
COMPILE = "exec g++ -x c++ -shared -fPIC - -o $out <<'END'\n@SOURCE@\nEND"
GARBAGE = {  # what the compiler does instead, and what is said of it
    "empty": (": > $out", "starts with nothing"),
    "text": ("echo hello > $out", "not a shared library"),
    "an object file": ("echo 'int x;' | g++ -x c++ -c - -o $out", "type 1, not a shared library"),
    "cut short": ("head -c 2000 @GOOD@ > $out", "cut short"),
    "a link": ("ln -s @GOOD@ $out", "a link"),
    "another kernel": ("sed s/d1ge57d1ge57/d1ge58d1ge58/ @GOOD@ > $out", "does not hold the digest"),
    "another library": (COMPILE.replace("@SOURCE@", MADE["another library"]), "does not export tw_"),
    "missing symbol": (COMPILE.replace("@SOURCE@", MADE["missing symbol"]), "undefined symbol: absent"),
    "crashes when loaded": (COMPILE.replace("@SOURCE@", MADE["crashes"]), "SIGSEGV"),
    "tw_info says null": (COMPILE.replace("@SOURCE@", MADE["null"]), "tw_info returned null"),
}


@pytest.mark.parametrize(("body", "said"), GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_never_stored_and_tried_again(tmp_path: Path, good: Artifact, body: str, said: str) -> None:
    if host_machine() is None:
        pytest.skip("the machine number of this host is not known")
    compiler = _faulty(tmp_path, body.replace("@GOOD@", str(good.file())))
    cache = _cache(tmp_path / "cache", compiler)
    request = _request(cache)
    [failure] = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert (failure.kind, failure.permanent) == ("load", False)
    assert said in failure.reason + failure.log
    assert (cache.info().entries, cache.verify().whole) == (0, 0)
    compiler.write_text('#!/bin/sh\nexec g++ "$@"\n')  # the compiler is mended
    [again] = build_many([request], cache)
    assert isinstance(again, Artifact)
    assert runs(tmp_path, "cc") == 1


def _poison(artifact: Artifact, data: bytes) -> None:
    """Replace the library of an entry and seal the entry again, as an entry that was made by an older version."""
    request = _request(_cache(artifact.path.parents[3]))
    assert request.build_key == artifact.build_key
    artifact.file().write_bytes(data)
    (artifact.path / "meta.json").unlink()
    seal_entry(artifact.path, request, 1.0, {})


def _foreign(data: bytes) -> bytes:
    return data[:18] + struct.pack("<H", FOREIGN) + data[20:]


BAD = {
    "empty": lambda data: b"",
    "text": lambda data: b"hello\n",
    "foreign machine": _foreign,
    "another digest": lambda data: data.replace(b"d1ge57d1ge57", b"d1ge58d1ge58"),
    "another ABI": lambda data: data.replace(struct.pack("<II", 1, _args_size()), struct.pack("<II", 77, _args_size())),
}


def _args_size() -> int:
    import ctypes

    from tilewright.jit.launcher import TwArgs

    return ctypes.sizeof(TwArgs)


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_an_entry_that_cannot_be_loaded_is_put_aside_and_built_again(tmp_path: Path, good: Artifact, change) -> None:
    cache = _cache(tmp_path / "cache")
    request = _request(cache)
    artifact = build_one(request, cache)
    before = artifact.file().read_bytes()
    _poison(artifact, change(before))
    fresh = _cache(tmp_path / "cache")
    assert fresh.verify().whole == 1  # the digests are right: only loading shows it
    with pytest.warns(CacheWarning, match=r"cannot be used.*moved to .*quarantine"):
        kernel = load_built(request, fresh, lambda found: load_artifact(found, DIGEST))
    assert kernel.digest == DIGEST
    assert [event.kind for event in fresh.events] == ["unloadable"]
    assert fresh.find(request.build_key).file().read_bytes()[:64] == before[:64]  # type: ignore[union-attr]
    assert len(list(fresh.folder("quarantine").iterdir())) == 1


def test_without_permission_to_build_it_is_an_error(tmp_path: Path) -> None:
    cache = _cache(tmp_path / "cache")
    request = _request(cache)
    _poison(build_one(request, cache), b"text")
    with (
        pytest.warns(CacheWarning, match="cannot be used"),
        pytest.raises(BuildForbiddenError, match="switched off"),
    ):
        load_built(request, _cache(cache.root), lambda found: load_artifact(found, DIGEST), may_build=False)


def test_a_bad_entry_of_a_shared_layer_is_ignored_and_built_into_the_users(tmp_path: Path) -> None:
    shared = _cache(tmp_path / "shared")
    request = _request(shared)
    _poison(build_one(request, shared), b"text")
    user = Cache(tmp_path / "user", [shared.root], shared.settings)
    with pytest.warns(CacheWarning, match="shared and read-only"):
        assert load_built(request, user, lambda found: load_artifact(found, DIGEST)).digest == DIGEST
    assert user.find(request.build_key).path.is_relative_to(user.root)  # type: ignore[union-attr]


def test_what_is_bad_after_the_second_build_is_a_build_error(tmp_path: Path) -> None:
    cache = _cache(tmp_path / "cache")
    request = _request(cache)

    def refuse(found: Artifact) -> None:
        raise CacheError("no")

    with pytest.warns(CacheWarning, match="cannot be used"), pytest.raises(BuildError, match="still cannot be loaded"):
        load_built(request, cache, refuse)


def test_a_failure_of_the_moment_puts_nothing_aside(tmp_path: Path) -> None:
    cache = _cache(tmp_path / "cache")
    tries = iter([OSError(24, "Too many open files"), None])

    def load(found: Artifact) -> str:
        problem = next(tries)
        if problem is not None:
            raise problem
        return found.name

    assert load_built(_request(cache), cache, load) == "launch-test"
    assert cache.events == []


def test_the_loader_checks_the_bytes_that_it_loads(tmp_path: Path, good: Artifact) -> None:
    copy = Path(shutil.copy(good.file(), tmp_path / "kernel.so"))
    assert load_kernel(copy, DIGEST, good.files["kernel.so"]).digest == DIGEST
    with open(copy, "ab") as stream:
        stream.write(b"\0")
    with pytest.raises(CacheError, match="not those that were stored"):
        load_kernel(copy, DIGEST, good.files["kernel.so"])
    copy.write_bytes(_foreign(good.file().read_bytes()))
    with pytest.raises(CacheError, match="it is for "):
        load_kernel(copy)


def test_a_library_that_is_cut_short_under_the_process_goes_on_working(tmp_path: Path, good: Artifact) -> None:
    """In a process of its own: a mapped file that is cut ends the process with SIGBUS."""
    from launch_kernel import run_script

    copy = shutil.copy(good.file(), tmp_path / "kernel.so")
    program = f"""
    import os
    from tilewright.jit.loader import load_kernel
    from tilewright.jit.launcher import make_call
    a, b, out = arrays()
    call = make_call(load_kernel({str(copy)!r}), args_for(a, b, out), (0, 1, 2), (a, b, out), 2)
    os.truncate({str(copy)!r}, 0)
    assert (call(a, b, out) == a + b).all()
    os.unlink({str(copy)!r})
    assert (call(a, b, out) == a + b).all()
    print("fine")
    """
    assert run_script(program) == "fine\n"


def test_many_libraries_are_told_apart(tmp_path: Path, good: Artifact) -> None:
    """The loader takes libraries of the same path for the same, and descriptors are used again."""
    data = good.file().read_bytes()
    for number in range(40):
        digest = f"d1ge{number:02d}" * 8
        path = tmp_path / "kernel.so"
        path.write_bytes(data.replace(DIGEST.encode(), digest.encode()))
        assert load_kernel(path, digest).digest == digest


def test_in_place_loads_the_file_itself(good: Artifact, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = shutil.copy(good.file(), tmp_path / "in_place.so")
    monkeypatch.setenv("TILEWRIGHT_LOAD_IN_PLACE", "1")
    assert load_kernel(copy).digest == DIGEST
    assert str(copy) in Path("/proc/self/maps").read_text()


@pytest.mark.parametrize("size", [*range(0, 120, 7), 500, 4000, 9000])
def test_every_cut_of_a_library_is_noticed(good: Artifact, size: int) -> None:
    data = good.file().read_bytes()
    assert {"tw_info", "tw_run", "tw_workspace"} <= read_library(data, host_machine()).exports
    with pytest.raises(BadLibraryError):
        read_library(data[: min(size, len(data) - 1)], host_machine())


def test_the_dispatcher_builds_again_and_then_takes_the_next(tmp_path: Path) -> None:
    """From a plan to a result with a poisoned entry, and with a compiler that only ever writes garbage for one."""
    settings = Settings(cache_dir=str(tmp_path / "cache"), threads=1, ledger=False, build="wait", vendor=False)
    problem = problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    a, b = (np.arange(64, dtype=np.float32).reshape(8, 8) for _ in range(2))
    out = np.zeros((8, 8), np.float32)
    first = Dispatcher(settings=settings)
    first.run(problem, a=a, b=b, out=out)
    name = first.plan(problem).candidate.spec.name  # type: ignore[union-attr]
    [entry] = [p.parent for p in (tmp_path / "cache").glob("v1/entries/*/*/meta.json") if name in p.read_text()]
    library = entry / "kernel.so"
    os.truncate(library, 0)  # under a process that runs it, too
    out[:] = 0
    first.run(problem, a=a, b=b, out=out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)
    out[:] = 0
    with pytest.warns(CacheWarning, match="is damaged"):
        Dispatcher(settings=settings).run(problem, a=a, b=b, out=out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)
    shutil.rmtree(tmp_path / "cache")
    marks = tmp_path / "once-faulty-g++"
    marks.write_text(
        f'#!/bin/sh\ncase "$*" in *kernel.cpp*) if [ ! -e {tmp_path}/used ]; then touch {tmp_path}/used; '
        'while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done; : > $out; exit 0; fi;; esac\nexec g++ "$@"\n'
    )
    marks.chmod(0o755)
    third = Dispatcher(settings=replace(settings, cxx=str(marks)))
    out[:] = 0
    third.run(problem, a=a, b=b, out=out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5)
    assert [event.kind for event in third.events] == ["not-used"]
    assert third.plan(problem).candidate.spec.name != name  # type: ignore[union-attr]
