"""A fault of the compiler is not remembered as a fault of the kernel: only an error at a place in the source proves it.

A wrapper stands in the compiler's place. It fails once, in each way that compilers were seen to fail, and is repaired.
"""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from build_tools import counted, runs

from tilewright.jit import BuildFailure, BuildRequest, Cache, build_many, build_one
from tilewright.jit.compiler import cxx_request
from tilewright.jit.native_build import runtime_request
from tilewright.settings import Settings

FAULTS = {
    "exit 0 and no output": "exit 0",
    "silent exit 1": "exit 1",
    "no cc1plus": "echo \"g++: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\"; exit 1",
    "missing header": "echo 'SOURCE:1:10: fatal error: vector: No such file or directory'; exit 1",
    "unreadable header": "echo 'SOURCE:1:10: fatal error: vector: Permission denied'; exit 1",
    "broken system header": "echo '/usr/include/c++/99/vector:60:1: error: expected declaration'; exit 1",
    "permission denied at the linker": "echo '/usr/bin/ld: cannot open output file kernel.so: Permission denied'; "
    "echo 'collect2: error: ld returned 1 exit status'; exit 1",
    "no library": "echo '/usr/bin/ld: cannot find -lstdc++: No such file or directory'; exit 1",
    "undefined symbol": "echo 'SOURCE:(.text+0x5): undefined reference to `memcpy@GLIBC_2.99'; exit 1",
    "licence timeout": "echo 'icpx: error: could not check out a licence: the server timed out'; exit 1",
    "old assembler": "echo '/tmp/cc1.s: Assembler messages:'; echo '/tmp/cc1.s:4: Error: no such instruction'; exit 1",
    "internal error": "echo 'SOURCE:1:1: internal compiler error: Segmentation fault'; exit 1",
    "crash": "kill -SEGV $$",
    "crash of a helper": "echo 'g++: fatal error: Segmentation fault signal terminated program cc1plus'; exit 1",
    "no stack": "echo 'g++: internal compiler error: Aborted signal terminated program cc1plus'; exit 4",
    "a wrapper's own message": "echo 'ccache: error: failed to read /home/x/.ccache: connection refused'; exit 1",
    "a message about another file": "echo 'other.cpp:1:1: error: not ours'; exit 1",
}
KINDS = ("kernel", "kernel with headers", "helper")


def _requests(folder: Path, settings: Settings) -> dict[str, BuildRequest]:
    (folder / "include").mkdir(exist_ok=True)
    (folder / "include" / "own.hpp").write_text("inline int seven() { return 7; }\n")
    text = '#include "own.hpp"\nextern "C" int f() { return seven(); }\n'
    return {
        "kernel": cxx_request('extern "C" int f() { return 7; }\n', name="k", settings=settings),
        "kernel with headers": cxx_request(text, name="h", include_dirs=[folder / "include"], settings=settings),
        "helper": runtime_request(settings),
    }


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the compiler writes, once for all faults."""
    folder = tmp_path_factory.mktemp("sound")
    settings = replace(Settings.from_env(), cache_dir=str(folder / "cache"))
    requests = _requests(folder, settings)
    return {kind: build_one(request, Cache(settings=settings)).file() for kind, request in requests.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_compiler_is_tried_again(
    fault: str, kind: str, tmp_path: Path, outputs: dict[str, Path]
) -> None:
    request = _broken(tmp_path, kind, outputs[kind])
    source = min(request.inputs)
    (tmp_path / "broken").write_text(FAULTS[fault].replace("SOURCE", source))
    cache = Cache(tmp_path / "cache", settings=Settings(cache_dir=str(tmp_path / "cache")))
    [failure] = build_many([request], cache)
    assert isinstance(failure, BuildFailure)
    assert not failure.permanent, failure
    (tmp_path / "broken").unlink()
    again = build_one(request, Cache(tmp_path / "cache"))
    assert again.file().read_bytes() == outputs[kind].read_bytes()


def _broken(folder: Path, kind: str, output: Path) -> BuildRequest:
    """The request with a wrapper in the compiler's place: it fails as `broken` says, or writes the sound output."""
    wrapper = folder / "g++"
    wrapper.write_text(
        f"#!/bin/sh\n[ -e {folder}/broken ] && . {folder}/broken\n"
        f'while [ "$1" != -o ]; do shift; done\ncp {shlex.quote(str(output))} "$2"\n'
    )
    wrapper.chmod(0o755)
    request = _requests(folder, Settings(cache_dir=str(folder / "cache")))[kind]
    [command] = request.commands
    return replace(request, commands=((str(wrapper), *command[1:]),))


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.parametrize("place", ["source", "header"])
def test_an_error_in_the_source_is_remembered(place: str, tmp_path: Path) -> None:
    (tmp_path / "own.hpp").write_text('static_assert(sizeof(int) == 3, "no");\n' if place == "header" else "")
    text = '#include "own.hpp"\nint x = y;\n' if place == "source" else '#include "own.hpp"\n'
    settings = Settings(cache_dir=str(tmp_path / "cache"))
    request = cxx_request(text, name="k", include_dirs=[tmp_path], settings=settings)
    for cached in (False, True):
        [failure] = build_many([request], Cache(settings=settings))
        assert isinstance(failure, BuildFailure)
        assert (failure.kind, failure.permanent, failure.cached) == ("error", True, cached)


def test_a_failure_that_an_older_version_recorded_is_tried_again(tmp_path: Path) -> None:
    request, cache = counted(tmp_path, "k", "echo 'script.sh:1:1: error: no'; exit 1"), Cache(tmp_path / "cache")
    build_many([request], cache)
    path = cache.failure_path(request.build_key)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 1}))
    build_many([request], Cache(tmp_path / "cache"))
    assert runs(tmp_path, "k") == 2
