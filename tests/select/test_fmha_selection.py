"""Which attention kernel is chosen: by the length of the sequences, and within a named profile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profiled_calls import profiled

from tilewright import Dispatcher, Registry
from tilewright.backends import get_backend_op
from tilewright.dispatcher import nominal_device
from tilewright.errors import SelectionError, UnknownNameError
from tilewright.ops import problem_from_dict
from tilewright.ops.fmha.receipts import RECEIPTS, get_receipt
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.decisions import Decisions
from tilewright.settings import Settings

PLAIN = {"op": "fmha", "batch": 1, "heads_q": 8, "seqlen_q": 512, "hdim_q": 128, "dtype": "bf16"}
ARCHS = {"cpu": "x86_64_amx", "triton": "sm_90"}


def chosen(dispatcher: Dispatcher, arch: str, **fields: Any) -> Any:
    best = dispatcher.explain(problem_from_dict({**PLAIN, **fields}), arch).chosen
    assert best is not None
    return best


@pytest.mark.parametrize("backend", ARCHS)
def test_the_choice_follows_the_lengths(backend: str) -> None:
    """One row against many keys, some rows, thousands: not one kernel for all."""
    registry = Registry(backend)
    for kernels in get_backend_op(backend, "fmha").default_sets():
        registry.declare(kernels)
    found = [chosen(Dispatcher(registry), ARCHS[backend], seqlen_q=n, seqlen_k=4096) for n in (1, 16, 128, 4096)]
    assert len({f.candidate.spec.algorithm for f in found}) >= 2
    if backend == "cpu":  # more rows never predict a shorter time
        assert [f.seconds for f in found] == sorted(f.seconds for f in found)


def test_few_rows_take_vector_code_and_many_take_tiles() -> None:
    registry = Registry("cpu")
    registry.declare_defaults("cpu", "fmha")
    inners = [
        chosen(Dispatcher(registry), "x86_64_amx", seqlen_q=n).candidate.spec.algorithm.inner for n in (1, 64, 2048)
    ]
    assert inners == ["fma", "amx", "amx"]


@pytest.mark.parametrize("backend", ARCHS)
def test_a_receipt_narrows_the_space_of_any_backend(backend: str) -> None:
    registry = Registry("flash")
    for kernels in get_backend_op(backend, "fmha").default_sets():
        for part in get_receipt("flash").narrow(kernels):
            registry.declare(part)
    flash, arch = Dispatcher(registry), ARCHS[backend]
    assert chosen(flash, arch).candidate.spec.signature.dtype == "bf16"
    assert chosen(flash, arch, bias="alibi")
    for fields in ({"dtype": "fp32"}, {"bias": "elementwise"}, {"v_layout": "col"}):
        assert flash.explain(problem_from_dict({**PLAIN, **fields}), arch).chosen is None
    if backend == "cpu":
        with pytest.raises(SelectionError, match="no kernel is declared"):
            flash.plan(problem_from_dict({**PLAIN, "dtype": "fp32"}))


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_receipt_and_its_narrowed_sets_agree(name: str) -> None:
    """A kernel is in the narrowed sets exactly where the receipt takes it."""
    from tilewright.model.kernel import KernelSpec

    receipt, cpu = get_receipt(name), get_backend_op("cpu", "fmha")
    sets = [part for kernels in cpu.default_sets() for part in receipt.narrow(kernels)]
    variants: list[dict[str, Any]] = [
        {}, {"dtype": "fp32"}, {"dtype": "fp8"}, {"soft_cap": 2.0}, {"bias": "elementwise"}, {"mode": "group"},
        {"family": "bwd"}, {"family": "bwd", "deterministic": True}, {"mask": "causal_top_left"}, {"lse": True},
        {"dtype": "fp8", "qscale": "pertensor"}, {"family": "fwd_splitkv", "dtype": "fp32"},
    ]  # fmt: skip
    for fields in variants:
        s = problem_from_dict({**PLAIN, **fields}).signature
        spec = KernelSpec("fmha", "cpu", "x86_64_v4", s, cpu.algorithm())
        assert any(part.takes(s, "x86_64_v4") for part in sets) == receipt.takes(spec), fields


def test_an_unknown_receipt_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'pytorch'"):
        get_receipt("pytorhc")


@pytest.mark.parametrize("backend", ARCHS)
def test_explain_names_the_steps_of_a_plan(backend: str) -> None:
    registry = Registry(backend)
    registry.declare_defaults(backend, "fmha")
    dispatcher, arch = Dispatcher(registry), ARCHS[backend]
    cases = [({"family": "bwd", "batch": 32}, 3), ({}, 1)]  # enough keys that nothing is shared
    cases += [({"family": "fwd_splitkv", "heads_q": 1, "seqlen_q": 1, "seqlen_k": 65536, "dtype": "fp32"}, 2)]
    for fields, count in cases:
        walk = dispatcher.explain(problem_from_dict({**PLAIN, **fields}), arch)
        assert len(walk.steps) == count
        assert bool(walk.steps[0].buffers) == (count > 1)  # what a step leaves for the next
        assert [s["name"] for s in walk.to_dict()["steps"]] == [s.name for s in walk.steps]


def test_a_new_length_asks_no_rules_however_many_threads_there_are(tmp_path: Path) -> None:
    """Splits of the keys are tried if there are fewer blocks than threads; that is traced like all else."""
    device = replace(nominal_device("x86_64_v4"), threads=16)
    settings = Settings.from_env(build="never", data_dir=str(tmp_path))
    decisions = Decisions(default_registry(["cpu"]), get_selector("chain", settings), device)
    fields = {"op": "fmha", "family": "fwd", "batch": 2, "heads_q": 2, "heads_kv": 2, "hdim_q": 32, "hdim_v": 32,
              "dtype": "fp32"}  # fmt: skip
    first, second, third = (problem_from_dict({**fields, "seqlen_q": n, "seqlen_k": n}) for n in (129, 131, 133))
    kernel, _ = decisions.shared(first), decisions.shared(second)
    found = list[Any]()
    calls, _ = profiled(lambda: found.append(decisions.shared(third)))
    assert kernel is not None
    assert found[0].candidate == kernel.candidate
    assert calls <= 30
