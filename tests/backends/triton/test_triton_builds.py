"""Build keys of Triton kernels: what they hold, and which earlier builds gave the same code."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("triton")

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.backends.triton import closure
from tilewright.backends.triton.compile_job import _source
from tilewright.jit import Cache, build_many
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.model.kernel_set import expand
from tilewright.ops import get_op, problem_from_dict
from tilewright.select.chain import Measured, build_keys_now
from tilewright.settings import Settings
from tilewright.store import Measurement, Store, launch_from_dict

DATA = Path(__file__).parents[3] / "benchmarks" / "data"
FILES = ["gemm", "conv_forward", "conv_backward_data", "conv_backward_weight"]
RENEW = "compare the code with that of the earlier builds: benchmarks/gpu/earlier_builds.py"
COMPILED = {"conv_forward": ("implicit", "thin"), "conv_backward_weight": ("hopper",), "gemm": ("pointer",)}


@cache
def rows(name: str) -> list[tuple[str, str, str]]:
    """(spec, build key, digest of the artifact) of the kernels in a file of measurements, each once."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'tune' is not installed")
    columns = ["spec", "build_key", "artifact"]
    table = parquet.read_table(DATA / f"{name}_h200.parquet", columns=columns)
    return list(dict.fromkeys(zip(*(table.column(c).to_pylist() for c in columns), strict=True)))


def spec_of(text: str) -> KernelSpec:
    return spec_from_dict(json.loads(text))


def request_of(spec: KernelSpec):
    return get_backend_op("triton", spec.op).request(spec, Settings())


@pytest.mark.parametrize("name", FILES)
def test_measurements_of_shipped_data_hold_for_the_builds_of_today(name):
    found = rows(name)
    stale = [spec_of(spec).name for spec, key, _ in found if key not in build_keys_now(spec_of(spec), Settings())]
    assert len(found) > 200
    assert not stale, f"{len(stale)} of {len(found)} kernels of {name} are stale: {RENEW}"


@pytest.mark.parametrize("name", COMPILED)
def test_kernels_compile_to_the_bytes_that_were_measured(name):
    chosen = {}
    for text, _, artifact in rows(name):
        spec = spec_of(text)
        if spec.algorithm.pipeline in COMPILED[name]:
            chosen.setdefault(spec.algorithm.pipeline, (spec, artifact))
    assert set(chosen) == set(COMPILED[name])
    requests = [request_of(spec) for spec, _ in chosen.values()]
    built = build_many(requests, Cache.from_settings(Settings.from_env()), max_workers=1)
    assert [b.content_sha256 for b in built] == [artifact for _, artifact in chosen.values()]


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the backend's sources, which build keys are made from; the function edits one of its files."""
    shutil.copytree(closure.ROOT, tmp_path / "triton", ignore=shutil.ignore_patterns("__pycache__"))

    def clear():
        for cached in (closure.closure, closure.closure_digest, closure._module):
            cached.cache_clear()

    def edit(file: str, old: str, new: str) -> None:
        path = tmp_path / "triton" / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        clear()

    monkeypatch.setattr(closure, "ROOT", tmp_path / "triton")
    clear()
    yield edit
    clear()


def one_of_each(name: str) -> dict[str, KernelSpec]:
    specs = [spec_of(text) for text, _, _ in rows(name)]
    return {s.algorithm.pipeline: s for s in specs}


def test_a_changed_kernel_makes_only_its_own_measurements_stale(copied):
    specs = one_of_each("conv_forward")
    before = {p: request_of(s).same_keys for p, s in specs.items()}
    copied("conv/kernels/implicit.py", "\nimport triton\n", "\nimport triton\n\nNEW = 1\n")
    assert {p: request_of(s).same_keys for p, s in specs.items()} == before  # nothing reads it
    copied("conv/kernels/implicit.py", '"""dst = epilogue', '"""Changed prose. dst = epilogue')
    copied("conv/pipelines/strip.py", "    # Neighbours read the rest", "    # Others read the rest")
    assert {p: request_of(s).same_keys for p, s in specs.items()} == before
    kernel = (closure.ROOT / "conv/kernels/thin.py").read_text()
    line = next(line for line in kernel.splitlines() if line.startswith("    ") and " = tl." in line)
    copied("conv/kernels/thin.py", line, f"{line} + 0")
    after = {p: request_of(s).same_keys for p, s in specs.items()}
    assert {p for p in specs if after[p] != before[p]} == {"thin"}
    assert len(after["thin"]) == 1, "an earlier build of other code counts as this one"


