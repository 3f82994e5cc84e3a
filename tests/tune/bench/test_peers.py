"""Peers compute the same answer as the reference, into touched memory of their own, or say why they cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.errors import MissingExtraError, UnknownNameError
from tilewright.ops import get_op, problem_from_dict
from tilewright.tune.bench.peers import PeerCall, Unable, get_peer, parse_peers
from tilewright.tune.bench.peers_numpy import WIDENED, NumpyPeer

BASE = {"op": "gemm", "m": 24, "n": 20, "k": 16, "dtype": "fp32", "layout": "rrr"}
D = [{"dtype": "fp32", "broadcast": "row"}]
EPILOGUES: list[dict[str, Any]] = [
    {},
    {"layout": "rcr"},
    {"layout": "crc"},
    {"batch": 3},
    {"epilogue": {"alpha": 0.5}},
    {"d": D},
    {"d": [*D, {"dtype": "fp32"}], "epilogue": {"beta": 2.0, "alpha": 3.0}},
    {"d": [{"dtype": "fp32", "broadcast": "col"}], "epilogue": {"combine": "multiply", "beta": 0.5}},
    *(
        {"d": D, "epilogue": {"activation": a}}
        for a in ("relu", "gelu_tanh", "sigmoid", "tanh", "silu", "relu6", "hard_swish")
    ),
]


def peer_of(name: str) -> Any:
    if name == "torch":
        pytest.importorskip("torch", reason="torch is not installed (make test TORCH=)")
    return get_peer(name)


def run(peer: Any, data: dict[str, Any]) -> tuple[Any, Any, Any]:
    problem = problem_from_dict(data)
    tensors = get_op("gemm").random_tensors(problem, seed=1)
    assert peer.limit_threads(1) is None
    return problem, tensors, peer.prepare(problem, tensors)


@pytest.mark.parametrize("fields", EPILOGUES, ids=str)
@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_a_peer_computes_the_same(name: str, fields: dict[str, Any]) -> None:
    problem, tensors, answer = run(peer_of(name), {**BASE, **fields})
    assert isinstance(answer, PeerCall), answer
    answer.call()
    verification = get_op("gemm").verify(problem, tensors, answer.out)
    assert verification.ok, verification
    assert not np.shares_memory(answer.out, tensors["out"])


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "int8"])
def test_torch_computes_narrow_types(dtype: str) -> None:
    problem, tensors, answer = run(peer_of("torch"), {**BASE, "m": 32, "n": 32, "k": 32, "dtype": dtype})
    assert isinstance(answer, PeerCall), answer
    answer.call()
    loose = 2.0**-8 if dtype != "int8" else 0.0  # torch may accumulate bf16 and fp16 in pieces
    assert get_op("gemm").verify(problem, tensors, answer.out, product_error=loose).ok


@pytest.mark.parametrize(
    ("name", "fields", "reason"),
    [
        ("numpy", {"dtype": "bf16"}, "no fast product of bf16"),
        ("numpy", {"dtype": "int8"}, "int8"),
        ("numpy", {"epilogue": {"activation": "gelu_erf"}}, "erf"),
        ("torch", {"dtype": "int8", "batch": 2}, "no batch"),
        ("torch", {"dtype": "fp8"}, "no product of fp8"),
        ("torch", {"dtype": "int8", "scale_a": "row"}, "scaled"),
        ("torch", {"strides": {"a": [384, -16, 1]}}, "negative strides"),
        *((name, {"prologue_a": [{"op": "relu"}]}, "prologues are not compared") for name in ("numpy", "torch")),
    ],
)
def test_a_peer_that_cannot_says_why(name: str, fields: dict[str, Any], reason: str) -> None:
    _, _, answer = run(peer_of(name), {**BASE, **fields})
    assert isinstance(answer, Unable)
    assert reason in answer.reason


def test_numpy_can_be_widened_and_says_so() -> None:
    _, tensors, answer = run(NumpyPeer(widen=True), {**BASE, "dtype": "bf16"})
    assert isinstance(answer, PeerCall)
    assert answer.what == WIDENED
    answer.call()
    np.testing.assert_allclose(answer.out, tensors["a"].astype("f4") @ tensors["b"].astype("f4"), rtol=1e-5, atol=1e-5)


def test_names() -> None:
    assert parse_peers(" torch , numpy,torch") == ["torch", "numpy"]
    with pytest.raises(UnknownNameError, match="did you mean 'numpy'"):
        parse_peers("nunpy")
    assert [get_peer("numpy").name] == ["numpy"]


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)  # what Python itself does to make an import fail
    with pytest.raises(MissingExtraError, match=r"pip install 'tilewright\[torch\]'"):
        get_peer("torch")


def test_versions_name_the_library() -> None:
    assert np.__version__ in get_peer("numpy").version()
