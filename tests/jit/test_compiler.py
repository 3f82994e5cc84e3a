"""The compiler: finding and knowing it, the headers in the key, and what the flags promise."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from build_tools import alive, group_members, wait_for

from tilewright.errors import ToolchainError
from tilewright.jit import BuildRequest, Cache, HeaderScan, build_one, cxx_request, find_compiler, include_closure
from tilewright.jit.compiler import _family_flags, _identify
from tilewright.jit.headers import parse_includes
from tilewright.settings import Settings

EXPORT = 'extern "C" __attribute__((visibility("default"))) '


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(cache_dir=str(tmp_path / "cache"))


def _request(text: str, settings: Settings, **more: object) -> BuildRequest:
    return cxx_request(text, name="k", settings=settings, **more)  # type: ignore[arg-type]


def _load(text: str, settings: Settings, **more: object) -> ctypes.CDLL:
    return ctypes.CDLL(str(build_one(_request(text, settings, **more), Cache.from_settings(settings)).file()))


def test_builds_a_library_that_loads(settings: Settings) -> None:
    library = _load(EXPORT + "int answer() { return 42; }\nint hidden() { return 0; }", settings)
    assert library.answer() == 42
    assert not hasattr(library, "_Z6hiddenv")


def test_flags_keep_the_meaning_of_nan_infinity_and_signed_zero(settings: Settings) -> None:
    library = _load(
        EXPORT
        + "int is_nan(double x) { return x != x; }\n"
        + EXPORT
        + "double minus(double x, double y) { return x - y; }\n"
        + EXPORT
        + "double plus_zero(double x) { return x + 0.0; }\n"
        + EXPORT
        + "double sum(const double* x, int n) { double s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }",
        settings,
    )
    for name in ("minus", "plus_zero", "sum"):
        getattr(library, name).restype = ctypes.c_double
    number = ctypes.c_double
    assert library.is_nan(number(math.nan)) == 1
    assert math.isnan(library.minus(number(math.inf), number(math.inf)))
    assert math.copysign(1, library.plus_zero(number(-0.0))) == 1
    values = (number * 4)(1e16, 1.0, -1e16, 1.0)
    assert library.sum(values, 4) == 1.0  # in order: reassociation would give 2 or 0


# Finding it.


def test_no_compiler_names_the_remedy(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"looked for g\+\+ and clang\+\+.*apt-get install g\+\+.*TILEWRIGHT_CXX"):
        find_compiler(settings)


def test_a_wrong_setting_is_an_error_not_a_fallback(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"TILEWRIGHT_CXX is 'no-such-g\+\+'"):
        find_compiler(dataclasses.replace(settings, cxx="no-such-g++"))
    broken = tmp_path / "broken-g++"
    broken.write_text("#!/bin/sh\necho cannot >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(ToolchainError, match="exited with status 1: cannot"):
        find_compiler(dataclasses.replace(settings, cxx=str(broken)))


def test_the_variable_cxx_is_not_read(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/no/such/compiler")
    assert find_compiler(settings).family in ("gcc", "clang")


def test_fingerprint_names_no_path(settings: Settings, tmp_path: Path) -> None:
    found = find_compiler(settings)
    copy = tmp_path / "elsewhere" / "g++"
    copy.parent.mkdir()
    shutil.copy(found.path, copy)
    moved = find_compiler(dataclasses.replace(settings, cxx=str(copy)))
    assert moved.path != found.path
    assert moved.fingerprint() == found.fingerprint()
    assert "/" not in found.fingerprint()["version"]
    assert found.target.count("-") >= 1


def test_the_answer_is_kept_until_the_binary_changes(settings: Settings, tmp_path: Path) -> None:
    copy = tmp_path / "g++"
    shutil.copy(find_compiler(settings).path, copy)
    mine = dataclasses.replace(settings, cxx=str(copy), cache_dir=str(tmp_path / "own"))
    real = find_compiler(mine)
    [kept] = (tmp_path / "own" / "v1" / "probes").iterdir()
    record = json.loads(kept.read_text())
    record["compiler"]["version"] = "from the kept answer"
    kept.write_text(json.dumps(record))
    _identify.cache_clear()  # as in a new process
    assert find_compiler(mine).version == "from the kept answer"
    os.utime(copy, (1, 1))
    assert find_compiler(mine) == real
    kept.write_text("{ damaged")
    _identify.cache_clear()
    assert find_compiler(mine) == real


def test_a_script_is_asked_in_every_process(settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "my-g++"
    script.write_text('#!/bin/sh\nexec g++ "$@"\n')
    script.chmod(0o755)
    mine = dataclasses.replace(settings, cxx=str(script), cache_dir=str(tmp_path / "own"))
    assert find_compiler(mine).version == find_compiler(settings).version
    assert not (tmp_path / "own").exists()


def test_setting_may_hold_a_launcher_and_arguments(settings: Settings) -> None:
    found = find_compiler(dataclasses.replace(settings, cxx="env g++"))
    assert found.argv[1:] == ("g++",)
    assert found.version == find_compiler(settings).version


# What enters the key.


def test_each_setting_that_changes_the_build_changes_the_key(settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "other-g++"
    script.write_text('#!/bin/sh\nexec g++ "$@"\n')
    script.chmod(0o755)
    others = {"cxx": str(script), "cxx_flags": "-DEXTRA=1"}
    assert set(others) == set(settings.build_key_part())
    plain = _request("int x;", settings).build_key
    for name, value in others.items():
        assert _request("int x;", dataclasses.replace(settings, **{name: value})).build_key != plain  # type: ignore[arg-type]
    assert _request("int x;", dataclasses.replace(settings, threads=7, verbose=True)).build_key == plain


def test_isa_flags_and_spec_enter_the_key(settings: Settings) -> None:
    keys = {
        _request("int x;", settings, **change).build_key
        for change in ({}, {"isa": "x86-64-v3"}, {"flags": ("-mavx2",)}, {"spec_digest": "d"}, {"output": "other.so"})
    }
    assert len(keys) == 5


def test_native_is_keyed_by_the_machine(settings: Settings) -> None:
    assert "host" not in _request("int x;", settings, flags=("-march=x86-64-v3",)).key
    assert len(_request("int x;", settings, flags=("-march=native",)).key["host"]) == 64


def test_libraries_come_after_the_source(settings: Settings) -> None:
    [command] = _request("int x;", settings, flags=("-lm", "-pthread")).commands
    assert command.index("-pthread") < command.index("kernel.cpp") < command.index("-lm")


def test_clang_is_told_to_use_wide_vectors(settings: Settings) -> None:
    clang = dataclasses.replace(find_compiler(settings), family="clang")
    assert _family_flags(clang, ("-mavx512f",), "") == ["-mprefer-vector-width=512"]
    assert _family_flags(clang, (), "x86-64-v4") == ["-mprefer-vector-width=512"]
    assert _family_flags(clang, ("-mavx2",), "x86-64-v3") == []
    assert _family_flags(dataclasses.replace(clang, family="gcc"), ("-mavx512f",), "") == []


# Headers.


@pytest.fixture
def include(tmp_path: Path) -> Path:
    folder = tmp_path / "include"
    (folder / "tw").mkdir(parents=True)
    (folder / "tw" / "a.hpp").write_text('#include "b.hpp"\n#include <vector>\n')
    (folder / "tw" / "b.hpp").write_text("#pragma once\nint b();\n")
    (folder / "tw" / "c.hpp").write_text("int c();\n")
    (folder / "tw" / "macro.hpp").write_text("#include WHICH\n")
    return folder


def test_touching_a_header_changes_only_those_that_include_it(include: Path, settings: Settings) -> None:
    texts = {"a": "#include <tw/a.hpp>", "c": '#  include "tw/c.hpp"', "none": "int x;"}

    def keys() -> dict[str, str]:
        return {name: _request(text, settings, include_dirs=[include]).build_key for name, text in texts.items()}

    before = keys()
    (include / "tw" / "b.hpp").write_text("#pragma once\nint b(int);\n")
    after = keys()
    assert [name for name in texts if before[name] != after[name]] == ["a"]
    (include / "tw" / "b.hpp").write_text("#pragma once\nint b();\n")
    assert keys() == before


def test_the_folders_place_does_not_matter(include: Path, settings: Settings, tmp_path: Path) -> None:
    moved = tmp_path / "moved" / "renamed"
    shutil.copytree(include, moved)
    here = _request("#include <tw/a.hpp>", settings, include_dirs=[include])
    there = _request("#include <tw/a.hpp>", settings, include_dirs=[moved])
    assert here.commands != there.commands
    assert here.build_key == there.build_key


def test_closure_follows_what_the_compiler_would(include: Path) -> None:
    def reached(text: str) -> list[str]:
        return sorted(include_closure(text, [include]).files)

    assert reached("#include <tw/a.hpp>") == ["0:tw/a.hpp", "0:tw/b.hpp"]
    assert reached("// #include <tw/a.hpp>\nint x; // #include") == []
    assert reached("#if 0\n#include <tw/c.hpp>\n#endif") == ["0:tw/c.hpp"]
    assert reached("#if __has_include(<tw/c.hpp>)\n#endif") == ["0:tw/c.hpp"]
    assert reached('#include "tw/../tw/c.hpp"') == ["0:tw/c.hpp"]
    assert len(reached("#include <tw/macro.hpp>")) == 4
    assert reached("#include <string>") == []


def test_a_header_that_appears_later_is_noticed(include: Path) -> None:
    text = "#if __has_include(<tw/new.hpp>)\n#include <tw/new.hpp>\n#endif"
    before = include_closure(text, [include]).digest
    (include / "tw" / "new.hpp").write_text("")
    assert include_closure(text, [include]).digest != before


def test_folders_in_the_users_flags_are_followed_too(include: Path, settings: Settings) -> None:
    mine = dataclasses.replace(settings, cxx_flags=f"-isystem {include}")
    before = _request("#include <tw/c.hpp>", mine)
    (include / "tw" / "c.hpp").write_text("int c(long);\n")
    assert _request("#include <tw/c.hpp>", mine).build_key != before.build_key


@pytest.mark.parametrize(
    "flags", ["-include {0}/forced.h", "-include{0}/forced.h", "-imacros {0}/forced.h", "@{0}/flags"]
)
def test_files_that_the_users_flags_read_are_in_the_key(flags: str, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "flags").write_text(f"-O1 -include '{tmp_path}/forced.h'")
    mine = dataclasses.replace(settings, cxx_flags=flags.format(tmp_path))
    keys = set()
    for name, text in (
        ("forced.h", "#define N 1"),
        ("forced.h", '#include "n.h"'),
        ("n.h", "#define N 2"),
        ("n.h", ""),
    ):
        (tmp_path / name).write_text(f"{text}\n")
        keys.add(_request("int x;", mine).build_key)
    (tmp_path / "flags").write_text(f"-O2 -include '{tmp_path}/forced.h'")
    keys.add(_request("int x;", mine).build_key)
    assert len(keys) == (5 if flags.startswith("@") else 4)


def test_an_absent_include_folder_is_an_error(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="does not exist"):
        _request("int x;", settings, include_dirs=[tmp_path / "absent"])


def test_one_scan_serves_many_sources(include: Path, settings: Settings) -> None:
    scan = HeaderScan([include])
    alone = _request("#include <tw/a.hpp>", settings, include_dirs=[include])
    shared = _request("#include <tw/a.hpp>", settings, include_dirs=[include], scan=scan)
    assert shared == alone


def test_parse_includes_reads_every_form() -> None:
    text = b'#include "a"\n  # include<b>\n#include_next "c"\n#include D\n#import "e"\n#define X\n'
    assert [(i.name, i.kind) for i in parse_includes(text)] == [
        *[("a", "quoted"), ("b", "angled"), ("c", "angled"), ("D", "computed"), ("e", "quoted")]
    ]


def test_the_build_room_imports_no_heavy_module() -> None:
    heavy = ["rich", "tarfile", "asyncio", "platformdirs"]
    if sys.version_info >= (3, 11):  # in 3.10, `platform` imports it
        heavy.append("subprocess")
    program = f"import tilewright.jit, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


HANGS = {
    "sleeps": ("sleep 600", "0.5 s"),
    "a child sleeps": ("sleep 600 & wait", "0.5 s"),
    "prints without end": ("yes", "bytes of output"),
}


@pytest.mark.parametrize(("body", "limit"), HANGS.values(), ids=HANGS)
def test_a_compiler_that_does_not_answer_is_refused_with_the_limit(tmp_path: Path, body: str, limit: str) -> None:
    script = tmp_path / "g++"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\n{body}\n")
    script.chmod(0o755)
    seconds = 0.5 if limit == "0.5 s" else 60.0
    with pytest.raises(ToolchainError, match=rf"--version was stopped at the limit of .*{limit}.*PROBE_TIMEOUT"):
        find_compiler(Settings(cache_dir=str(tmp_path / "cache"), cxx=str(script), probe_timeout=seconds))
    group = int((tmp_path / "pid").read_text())
    wait_for(lambda: not any(alive(pid) for pid in group_members(group)))


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", '{"subject": 1}', '{"compiler": [1]}', "null", "\xff"])
def test_a_kept_answer_that_cannot_be_read_is_asked_for_again(settings: Settings, text: str) -> None:
    first = find_compiler(settings)
    _identify.cache_clear()
    [kept] = (Path(settings.cache_dir) / "v1" / "probes").iterdir()
    kept.write_text(text, encoding="latin-1")
    assert find_compiler(settings) == first
