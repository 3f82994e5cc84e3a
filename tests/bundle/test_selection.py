"""The translated program answers as the engine does in Python: ranks, descriptions and errors."""

from __future__ import annotations

import ctypes
import json
import re
from pathlib import Path
from typing import Any

import pytest
from bundle_cases import RANDOM, Selection, kernel_row
from same_choice import Case, round_of

from tilewright.cpp import engine
from tilewright.cpp.selection import BACKENDS, NATIVE, selection_program
from tilewright.dispatcher import nominal_device
from tilewright.errors import TilewrightError
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

pytestmark = pytest.mark.xdist_group("bundle")


@pytest.mark.parametrize("selector", [s for s in engine.SELECTORS if s != "learned"])
@pytest.mark.parametrize("op", list(RANDOM))
def test_every_answer_is_that_of_the_engine_in_python(op: str, selector: str, selection_library: Path) -> None:
    problems, registry = round_of(Case(op, "cpu", "x86_64_amx"), 6, seed=1)
    device, specs = nominal_device("x86_64_amx"), [e.spec for e in registry.entries()]
    selection = Selection(specs, Settings.from_env(), selection_library)
    kernels = engine.load([kernel_row(s) for s in specs])
    for given, _ in problems:
        request = {"problem": given, "device": device.to_dict(), "selector": selector, "order": [*range(len(specs))]}
        assert selection.ask("rank", request) == (True, json.loads(json.dumps(engine.rank(kernels, request)))), given
        assert selection.ask("describe", given) == (True, json.loads(json.dumps(engine.describe(given))))


WRONG = [
    {"op": "gemm", "m": -1, "n": 4, "k": 2, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "dtype": "fp32"},
    {"op": "gemm", "m": -(1 << 63), "n": (1 << 63) - 1, "k": 0, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp23"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "gp16"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32 \U0001f642 \u00fc \t"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "layuot": "rcr"},
    {"op": "gemm", "m": 4.0, "n": True, "k": 4, "dtype": "fp32"},
    {"op": "gemm", "m": 1 << 40, "n": 1 << 40, "k": 4, "dtype": "fp32"},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "epilogue": {"activation": "swish"}},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "d": [{"broadcast": "row"}]},
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "groups": 2},
    {"op": "conv3", "m": 4},
    {"op": "conv", "direction": "forward", "n": 1, "c": 4, "k": 4, "input": [4, 4], "filter": [9, 9], "dtype": "fp32"},
    {"op": "conv", "direction": "sideways", "n": 1, "c": 4, "k": 4, "input": [4, 4], "filter": [3, 3], "dtype": "fp32"},
    {"op": "fmha", "batch": 1, "heads_q": 6, "heads_kv": 4, "seqlen_q": 8, "hdim_q": 300, "dtype": "fp32"},
    {"op": "fmha", "batch": "two", "heads_q": 6, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32", "mask": "causal"},
    {"op": "fmha", "batch": 1, "heads_q": 4, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32", "dropout": 1.5},
]  # fmt: skip


@pytest.mark.parametrize("data", WRONG, ids=lambda d: json.dumps(d)[:60])
def test_the_same_error(data: dict[str, Any], selection_library: Path) -> None:
    selection = Selection([], Settings.from_env(), selection_library)
    ok, answer = selection.ask("describe", data)
    assert not ok
    with pytest.raises(TilewrightError) as raised:
        engine.describe(data)
    error = raised.value
    # Whole numbers beyond 64 bits are shown as real numbers.
    said, meant = (re.sub(r"\d{20,}|\d\.\d+e\+\d+", "#", text) for text in (answer["message"], error.message))
    assert (answer["type"], said) == (type(error).__name__, meant)
    assert answer["remedy"] == (error.remedy or "")


def test_no_kernel_says_why(selection_library: Path) -> None:
    device = nominal_device("x86_64_amx")
    problem = problem_from_dict({"op": "gemm", "m": 4, "n": 64, "k": 64, "dtype": "fp32"})
    ranked = default_registry(["cpu"]).select(problem, None, device)
    specs = [r.candidate.spec for r in ranked if r.candidate.spec.algorithm.pipeline == "skinny"][:4]
    selection = Selection(specs, Settings.from_env(), selection_library)
    large = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}
    request = {
        "problem": large,
        "device": device.to_dict(),
        "selector": "cost",
        "order": [*range(len(specs))],
        "threads": 1,
    }
    ok, answer = selection.ask("choose", request)
    assert not ok
    assert answer["type"] == "SelectionError"
    assert "cpu.gemm.skinny_rows" in answer["message"]


@pytest.mark.parametrize("end", [0, 1, 40, 5000, -1])
def test_a_truncated_program_is_refused(end: int, selection_library: Path) -> None:
    library, text = ctypes.CDLL(str(selection_library)), json.dumps(selection_program("cpu")).encode()
    handle, answer = ctypes.c_void_p(), ctypes.c_char_p()
    assert library.tw_selection_open(text[:end], b"[]", ctypes.byref(handle), ctypes.byref(answer)) == 1
    assert json.loads(answer.value or b"")["type"] == "SchemaError"
    assert handle.value is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_method_of_a_program_is_known_to_the_evaluator(backend: str) -> None:
    known = set(re.findall(r'(?:name|n) == "(\w+)"', (NATIVE / "value_methods.hpp").read_text()))
    known.add("fromkeys")  # of the class dict, which `value_types.hpp` makes
    of_python = {name for kind in (str, list, tuple, dict, set, int) for name in dir(kind)}
    bodies = (f["body"] for f in selection_program(backend)["functions"])
    called = {row[1] for body in bodies for row in nodes(body) if row[:1] == ["method"]}
    assert (called & of_python) - known == set()
    assert called & of_python


def nodes(row: Any) -> Any:
    """Yield every list inside of a body."""
    if isinstance(row, list):
        yield row
        for part in row:
            yield from nodes(part)
