"""Bundles in Python: made, picked by size, opened without a compiler, run."""

from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import tilewright
from tilewright.backends.cpu.detect import host_device
from tilewright.bundle import Bundle, make_bundle
from tilewright.bundle.pick import Ranked, Wanted, pick, rank_kernels
from tilewright.bundle.write import _replace
from tilewright.cli.app import app
from tilewright.cli.bundle import read_wanted, size_of
from tilewright.dispatcher import nominal_device
from tilewright.errors import ProblemError, SelectionError, SpecError, TilewrightError
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")
PROBLEM = {"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32"}

WITHOUT_COMPILER = """
import sys, numpy as np, tilewright as tw
bundle = tw.Bundle.open(sys.argv[1], verify=True)
dispatcher = bundle.dispatcher()
problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32"})
a = np.arange(64 * 48, dtype=np.float32).reshape(64, 48) % 7
b = np.arange(96 * 48, dtype=np.float32).reshape(96, 48) % 5
out = dispatcher.run(problem, a=a, b=b.T, out=np.empty((64, 96), np.float32))
assert np.array_equal(out, a @ b.T)
large = tw.problem_from_dict({"op": "gemm", "m": 512, "n": 384, "k": 256, "dtype": "fp32"})
assert dispatcher.plan(large).candidate.launch.threads >= 1
print(dispatcher.plan(problem).kernel)
"""


def test_python_runs_a_bundle_without_a_compiler(bundle_folder: Path, tmp_path: Path) -> None:
    env = {
        "TILEWRIGHT_CXX": "/nowhere/c++",
        "TILEWRIGHT_CACHE_DIR": str(tmp_path / "empty"),
        "PYTHONPATH": str(Path(tilewright.__file__).parents[1]),
        "PATH": "/nowhere",
        "TILEWRIGHT_THREADS": "2",
    }
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_COMPILER, str(bundle_folder)], capture_output=True, text=True, env=env
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("gemm_cpu_")


def test_a_bundle_dispatches_only_what_it_has(bundle_folder: Path) -> None:
    dispatcher = Bundle.open(bundle_folder).dispatcher()
    with pytest.raises(SelectionError, match=r"tilewright bundle '\{.*int8.*\}' --arch \S+ --out \S+_more"):
        dispatcher.plan(problem_from_dict({**PROBLEM, "dtype": "int8"}))
    assert not dispatcher.settings.may_build


def test_the_remedy_quotes_the_name_of_a_manifest(copied_bundle: Path) -> None:
    path = copied_bundle / "manifest.json"
    name = "x; touch gone #"
    path.write_text(json.dumps({**json.loads(path.read_text()), "name": name}))
    with pytest.raises(SelectionError) as caught:
        Bundle.open(copied_bundle).dispatcher().plan(problem_from_dict({**PROBLEM, "dtype": "int8"}))
    assert caught.value.remedy is not None
    assert shlex.split(caught.value.remedy)[-1] == f"{name}_more"


def test_selection_follows_priorities(bundle_folder: Path) -> None:
    bundle = Bundle.open(bundle_folder)
    assert len(bundle.registry()) == len(bundle.manifest.kernels) == len(bundle.specs)


def row(seconds: dict[str, float], count: float = 1.0) -> Ranked:
    return Ranked(Wanted(problem_from_dict(PROBLEM), count), seconds)


class Spec:
    def __init__(self, name: str) -> None:
        self.name = name


def test_pick_covers_the_most_time_for_the_bytes() -> None:
    specs: Any = {d: Spec(d) for d in "abc"}
    rows = [row({"a": 1.0, "b": 2.0}, 10.0), row({"b": 3.0}), row({"c": 100.0})]
    sizes = {name: {f"{name}.so": 10} for name in "abc"}
    both = pick(rows, specs, sizes, 20)
    assert [s.name for s in both.specs] == ["b", "c"]  # b serves two problems, c the longest
    assert both.covered == pytest.approx(1.0)
    assert both.slowdown == pytest.approx((20 + 3 + 100) / (10 + 3 + 100))
    assert both.left_out == ("a",)
    one = pick(rows, specs, sizes, 10)
    assert [s.name for s in one.specs] == ["c"]
    assert one.covered == pytest.approx(100 / 113)
    assert len(one.uncovered) == 2
    assert pick(rows, specs, sizes, 5).specs == ()


def test_a_file_that_kernels_share_counts_once() -> None:
    specs: Any = {d: Spec(d) for d in "abc"}
    rows = [row({"a": 1.0}), row({"b": 2.0}), row({"c": 1.0})]
    sizes = {"a": {"x.so": 10}, "b": {"x.so": 10}, "c": {"y.so": 10}}
    found = pick(rows, specs, sizes, 10)
    assert ([s.name for s in found.specs], found.bytes) == (["a", "b"], 10)
    assert pick(rows, specs, sizes, None).bytes == 20


