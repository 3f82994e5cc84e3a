"""The reference through torch agrees with NumPy's and finds one wrong element; on the host, where torch runs too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from tilewright.errors import ProblemError, VerificationError
from tilewright.ops.gemm import OP, on_device
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.verify import has_epilogue
from tilewright.ops.tolerance import Tolerance

CASES: list[dict[str, Any]] = [
    {"dtype": "fp16", "layout": "ccr"},
    {"dtype": "bf16", "batch": 3, "strides": {"b": [0, 1, 200]}},
    {"dtype": "int8"},
    {"dtype": "fp8", "scale_a": "row", "scale_b": "tensor", "epilogue": {"alpha": 0.5}},
    {"dtype": "fp8", "dtype_out": "bf16", "scale_a": "block", "scale_b": "block", "scale_block": 64},
    {"dtype": "fp32", "d": [{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32"}],
     "epilogue": {"activation": "gelu_erf", "beta": 2.0}},
    {"dtype": "fp32", "d": [{"dtype": "fp32", "broadcast": "col"}],
     "epilogue": {"activation": "silu", "combine": "multiply"}},
]  # fmt: skip


def made(fields: dict[str, Any]) -> tuple[GemmProblem, dict[str, Any], Tolerance]:
    problem = GemmProblem.from_dict({"m": 70, "n": 50, "k": 200, **fields})
    tolerance = Tolerance.of(problem.dtype_out, problem.dtype_acc, problem.k, epilogue=has_epilogue(problem))
    return problem, on_device.random_tensors(problem, 5), tolerance


@pytest.mark.parametrize("fields", CASES)
def test_the_rounded_reference_passes_and_one_wrong_element_does_not(fields: dict[str, Any], monkeypatch: Any) -> None:
    import torch

    monkeypatch.setattr(on_device, "CHUNK_BYTES", 8 * 200 * 20)  # several pieces
    problem, tensors, tolerance = made(fields)
    want = OP.expected(problem, on_device.to_host(tensors)).value
    out = torch.from_numpy(want).to(tensors["out"].dtype)
    found = on_device.verify(problem, tensors, out, tolerance)
    assert found.ok, found
    assert found.tier == "device"
    place = (*([1] if problem.batch > 1 else []), 61, 7)
    out[place] = float("nan") if out.dtype.is_floating_point else out[place] + 1
    wrong = on_device.verify(problem, tensors, out, tolerance)
    assert not wrong.ok
    assert wrong.where == place


def test_outputs_are_poisoned() -> None:
    _, tensors, _ = made({"dtype": "fp16"})
    assert tensors["out"].isnan().all()
    _, tensors, _ = made({"dtype": "int8"})
    assert (tensors["out"] == -(2**31) + 1).all()


def test_a_reference_that_differs_from_numpy_is_not_trusted(monkeypatch: Any) -> None:
    monkeypatch.setattr(on_device, "REFERENCE_ERROR", -1.0)
    problem, tensors, tolerance = made({"dtype": "fp16"})
    with pytest.raises(VerificationError, match="differs from NumPy"):
        on_device.verify(problem, tensors, tensors["out"], tolerance)


def test_the_device_tier_needs_a_device() -> None:
    problem, tensors, _ = made({"dtype": "fp16"})
    with pytest.raises(VerificationError, match="needs tensors on a GPU"):
        OP.verify(problem, tensors, tensors["out"], tier="device")
    with pytest.raises(ProblemError, match="negative"):
        made({"dtype": "fp16", "strides": {"a": [0, -200, 1]}})


CONVS: list[dict[str, Any]] = [
    {"direction": "forward", "dtype": "fp16", "stride": [2, 1], "d": [{"dtype": "fp16", "broadcast": "row"}],
     "epilogue": {"activation": "relu"}},
    {"direction": "backward_data", "dtype": "bf16", "stride": 2, "pad": [[1, 0], [2, 1]]},
    {"direction": "backward_weight", "dtype": "fp16", "dilation": 2, "pad": 2},
]  # fmt: skip


@pytest.mark.parametrize("fields", CONVS, ids=lambda f: f["direction"])
def test_convolutions_are_compared_on_the_device(fields: dict[str, Any]) -> None:
    import torch

    from tilewright.ops.conv import OP as CONV
    from tilewright.ops.conv import ConvProblem
    from tilewright.ops.conv.on_device import device_checker, random_tensors

    sizes = {"n": 3, "g": 2, "c": 8, "k": 12, "input": [9, 11], "filter": [3, 3]}
    p = ConvProblem.from_dict({**sizes, **fields})
    tensors = random_tensors(p, 3)
    assert tensors[p.result].isnan().all()
    want = CONV.expected(p, on_device.to_host(tensors)).value
    tensors[p.result].copy_(torch.from_numpy(want))
    check: Any = device_checker(p, tensors)
    assert check(tensors[p.result]).ok
    check.queue(tensors[p.result])
    wrong = tensors[p.result].clone()
    wrong[1, 2, 0, 0] += 0.5
    check.queue(wrong)
    assert [v.ok for v in check.results()] == [True, False]
    found = check(wrong)
    assert not found.ok
    assert found.where == (1, 2, 0, 0)
    with pytest.raises(VerificationError, match="needs tensors on a GPU"):
        CONV.verify(p, tensors, wrong, tier="device")


def test_a_convolution_may_share_its_input_but_not_walk_it_backwards() -> None:
    from tilewright.ops.conv import ConvProblem
    from tilewright.ops.conv.on_device import random_tensors

    sizes = {"direction": "forward", "n": 2, "c": 4, "k": 4, "input": [5, 5], "filter": [3, 3], "dtype": "fp16"}
    shared = random_tensors(ConvProblem.from_dict({**sizes, "strides": {"input": [0, 4, 1, 20, 4]}}), 3)["input"]
    assert shared.stride(0) == 0
    assert (shared[0] == shared[1]).all()
    assert shared.float().std() > 0.5
    with pytest.raises(ProblemError, match="negative"):
        random_tensors(ConvProblem.from_dict({**sizes, "strides": {"input": [100, 4, 1, -20, 4]}}), 3)


ATTENTIONS: list[dict[str, Any]] = [
    {"dtype": "bf16", "mask": "causal_top_left", "lse": True, "layout": "bhsd"},
    {"dtype": "fp16", "family": "batch_prefill", "page_size": 4, "mode": "group", "lookup": "sglang", "total_q": 12},
    {"dtype": "fp16", "family": "bwd", "dropout": 0.1},
    {"dtype": "bf16", "family": "fwd_appendkv", "seqlen_new": 3, "rope": "half", "rotary_dim": 16},
    {"dtype": "fp8", "qscale": "pertensor"},
]


@pytest.mark.parametrize("fields", ATTENTIONS, ids=lambda f: f.get("family", f["dtype"]))
def test_attention_tensors_of_torch_hold_what_arrays_do(fields: dict[str, Any]) -> None:
    import torch

    from tilewright.ops.fmha import OP as FMHA
    from tilewright.ops.fmha import FmhaProblem
    from tilewright.ops.fmha.on_device import on_host, random_tensors
    from tilewright.ops.fmha.reference import all_expected

    sizes = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 9, "seqlen_k": 13, "hdim_q": 32}
    p = FmhaProblem.from_dict({**sizes, **fields})
    arrays, tensors = FMHA.random_tensors(p, 3), random_tensors(p, 3)
    for role, x in on_host(tensors).items():
        assert tensors[role].stride() == p.stride(role)
        np.testing.assert_array_equal(x, arrays[role].astype(x.dtype))
    for role, want in all_expected(p, arrays).items():
        tensors[role].copy_(torch.from_numpy(want.value))
    host, main = on_host(tensors), p.outputs[0]
    assert FMHA.verify(p, host, host[main]).ok
    wrong = host[main].copy()
    wrong.flat[0] += 4.0
    assert not FMHA.verify(p, host, wrong).ok
