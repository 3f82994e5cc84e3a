"""Large attentions on a GPU: tensors and references by torch, here on the CPU, against NumPy's."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.on_device import _random_large, on_host, quick_check
from tilewright.ops.fmha.reference import all_expected

FMHA = get_op("fmha")
SIZES = {"op": "fmha", "batch": 3, "heads_q": 4, "heads_kv": 2, "seqlen_q": 33, "seqlen_k": 40, "hdim_q": 16,
         "dtype": "fp16"}  # fmt: skip
CASES = {
    "fwd": {"lse": True},
    "top-left": {"mask": "causal_top_left"},
    "rows-without-keys": {"mask": "causal_bottom_right", "seqlen_k": 20, "lse": True},
    "paged": {"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": 48, "page_size": 16},
    "bwd": {"family": "bwd", "lse": True},
    "bwd-causal": {"family": "bwd", "lse": True, "mask": "causal_bottom_right"},
}


@pytest.mark.parametrize("name", CASES)
def test_a_reference_result_passes_and_another_does_not(name):
    p = problem_from_dict({**SIZES, **CASES[name]})
    tensors = _random_large(p, seed=1)
    arrays = on_host(tensors)
    wanted = {role: x.value for role, x in all_expected(p, arrays).items()}
    check = quick_check(p, tensors)
    for role in p.outputs:
        tensors[role].copy_(torch.from_numpy(wanted[role]))
    main = p.outputs[0]
    assert check(tensors[main]).ratio < 0.7
    FMHA.verify(p, {**arrays, **on_host({r: tensors[r] for r in p.outputs})}, on_host({main: tensors[main]})[main],
                tier="float64").require(p.label())  # fmt: skip
    assert not check(tensors[main] * 1.1).ok
    assert not check(tensors[main].clone().fill_(float("nan"))).ok
