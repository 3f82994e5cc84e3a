"""Registry: priorities, order, merge, filter, round trip, threads."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.arch import get_arch
from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.cpu.detect import host_archs
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.backends.plain import spec_from_dict
from tilewright.dispatcher import nominal_device
from tilewright.errors import SchemaError, SpecError, UnknownNameError
from tilewright.jit import Cache
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import KernelSet, Range
from tilewright.model.rule import broken, rule
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.ops.gemm import DTensor, GemmSignature
from tilewright.registry import Registry, default_registry
from tilewright.settings import Settings

ROOT = Path(__file__).parents[1]
KINDS = ("dense", "pointwise", "grouped", "depthwise")
FP32 = GemmSignature("fp32", "fp32", "fp32", "fp32", "rrr")


def spec(**fields: Any) -> KernelSpec:
    return KernelSpec("gemm", "cpu", "x86_64_v4", FP32, CpuGemm(**fields))


SPECS = [spec(kc=kc, mc=mc) for kc in (128, 256, 512) for mc in (96, 192)]
entries = st.lists(st.tuples(st.sampled_from(SPECS), st.integers(-2, 2)), max_size=12)


def filled(pairs: list[tuple[KernelSpec, int]], name: str = "r") -> Registry:
    registry = Registry(name)
    for s, priority in pairs:
        registry.add(s, priority)
    return registry


def test_properties_have_no_deadline() -> None:
    assert settings().deadline is None


@given(entries)
def test_order_does_not_depend_on_insertion(pairs: list[tuple[KernelSpec, int]]) -> None:
    best: dict[str, tuple[KernelSpec, int]] = {}
    for s, priority in pairs:
        if s.digest not in best or best[s.digest][1] < priority:
            best[s.digest] = (s, priority)
    forward, backward = filled(list(best.values())), filled(list(best.values())[::-1])
    assert forward.entries() == backward.entries()
    assert forward.digest == backward.digest


@given(entries, entries)
def test_merge_keeps_the_highest_priority_and_reports_the_rest(one: Any, two: Any) -> None:
    a, b = filled(one, "a"), filled(two, "b")
    before = {e.spec.digest: e.priority for e in a}
    report = a.merge(b)
    assert {*report.added, *report.replaced, *report.kept} == {e.spec.digest for e in b}
    for entry in b:
        known = before.get(entry.spec.digest)
        expected = entry.priority if known is None else max(known, entry.priority)
        assert a.lookup(entry.spec.digest).priority == expected
        if known == entry.priority:
            assert entry.spec.digest in report.kept


def test_every_field_round_trips(tmp_path: Path) -> None:
    registry = filled([(SPECS[0], 3), (SPECS[1], 0)])
    signature = GemmSignature(
        "int8", "int8", "int32", "bf16", "ccr", "row", "tensor", "multiply", "silu", (DTensor("fp32", "col"),)
    )
    algorithm = CpuGemm("tiled", "portable", 4, 16, 64, 96, 256, True, True)
    registry.add(KernelSpec("gemm", "cpu", "x86_64_v4", signature, algorithm), 1, "by hand")
    registry.declare(
        KernelSet(
            "swept",
            "gemm",
            "cpu",
            ({"kc": Range(128, 512, 128), "mr": [4, 6], "nr": "*"},),
            {"dtype_a": ["fp32"]},
            ("x86_64_v4",),
            2,
        )
    )
    path = tmp_path / "registry.json"
    registry.export_json(path)
    again = Registry.import_json(path)
    assert again.to_dict() == registry.to_dict()
    assert again.entries() == registry.entries()
    assert again.sets() == registry.sets()


def test_the_file_counts_its_kernels(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    registry = filled([(s, 0) for s in SPECS])
    registry.export_json(path)
    counts = json.loads(path.read_text())["statistics"]
    assert counts["kernels"] == len(SPECS) == sum(counts["by_op"].values()) == sum(counts["by_pipeline"].values())
    assert counts["by_backend"] == {"cpu": len(SPECS)}
    data = registry.to_dict()
    del data["statistics"]  # files of earlier versions have none
    assert len(Registry.from_dict(data).entries()) == len(SPECS)


def test_shipped_sets_take_the_same_signatures_after_a_round_trip() -> None:
    registry = default_registry()
    again = Registry.from_dict(json.loads(json.dumps(registry.to_dict())))
    fp16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")
    with_bias = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr", d=(DTensor("fp16", "row"),))
    assert again.sets() == registry.sets()
    both = [pair for pair in zip(registry.sets(), again.sets(), strict=True) if pair[0].op == "gemm"]
    assert both
    for before, after in both:
        for signature in (FP32, fp16, with_bias):
            assert before.takes(signature, "gfx942") == after.takes(signature, "gfx942")


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "registry.json"
    filled([(SPECS[0], 0)]).export_json(path)
    data = json.loads(path.read_text())
    data["kernels"][0]["spec"]["algorithm"]["kc"] = 1024
    with pytest.raises(SchemaError, match="digest"):
        Registry.from_dict(data)
    with pytest.raises(SchemaError, match="schema 99"):
        Registry.from_dict({**data, "schema": 99})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}'])
def test_a_file_that_is_no_registry_is_a_typed_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "registry.json"
    with pytest.raises(SchemaError, match="cannot be read"):
        Registry.import_json(path)
    path.write_text(text)
    with pytest.raises(SchemaError):
        Registry.import_json(path)


def test_select_needs_no_more_than_a_problem() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32", "layout": "rrr"})
    ranked = default_registry(["cpu"]).select(problem)
    times = [r.seconds for r in ranked]
    assert len(times) > 10
    assert times == sorted(times)


def test_a_kernel_that_is_added_later_is_a_candidate() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32", "layout": "rrr"})
    device = nominal_device("x86_64_v4")
    registry = filled([(SPECS[0], 0)])
    assert [c.spec for c in registry.legal(problem, device)] == [SPECS[0]]
    registry.add(SPECS[1], 1)
    assert [c.spec for c in registry.legal(problem, device)] == [SPECS[1], SPECS[0]]


def test_a_set_that_nothing_answers_to_is_refused() -> None:
    right = {"name": "x", "op": "gemm", "backend": "cpu", "algorithms": ({"mr": 6},), "signature": {"dtype_a": "fp32"}}
    Registry().declare(KernelSet(**right))
    wrong = {"op": "gem", "backend": "cpuu", "archs": ("gfx924",)}
    with pytest.raises(SpecError, match=r"3 mistakes: .*'gemm'.*'cpu'.*'gfx942'"):
        Registry().declare(KernelSet(**{**right, **wrong}))
    fields = {"algorithms": ({"mrr": 6},), "signature": {"dtype_aa": "fp32"}}
    with pytest.raises(SpecError, match=r"2 mistakes: .*'dtype_a'.*'mr'"):
        Registry().declare(KernelSet(**{**right, **fields}))


def test_defaults_are_left_out_of_the_identity() -> None:
    assert "algorithm" in spec().to_dict()
    assert spec().to_dict()["algorithm"] == {}
    assert spec_from_dict(spec().to_dict()) == spec()
    # Digests are stored in caches and files: a change here needs a new schema version.
    assert spec().digest == "e922e0dedacf3858510ca1dc1882ccedc3bbe2fcae0c89bf2391a93d92f1bbf6"


def test_unknown_fields_are_refused() -> None:
    data = spec(kc=256).to_dict()
    data["algorithm"]["kcc"] = 3
    with pytest.raises(UnknownNameError, match="did you mean 'kc'"):
        spec_from_dict(data)


def test_illegal_specs_report_every_broken_rule() -> None:
    with pytest.raises(SpecError) as caught:
        Registry().add(spec(mr=16, nr=64, inner="amx", kc=33, mc=8, pack_a=False))
    rules = {r.rule for r in caught.value.rejections}
    assert {"cpu.gemm.inner", "cpu.gemm.blocks"} <= rules


def test_lookup_and_filter() -> None:
    registry = filled([(s, 0) for s in SPECS])
    assert registry.lookup(SPECS[0].digest[:10]).spec == SPECS[0]
    assert len(registry.filter(lambda s: s.algorithm.kc == 128)) == 2
    with pytest.raises(UnknownNameError):
        registry.lookup("zz")
    with pytest.raises(SpecError, match="kernels start with"):
        registry.lookup("")


def test_registries_live_side_by_side() -> None:
    one, two = filled([(SPECS[0], 0)]), filled([(SPECS[1], 0)])
    assert {e.spec for e in one}.isdisjoint({e.spec for e in two})


def test_threads_may_add_at_once() -> None:
    registry = Registry()
    threads = [threading.Thread(target=lambda s=s: registry.add(s)) for s in SPECS * 4]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(registry) == len(SPECS)


def test_building_nothing_is_an_error_not_a_success() -> None:
    with pytest.raises(SpecError, match="holds no kernels"):
        Registry("empty").build()


SMALL = KernelSet("small", "gemm", "cpu", ({"mr": [2, 4], "nr": [16, 17], "kc": 64, "mc": 48},), vars(FP32))


def small_kernels(*archs: str) -> set[str]:
    """The digests of the legal kernels of SMALL: 17 is no multiple of the lanes."""
    algorithms = [CpuGemm(mr=mr, nr=16, kc=64, mc=48) for mr in (2, 4)]
    return {KernelSpec("gemm", "cpu", arch, FP32, a).digest for arch in archs for a in algorithms}


def test_a_declared_set_is_built(tmp_path: Path) -> None:
    registry = Registry("mine")
    registry.declare(SMALL)
    built = registry.build(max_workers=2, cache=Cache(tmp_path))
    here = [d.arch for d in get_backend("cpu").devices(Settings.from_env())]
    assert {artifact.spec_digest for artifact in built} == small_kernels(*here)
    assert all(artifact.file().is_file() for artifact in built)


def test_a_declared_set_is_built_for_the_archs_it_names_or_for_one_of_them(tmp_path: Path) -> None:
    registry, cache = Registry("mine"), Cache(tmp_path)
    one, two = [a.name for a in host_archs() if "fma" in a.inners][:2]
    registry.declare(replace(SMALL, archs=(one, two)))
    assert {a.spec_digest for a in registry.build(cache=cache)} == small_kernels(one, two)
    assert {a.spec_digest for a in registry.build(cache=cache, arch=one)} == small_kernels(one)
    with pytest.raises(SpecError, match="'small' has no kernel for generic"):
        registry.build(cache=cache, arch="generic")


def test_a_set_that_cannot_be_built_says_why(tmp_path: Path) -> None:
    registry = Registry("mine")
    registry.declare(replace(SMALL, signature={"layout": "rrr"}))
    with pytest.raises(SpecError, match="leaves dtype_a, dtype_b, dtype_acc, dtype_out open"):
        registry.build(cache=Cache(tmp_path))
    registry = Registry("other")
    registry.declare(replace(SMALL, algorithms=({"mr": 2, "nr": 17},)))
    with pytest.raises(SpecError, match=r"all 1 combinations break rules.*cpu\.gemm\.multiples"):
        registry.build(cache=Cache(tmp_path))


def test_default_sets_are_not_built_all_at_once() -> None:
    registry = default_registry(["cpu"])
    assert registry.sets()
    with pytest.raises(SpecError, match="holds no kernels"):
        registry.build()


def test_the_default_space_is_large_and_counts_what_it_drops() -> None:
    from tilewright.dispatcher import Dispatcher

    p = problem_from_dict({"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": "fp32", "layout": "rrr"})
    explanation = Dispatcher(default_registry()).explain(p)
    assert len(explanation.ranked) + len(explanation.rejected) >= 100
    assert sum(explanation.counts.values()) >= len(explanation.rejected) > 0


@pytest.mark.parametrize("arch", ["sm_90", "gfx942", "x86_64_v4"])
def test_the_quick_way_to_legal_candidates_finds_what_the_thorough_one_does(arch: str) -> None:
    from tilewright.dispatcher import nominal_device
    from tilewright.ops.conv.samples import sample_problems as convolutions
    from tilewright.ops.gemm.samples import sample_problems as products

    registry, device = default_registry(), nominal_device(arch)
    place = "cpu" if arch.startswith("x86") else "cuda:0"
    for problem in (*products(3, 7, ["fp16"], place), *convolutions(3, 7, ["fp16"], place)):
        considered = registry.consider(problem, device)
        assert registry.legal(problem, device) == considered.legal
        for spec in {c.spec: None for c in considered.legal}:
            assert not get_backend_op(spec.backend, spec.op).check(spec, get_arch(spec.arch), problem)


@pytest.mark.parametrize("arch", ["sm_90", "x86_64_amx"])
def test_the_quick_way_is_the_thorough_one_on_layers_of_networks(arch: str) -> None:
    """Problem after problem, so that what the quick way remembers of others is there: layers of every kind."""
    registry, device = default_registry(), nominal_device(arch)
    lines = (ROOT / "benchmarks" / "problems" / "conv_corpus.jsonl").read_text().splitlines()
    problems = [problem_from_dict(json.loads(text)) for text in lines[::97]]
    problems += [replace(p, split_k=3) for p in problems[::9]]
    assert {(p.direction, p.kind) for p in problems} == set(product(DIRECTIONS, KINDS))
    for problem in problems:
        assert registry.legal(problem, device) == registry.consider(problem, device).legal, problem.label()


def test_rules_that_are_taken_back_leave_nothing_behind() -> None:
    """Not even in an op whose rules were first read while others were in force."""
    op = type(get_backend_op("cpu", "gemm"))()
    never = rule("test.never", "problem", "never")(lambda s: broken("never"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(op), "rules", (*op.rules, never))
        assert op.problem_rules[-1] is never
        assert op.problem_checks[-1] is never.check
    assert never not in op.problem_rules
    assert never.check not in op.problem_checks
    with pytest.raises(AttributeError):
        setattr(op, "problem_rules", ())  # noqa: B010
