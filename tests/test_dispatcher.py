"""Dispatcher: plans, builds, fallbacks that are told, explain, bad tensors, torch and DLPack."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import ARCH, gemm_tile

import tilewright
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import Dispatcher
from tilewright.errors import (
    BuildError,
    BuildForbiddenError,
    SelectionError,
    TensorError,
    ToolchainError,
    UnknownNameError,
)
from tilewright.frontends import default
from tilewright.jit import Cache
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

OP = get_op("gemm")
P = problem_from_dict({"op": "gemm", "m": 24, "n": 40, "k": 32, "dtype": "fp32", "layout": "rrr"})


def registry_of(*algorithms: CpuGemm, arch: str = ARCH) -> Registry:
    registry = Registry()
    for priority, algorithm in enumerate(algorithms[::-1]):
        registry.add(KernelSpec("gemm", "cpu", arch, P.signature, algorithm), priority)
    return registry


GOOD, OTHER = gemm_tile(kc=128), gemm_tile(kc=256)


def test_run_and_plan_cache() -> None:
    dispatcher = Dispatcher(registry_of(GOOD), "first_fit")
    tensors = OP.random_tensors(P, 0)
    OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("run")
    assert dispatcher.plan(P) is dispatcher.plan(P)
    bound = dispatcher.bind(P, **tensors)
    tensors["out"][...] = np.nan
    OP.verify(P, tensors, bound()).require("bound")


def test_a_repeated_bound_call_allocates_nothing() -> None:
    import tracemalloc

    bound = Dispatcher(registry_of(GOOD), "first_fit").bind(P, **OP.random_tensors(P, 0))
    for _ in range(10):
        bound()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    for _ in range(1000):
        bound()
    growth = sum(s.size_diff for s in tracemalloc.take_snapshot().compare_to(before, "filename") if s.size_diff > 0)
    tracemalloc.stop()
    assert growth < 4096


def test_no_building_while_serving(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    serving = Dispatcher(registry_of(GOOD, OTHER), "first_fit", Settings.from_env(build="never"), cache)
    with pytest.raises(BuildForbiddenError, match="warm_up"):
        serving.plan(P)
    assert len(serving.events) == 2
    Dispatcher(registry_of(OTHER), "first_fit", cache=cache).warm_up([P])
    plan = serving.plan(P)
    assert plan.candidate is not None
    assert plan.candidate.spec.algorithm == OTHER
    assert "not built" in serving.events[-1].message


def test_weights_are_not_packed_by_a_kernel_that_may_not_be_built(tmp_path: Path) -> None:
    serving = Dispatcher(settings=Settings.from_env(build="never"), cache=Cache(tmp_path))
    with pytest.raises(BuildForbiddenError, match="building is switched off"):
        tilewright.pack_weights(np.ones((32, 16), np.float32), dispatcher=serving)


def test_a_failing_candidate_is_told_and_the_next_is_tried(tmp_path: Path) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text(
        '#!/bin/sh\nif grep -qs "kc = 128;" *.cpp; then echo "no thanks" >&2; exit 1; fi\nexec g++ "$@"\n'
    )
    compiler.chmod(0o755)
    options = Settings.from_env(cxx=str(compiler))
    cache = Cache(tmp_path / "cache")
    dispatcher = Dispatcher(registry_of(GOOD, OTHER), "first_fit", options, cache)
    tensors = OP.random_tensors(P, 0)
    OP.verify(P, tensors, dispatcher.run(P, **tensors)).require("fallback")
    assert [e.kind for e in dispatcher.events] == ["not-used"]
    strict = Dispatcher(registry_of(GOOD, OTHER), "first_fit", Settings.from_env(cxx=str(compiler), strict=True), cache)
    with pytest.raises(BuildError, match=r"no thanks|exited with status 1") as caught:
        strict.plan(P)
    assert "no thanks" in caught.value.log


def test_no_compiler_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"g\+\+"):
        Dispatcher(registry_of(GOOD), "first_fit", Settings.from_env(), Cache(tmp_path / "c")).plan(P)


def test_no_candidate_says_why() -> None:
    with pytest.raises(SelectionError, match="no kernel is declared"):
        Dispatcher(Registry("empty")).plan(P)
    mixed = problem_from_dict(
        {"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype_a": "int8", "dtype_b": "fp32", "dtype": "int8"}
    )
    with pytest.raises(SelectionError, match=r"cpu\.gemm\.dtype"):
        Dispatcher().plan(mixed)


def test_every_tensor_mistake_at_once() -> None:
    tensors = OP.random_tensors(P, 0)
    tensors["a"] = np.zeros((24, 31), np.float32)
    tensors["b"] = tensors["b"].astype(np.float16)
    tensors["out"].flags.writeable = False
    with pytest.raises(TensorError, match=r"3 mistakes.*a has shape.*b has dtype fp16.*not writable"):
        Dispatcher(registry_of(GOOD)).run(P, **tensors)
    with pytest.raises(TensorError, match=r"b is missing"):
        Dispatcher(registry_of(GOOD)).run(P, a=tensors["a"], out=tensors["out"])


def test_tensors_by_place_are_counted() -> None:
    dispatcher, tensors = Dispatcher(registry_of(GOOD), "first_fit"), OP.random_tensors(P, 0)
    a, b, out = (tensors[role] for role in ("a", "b", "out"))
    assert dispatcher.run(a, b, out, P) is out
    with pytest.raises(TensorError, match=r"2 mistakes.*a is given twice.*4 tensors without a name"):
        dispatcher.run(a, b, out, out, P, a=a)


def test_choices_follow_the_registry() -> None:
    registry = registry_of(GOOD)
    dispatcher = Dispatcher(registry, "first_fit")
    assert dispatcher.choose(P).candidate.spec.algorithm == GOOD
    registry.add(KernelSpec("gemm", "cpu", ARCH, P.signature, OTHER), priority=9)
    assert dispatcher.choose(P).candidate.spec.algorithm == OTHER
    assert dispatcher.plan(P).candidate.spec.algorithm == OTHER


def test_gemm_refuses_bad_tensors() -> None:
    a, b = np.ones((4, 6), np.float32), np.ones((6, 4), np.float32)
    with pytest.raises(TensorError, match="k = 6 columns but b has k = 5 rows"):
        tilewright.gemm(a, b[:5])
    with pytest.raises(TensorError, match="out overlaps a"):
        tilewright.gemm(a[:, :4], b[:4], out=a[:, :4])
    with pytest.raises(UnknownNameError, match="complex64"):
        tilewright.gemm(a.astype(np.complex64), b)
    with pytest.raises(TensorError, match="list, which is not a tensor"):
        tilewright.gemm([[1.0]], b)
    with pytest.raises(TensorError, match="d0 has shape"):
        tilewright.gemm(a, b, d=np.ones(3, np.float32))


def test_an_out_of_another_dtype_than_asked_for_is_refused() -> None:
    a, b, out = np.ones((4, 6), np.float32), np.ones((6, 4), np.float32), np.empty((4, 4), np.float32)
    for _ in range(3):  # calls without out_dtype are remembered; they must not answer for those with one
        tilewright.gemm(a, b, out=out)
    with pytest.raises(TensorError, match="out has dtype fp32, but out_dtype is fp16"):
        tilewright.gemm(a, b, out=out, out_dtype="fp16")
    with pytest.raises(UnknownNameError, match="fp17"):
        tilewright.gemm(a, b, out=out, out_dtype="fp17")
    assert tilewright.gemm(a, b, out=out, out_dtype="fp32") is out
    x, w = np.ones((1, 2, 4, 4), np.float32), np.ones((2, 2, 3, 3), np.float32)
    y = tilewright.conv(x, w)
    with pytest.raises(TensorError, match="output has dtype fp32, but out_dtype is fp16"):
        tilewright.conv(x, w, out=y, out_dtype="fp16")


def test_explain_names_ranked_and_rejected() -> None:
    explanation = Dispatcher().explain(P)
    assert explanation.chosen is not None
    assert explanation.chosen.seconds is not None
    for said in {r.reason for r in explanation.ranked}:  # what a model's first trees left out stays behind the others
        times = [r.seconds for r in explanation.ranked if r.seconds is not None and r.reason == said]
        assert times == sorted(times), said
    assert all(rejections for _, rejections in explanation.rejected)
    data = explanation.to_dict(limit=2)
    assert len(data["ranked"]) == 2
    assert data["counts"]["ranked"] == len(explanation.ranked)


@pytest.mark.parametrize("selector", ["first_fit", "rules", "analytical"])
def test_selection_is_deterministic(selector: str) -> None:
    first, second = (Dispatcher(selector=selector).explain(P) for _ in range(2))
    assert [r.candidate.key for r in first.ranked] == [r.candidate.key for r in second.ranked]


def test_threads_share_one_dispatcher() -> None:
    dispatcher = Dispatcher(registry_of(GOOD), "first_fit")
    tensors = OP.random_tensors(P, 0)
    expected = dispatcher.run(P, **tensors).copy()
    wrong: list[Any] = []

    def work() -> None:
        mine = {**tensors, "out": np.empty_like(tensors["out"])}
        for _ in range(50):
            if not np.array_equal(dispatcher.run(P, **mine), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_empty_outputs_need_no_kernel() -> None:
    out = tilewright.gemm(np.ones((0, 3), np.float32), np.ones((3, 4), np.float32))
    assert out.shape == (0, 4)


def test_reference_backend_through_the_same_door() -> None:
    from tilewright.backends import get_backend_op

    registry = Registry("truth")
    registry.declare(get_backend_op("reference", "gemm").kernel_sets()[0])
    tensors = OP.random_tensors(P, 0)
    OP.verify(P, tensors, Dispatcher(registry).run(P, **tensors)).require("reference")


def test_settings_take_effect_after_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_SELECTOR", "first_fit")
    default.reset()
    assert default.default_dispatcher().selector.name == "first_fit"
    monkeypatch.undo()
    default.reset()


def test_verbose_logs_decisions(capfd: pytest.CaptureFixture[str]) -> None:
    import subprocess
    import sys

    code = "import numpy as np, tilewright; tilewright.gemm(np.ones((2,2),np.float32), np.ones((2,2),np.float32))"
    import os

    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TILEWRIGHT_VERBOSE": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "tilewright: gemm 2x2x2" in done.stderr
