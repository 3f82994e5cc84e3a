"""GPU bundles: the facts of a driver describe the same device in C++ as in Python."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import Selection

from tilewright.backends.gpu.launches import APART, STAND_IN
from tilewright.cpp import engine, gpu, triton_parts
from tilewright.dispatcher import nominal_device
from tilewright.jit.arrays import view_of
from tilewright.model.canonical import canonical
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")


def test_a_described_gpu_is_the_detected_one(selection_library: Path) -> None:
    """The facts of a driver give the same device in C++ as in Python: rated figures of a known model."""
    selection = Selection([], Settings.from_env(), selection_library, "triton")
    facts = {"kind": "cuda", "major": 9, "minor": 0, "units": 132, "clock_khz": 1980000, "memory_clock_khz": 3201000,
             "bus_bits": 6144, "shared_per_unit": 233472, "l2_bytes": 62914560, "name": "NVIDIA H200",
             "memory_bytes": 150000000000}  # fmt: skip
    ok, answer = selection.ask("device", facts)
    assert ok, answer
    assert answer == json.loads(json.dumps(engine.canonical(detected(facts))))
    assert answer["bandwidth_gbps"] == 4800.0
    ok, other = selection.ask("device", {**facts, "major": 10, "name": "Some GPU"})
    assert ok, other
    assert (other["arch"], other["clock_mhz"]) == ("sm_100", 1980.0)


ALIGNED = [
    {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "int8", "d": [{"dtype": "int32"}], "alignment": {"a": 8}},
    {"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "bf16", "scale_a": "row", "scale_b": "tensor"},
    {"op": "conv", "direction": "forward", "n": 1, "c": 8, "k": 8, "input": [8, 8], "filter": [3, 3], "dtype": "fp16",
     "alignment": {"weight": 2}},
    {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 64, "hdim_q": 64, "dtype": "fp16", "mode": "group",
     "alignment": {"q": 4}},
]  # fmt: skip


@pytest.mark.parametrize("data", ALIGNED)
def test_the_addresses_that_python_takes_are_taken(data: dict[str, Any]) -> None:
    """Attention in C++ asked for whole vectors whatever its problem said, of lengths too."""
    problem = problem_from_dict({**data, "device": "emu:gfx942"})
    op = get_op(problem.op)
    views = {role: view_of(tensor, role) for role, tensor in op.random_tensors(problem, 0).items()}
    for role in problem.roles:
        needed = gpu.alignment(problem, role)
        for by in (1, 2, 4, 8, 16):
            moved = replace(views[role], address=(1 << 44) + by)
            assert bool(op.mismatches(problem, {**views, role: moved})) == (by < needed), (role, by, needed)


ATTENTION = {"op": "fmha", "batch": 2, "heads_q": 4, "seqlen_q": 130, "seqlen_k": 200, "hdim_q": 64, "dtype": "fp16",
             "device": "cuda:0"}  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"bias": "elementwise"},
        {"mode": "group"},
        {"num_splits": 4, "family": "fwd_splitkv"},
        {"family": "bwd", "lse": True},
        {"family": "bwd", "lse": True, "bias": "elementwise"},
        {"family": "bwd", "lse": True, "bias": "elementwise", "dbias": True},
    ],
    ids=str,
)
def test_launches_of_attention_are_those_of_python(more: dict[str, Any], selection_library: Path) -> None:
    """A dictionary that is extended where it is stayed as it was for the functions that hold it."""
    given, device = {**ATTENTION, **more}, nominal_device("sm_90")
    problem = problem_from_dict(given)
    ranked = default_registry(["triton"]).select(problem, None, device)
    candidates = list({r.candidate.spec.algorithm.label(): r.candidate for r in ranked[::-1]}.values())
    selection = Selection([c.spec for c in candidates], Settings.from_env(), selection_library, "triton")
    roles = enumerate(triton_parts.FMHA.roles(problem))
    addresses = {role: STAND_IN + i * APART + gpu.slack(problem, role) for i, role in roles}
    for place, candidate in enumerate(candidates):
        request = {"problem": given, "kernel": place, "launch": canonical(candidate.launch), "device": device.to_dict()}
        ok, answer = selection.ask("lower", request)
        assert ok, answer
        size, launches = triton_parts.attention_launches(
            candidate, problem, device.units, addresses, STAND_IN + gpu.WORKSPACE * APART
        )
        assert (answer["workspace"], answer["launches"]) == (size, json.loads(json.dumps(launches))), (
            candidate.spec.name
        )


def detected(facts: dict[str, Any]) -> Any:
    from tilewright.backends.gpu.detect import device_of

    return device_of(facts)