def test_the_command_writes_a_bundle_within_a_size(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    lines = [{**PROBLEM, "count": 100}, {**PROBLEM, "m": 1, "n": 256, "k": 128}]
    trace.write_text("\n".join(map(json.dumps, lines)))
    out = tmp_path / "made"
    arguments = ["bundle", "--problems", str(trace), "--top", "1", "--out", str(out), "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    whole = json.loads(done.stdout)
    assert whole["kernels"] == 2
    assert whole["covered_time"] == 1.0
    small = CliRunner().invoke(app, [*arguments, "--max-size", f"{whole['bytes'] - 1}B"])
    report = json.loads(small.stdout)
    assert report["kernels"] == 1
    assert len(report["left_out"]) == len(report["uncovered"]) == 1
    assert Bundle.open(out, verify=True).manifest.report["kernels"] == 1  # the older bundle was replaced
    none = CliRunner().invoke(app, [*arguments, "--max-size", "1KB"])
    assert none.exit_code != 0


def test_what_is_no_bundle_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    rows, specs = rank_kernels(
        [Wanted(problem_from_dict(PROBLEM))], default_registry(["cpu"]), host_device(Settings.from_env()), 1
    )
    assert rows
    for manifest in (None, '{"name": "a web page"}', "[]", "{", '{"kind": ["tilewright bundle"]}'):
        if manifest is not None:  # other programs have files of this name
            (tmp_path / "manifest.json").write_text(manifest)
        with pytest.raises(TilewrightError, match="is not a bundle"):
            make_bundle(list(specs.values()), tmp_path, settings=Settings.from_env())
        assert (tmp_path / "mine.txt").read_text() == "keep"


def test_of_writers_at_the_same_time_the_last_one_wins(tmp_path: Path) -> None:
    target = tmp_path / "bundle"

    def write(number: int) -> None:
        folder = tmp_path / f"new{number}"
        folder.mkdir()
        (folder / "manifest.json").write_text(str(number))
        _replace(folder, target)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(400)))
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    assert (target / "manifest.json").read_text().isdigit()


@pytest.mark.parametrize("failing", [1, 2])
def test_an_interrupt_leaves_the_older_bundle(failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, target, rename, calls = tmp_path / "new", tmp_path / "bundle", os.rename, [0]
    for path in (folder, target):
        path.mkdir()
        (path / "manifest.json").write_text(path.name)

    def interrupted(source: Path, goal: Path) -> None:
        calls[0] += 1
        if calls[0] == 2 and failing == 2:
            raise OSError(errno.EIO, "the disk is gone")
        rename(source, goal)
        if calls[0] == 1 and failing == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr("tilewright.bundle.write.os.rename", interrupted)
    with pytest.raises(KeyboardInterrupt if failing == 1 else OSError):
        _replace(folder, target)
    assert (target / "manifest.json").read_text() == "bundle"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "new"]


def test_kernels_that_cannot_be_launched_from_cpp_are_refused() -> None:
    attention = problem_from_dict(
        {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 64, "hdim_q": 64, "dtype": "fp16"}
    )
    spec = default_registry(["ck_tile"]).select(attention, None, nominal_device("gfx942"))[0].candidate.spec
    with pytest.raises(
        SpecError, match=f"a bundle cannot hold {spec.name}: C\\+\\+ does not launch attention of CK Tile"
    ):
        make_bundle([spec], "/nowhere/at/all")


def test_kernels_of_one_arch_and_backend_only() -> None:
    problem = problem_from_dict({**PROBLEM, "dtype": "fp16"})
    gpu = default_registry(["triton"]).select(problem, None, nominal_device("sm_90"))[0].candidate.spec
    other = default_registry(["triton"]).select(problem, None, nominal_device("sm_80"))[0].candidate.spec
    cpu = default_registry(["cpu"]).select(problem_from_dict(PROBLEM), None, host_device(Settings.from_env()))
    with pytest.raises(SpecError, match="one arch; these are for sm_80, sm_90"):
        make_bundle([gpu, other], "/nowhere/at/all")
    with pytest.raises(SpecError, match="one backend; these are of cpu, triton"):
        make_bundle([gpu, cpu[0].candidate.spec], "/nowhere/at/all")
    with pytest.raises(SpecError, match="one arch"):
        make_bundle([], "/nowhere/at/all")


def test_counts_and_sizes_are_checked() -> None:
    assert read_wanted([json.dumps({**PROBLEM, "count": 3})])[0].count == 3.0
    with pytest.raises(ProblemError, match="count"):
        read_wanted([json.dumps({**PROBLEM, "count": 0})])
    with pytest.raises(SelectionError, match="max-size"):
        size_of("fifty")


def test_the_cpp_command_prints_flags(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["cpp", "--json"])
    flags = json.loads(done.stdout)
    assert (Path(flags["include"][0]) / "tilewright" / "tilewright.hpp").is_file()
    assert "-std=c++17" in CliRunner().invoke(app, ["cpp", "--cflags"]).stdout


def test_results_are_those_of_the_reference(bundle_folder: Path) -> None:
    dispatcher = Bundle.open(bundle_folder).dispatcher()
    problem = problem_from_dict({**PROBLEM, "m": 33})
    from tilewright.ops import get_op

    tensors = get_op("gemm").random_tensors(problem, 0)
    out = dispatcher.run(problem, **tensors)
    assert np.isfinite(out).all()
    assert get_op("gemm").verify(problem, tensors, out).ok
