"""Problems: parsing, keys, and errors that list every mistake."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.errors import ProblemError, UnknownNameError
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm import Epilogue, GemmProblem

DESIGN_LINES = [
    '{"op":"gemm","m":4096,"n":4096,"k":4096,"batch":1,"dtype":"fp16","layout":"rcr"}',
    '{"op":"gemm","m":64,"n":4096,"k":4096,"dtype_a":"fp8","dtype_b":"fp8","dtype_out":"bf16","scale_a":"row",'
    '"scale_b":"tensor","layout":"rcr","epilogue":{"combine":"add","activation":"gelu_tanh","alpha":1.0},'
    '"d":[{"dtype":"bf16","broadcast":"row"}]}',
]

problems = st.builds(
    lambda m, n, k, b, dtype, layout, act: problem_from_dict(
        {
            "op": "gemm",
            "m": m,
            "n": n,
            "k": k,
            "batch": b,
            "dtype": dtype,
            "layout": layout,
            "epilogue": {"activation": act},
        }
    ),
    *[st.integers(0, 5000)] * 3,
    st.integers(0, 4),
    st.sampled_from(["fp32", "fp16", "bf16", "int8", "fp8"]),
    st.sampled_from(["rrr", "rcr", "ccc"]),
    st.sampled_from(["none", "relu"]),
)


@pytest.mark.parametrize("line", DESIGN_LINES)
def test_documented_problem_lines_are_read(line: str) -> None:
    p = problem_from_dict(json.loads(line))
    assert p.flops == 2 * p.m * p.n * p.k


@given(problems)
def test_json_form_round_trips(p: GemmProblem) -> None:
    again = problem_from_dict(json.loads(json.dumps(p.to_dict())))
    assert again == p
    assert (again.exact_key, again.tuning_key) == (p.exact_key, p.tuning_key)


@given(problems, problems)
def test_equal_keys_mean_equal_problems(p: GemmProblem, q: GemmProblem) -> None:
    assert (p.exact_key == q.exact_key) == (p == q)


def test_strides_enter_the_exact_key_and_alignment_the_tuning_key() -> None:
    p = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32", "layout": "rrr"})
    wide, odd = (replace(p, strides={"a": (0, ld, 1)}) for ld in (128, 65))
    assert len({p.exact_key, wide.exact_key, odd.exact_key}) == 3
    assert p.tuning_key == wide.tuning_key != odd.tuning_key


def test_all_mistakes_at_once() -> None:
    with pytest.raises(ProblemError, match=r"3 mistakes.*m is -1.*k is 2\.5.*split_k is 0"):
        problem_from_dict({"op": "gemm", "m": -1, "n": 2, "k": 2.5, "split_k": 0, "dtype": "fp32"})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dtype": "flp16"}, "did you mean 'fp16'"),
        ({"layuot": "rcr"}, "did you mean 'layout'"),
        ({"layout": "rxr"}, "unknown gemm layout"),
        ({"epilogue": "Geluu"}, "did you mean 'Gelu'"),
        ({"epilogue": {"activation": "rellu"}}, "did you mean 'relu'"),
        ({"epilogue": {"alhpa": 2.0}}, "did you mean 'alpha'"),
        ({"d": [{"dtype": "fp32", "brodcast": "row"}]}, "did you mean 'broadcast'"),
        ({"scale_a": "rows"}, "did you mean 'row'"),
    ],
)
def test_unknown_names_suggest_the_nearest(fields: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32", **fields})


@pytest.mark.parametrize("data", [[], {"m": 1}, {"op": "gemm", "m": 1}, {"op": "gem"}])
def test_what_is_no_problem_is_refused(data: object) -> None:
    with pytest.raises((ProblemError, UnknownNameError)):
        problem_from_dict(data)


def test_ck_names_mean_what_they_say() -> None:
    assert Epilogue.parse("MultiDMultiply") == Epilogue(combine="multiply")
    assert Epilogue.parse("Gelu").activation == "gelu_erf"
    assert Epilogue.parse("PassThrough") == Epilogue()


@pytest.mark.parametrize("op", ["gemm", "grouped_conv", "fmha"])
def test_fields_of_the_wrong_kind_are_listed_whatever_the_op(op: str) -> None:
    with pytest.raises(ProblemError, match="3 mistakes") as caught:
        problem_from_dict({"op": op, "d": 5, "strides": [1], "device": 0})
    assert "strides is [1]; it must be an object" in str(caught.value)
    with pytest.raises(ProblemError, match="op is"):
        problem_from_dict({"op": [op]})


WIDE = {"strides": {"q": [2**59, 2**59, 64, 1]}}
SHARED = {role: [0, 8, 1] for role in ("a", "b", "out")}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"op": "gemm", "m": 2**40, "n": 2**40, "k": 8}, ["out spans", "all matrices of the batch overflow"]),
        ({"op": "gemm", "m": 8, "n": 8, "k": 64, "strides": {"b": [0, 2**59, 1]}}, ["b spans"]),
        ({"op": "gemm", "m": 8, "n": 8, "k": 8, "batch": 2**60, "strides": SHARED},
         ["all matrices of the batch overflow"]),
        ({"op": "fmha", "batch": 2**30, "heads_q": 2**15, "seqlen_q": 2**20, "hdim_q": 64},
         ["q spans", "k spans", "v spans", "out spans"]),
        ({"op": "fmha", "batch": 2, "heads_q": 2, "seqlen_q": 64, "hdim_q": 64, **WIDE}, ["q spans"]),
    ],
)  # fmt: skip
def test_addresses_that_overflow_are_a_typed_error(data: dict[str, object], said: list[str]) -> None:
    with pytest.raises(ProblemError, match="overflow 64 bits") as caught:
        problem_from_dict({**data, "dtype": "fp16"})
    assert all(text in str(caught.value) for text in said)
    assert str(caught.value).count("overflow") == len(said)


PLAIN = {
    "gemm": {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp16"},
    "conv": {"op": "grouped_conv", "direction": "forward", "n": 1, "c": 8, "k": 8, "input": [4], "filter": [1],
             "dtype": "fp16"},
    "fmha": {"op": "fmha", "batch": 1, "heads_q": 1, "seqlen_q": 4, "hdim_q": 8, "dtype": "fp16"},
}  # fmt: skip


@pytest.mark.parametrize("op", PLAIN)
@pytest.mark.parametrize(
    ("name", "full"), [("cuda", "cuda:0"), ("hip", "hip:0"), ("emu:gfx942", "emu:gfx942"), ("cpu:0", "cpu")]
)
def test_a_place_has_one_name_and_one_exact_key(op: str, name: str, full: str) -> None:
    short, long = (problem_from_dict({**PLAIN[op], "device": d}) for d in (name, full))
    assert short.device == full
    assert short.exact_key == long.exact_key
    assert replace(long, device=name).exact_key == long.exact_key
    assert long.exact_key != replace(long, device="cuda:1").exact_key