def test_where_a_definition_stands_is_not_part_of_a_key(copied):
    entry = (("gemm/pipelines/hopper/source.py", "_hopper"),)
    before = closure.closure_digest(entry)
    copied("gemm/pipelines/hopper/source.py", "    from ...kernels.hopper import", "    from ....kernels.hopper import")
    assert closure.closure_digest(entry) == before
    copied("gemm/pipelines/hopper/source.py", "    from ....kernels.hopper import", "    from ....kernels.tma import")
    assert closure.closure_digest(entry) != before


def test_all_kernels_depend_on_what_compiles_them(copied):
    specs = one_of_each("conv_forward")
    before = {p: request_of(s).build_key for p, s in specs.items()}
    copied("compile_job.py", "META_SCHEMA = 1", "META_SCHEMA = 2")
    assert not {p for p, s in specs.items() if request_of(s).build_key == before[p]}


def attention_specs():
    op = get_backend_op("triton", "fmha")
    for family in ("fwd", "bwd", "fwd_splitkv"):
        size = {"batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": 128, "seqlen_k": 128, "hdim_q": 64, "hdim_v": 64}
        more = {"lse": True} if family == "bwd" else {}
        problem = problem_from_dict({"op": "fmha", "family": family, "mode": "batch", "dtype": "fp16", **size, **more})
        for kernel_set in op.default_sets():
            if kernel_set.takes(problem.signature, "sm_90"):
                arch = get_arch("sm_90")
                found = expand(kernel_set, arch, problem.signature, op.algorithm, op.tunables(), op.rules).specs
                yield from {s.algorithm.pipeline: s for s in found}.values()


def test_keys_hold_every_function_that_is_compiled():
    specs = [s for name in FILES for s in one_of_each(name).values()]
    specs += attention_specs()
    assert len({s.op for s in specs}) == 3
    for spec in specs:
        request = request_of(spec)
        inner = spec_from_dict(dict(request.spec))
        reached = {f"{file}:{name}" for file, name in closure.closure(entries_of(inner, request))}
        for job in json.loads(request.inputs["job.json"])["jobs"].values():
            missing = functions_of(_source(job).function) - reached
            assert not missing, (spec.name, missing)


def entries_of(spec: KernelSpec, request) -> tuple[closure.Entry, ...]:
    from importlib import import_module

    lower = import_module(f"tilewright.backends.triton.{spec.op}.lower")
    jobs = json.loads(request.inputs["job.json"])["jobs"]
    if spec.op == "conv":
        from tilewright.backends.triton.conv.pipelines import pipeline_of

        return tuple(lower.entries_of(spec, pipeline_of(spec.algorithm), jobs))
    return tuple(lower.entries_of(spec, jobs) if spec.op == "gemm" else lower.entries_of(spec))


def functions_of(function) -> set[str]:
    """FILE:NAME of a compiled function of this backend and of all that it calls."""
    found, waiting = set(), [function]
    while waiting:
        f = waiting.pop()
        code = f.fn.__code__
        at = f"{f.fn.__module__.partition('.triton.')[2].replace('.', '/')}.py:{f.fn.__name__}"
        if at in found or "tilewright" not in f.fn.__module__:
            continue
        found.add(at)
        values = (f.fn.__globals__.get(n) for n in code.co_names)
        waiting += [v for v in values if hasattr(v, "fn") and hasattr(v, "arg_names")]
    return found


def test_the_name_of_the_interpreter_is_not_part_of_a_key(monkeypatch):
    import sys

    spec = KernelSpec("gemm", "triton", "sm_90", get_op("gemm").plain_problem("fp16").signature,
                      get_backend_op("triton", "gemm").algorithm())  # fmt: skip
    before = request_of(spec).build_key
    monkeypatch.setattr(sys, "executable", "/elsewhere/python3.99")
    assert request_of(spec).build_key == before


def test_rows_of_an_equal_build_are_measured_and_others_are_stale(tmp_path):
    pytest.importorskip("pyarrow", reason="the extra 'tune' is not installed")
    from tilewright.store.parquet import read_parquet

    row: Measurement = next(r for r in read_parquet(DATA / "gemm_h200.parquet") if r.ok)
    problem, device = problem_from_dict(dict(row.problem)), device_of(row)
    candidate = Candidate(spec_from_dict(dict(row.spec)), launch_from_dict(row.launch))
    assert row.build_key != request_of(candidate.spec).build_key
    for number, (key, place) in enumerate(((row.build_key, 0), ("0" * 64, 1))):
        store = Store(tmp_path / f"{number}.sqlite")
        store.put([replace(row, build_key=key)])
        known = Measured(store, Settings()).known(problem, [candidate], device)
        assert [len(part) for part in known] == [int(i == place) for i in range(3)]


def device_of(row: Measurement):
    from tilewright.model.device import Device

    return Device(**row.device)
