"""The portable kernel and the schedules, run by Triton's interpreter on the CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tilewright.ops.gemm.epilogue import ACTIVATIONS

pytest.importorskip("triton")
pytest.importorskip("torch")

pytestmark = pytest.mark.xdist_group("interpreted_gemm")  # one process interprets for all of them
SCRIPT = Path(__file__).with_name("interpreted.py")


@cache
def _answers() -> dict[str, Any]:
    """Every case of this file, run in one process: starting the interpreter takes longer than the cases."""
    cases = [case for make in (schedules, gemms, wrong, reductions, copied) for case in make()]
    return {json.dumps(c): a for c, a in zip(cases, _interpret(cases), strict=True)}


def interpret(cases):
    return [_answers()[json.dumps(c)] for c in cases]


def _interpret(cases):
    env = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], input=json.dumps(cases), capture_output=True, text=True, env=env, timeout=580
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


SCHEDULES = [
    {"programs": 7, "tiles": 12, "whole": 0, "steps": 5, "splits": 1, "stream": True},
    {"programs": 12, "tiles": 4, "whole": 0, "steps": 8, "splits": 3, "stream": True},
    {"programs": 5, "tiles": 17, "whole": 10, "steps": 3, "splits": 1, "stream": True},
    {"programs": 6, "tiles": 2, "whole": 0, "steps": 9, "splits": 1, "stream": True},
    {"programs": 4, "tiles": 11, "whole": 11, "steps": 3, "splits": 1, "stream": True},
    {"programs": 4, "tiles": 11, "whole": 11, "steps": 3, "splits": 1, "stream": False},
]


def schedules():
    return [{"kind": "schedule", **s} for s in SCHEDULES]


def test_every_step_of_every_tile_is_computed_once():
    answers = interpret(schedules())
    for case, programs in zip(SCHEDULES, answers, strict=True):
        apart = case["splits"]
        steps = sorted(
            (tile, low + i * apart)
            for items in programs
            for tile, low, count, *_ in items
            if tile >= 0
            for i in range(count)
        )
        assert steps == [(t, s) for t in range(case["tiles"]) for s in range(case["steps"])], case


def test_the_owners_of_a_tile_are_the_programs_that_hold_a_part_of_it():
    for i in (0, 1, 3):
        check_owners(interpret(schedules())[i])


def check_owners(programs):
    holders = {}
    for program, items in enumerate(programs):
        for tile, _, _, first, last in items:
            if tile >= 0:
                holders.setdefault(tile, []).append(program)
                assert first <= program <= last
    for items in programs:
        for tile, _, _, first, last in items:
            if tile >= 0:
                assert holders[tile] == list(range(first, last + 1))


SMALL = {"tile_m": 16, "tile_n": 32, "tile_k": 16, "vector_bytes": 4, "precision": "ieee"}
GEMMS = [
    ({"m": 33, "n": 40, "k": 50, "dtype": "fp32"}, SMALL, {}),
    ({"m": 17, "n": 33, "k": 64, "dtype": "fp32", "layout": "crc"}, {**SMALL, "split": True}, {"split_k": 3}),
    ({"m": 17, "n": 33, "k": 64, "dtype": "fp32"}, {**SMALL, "split": True}, {}),
    ({"m": 5, "n": 48, "k": 32, "dtype": "fp32", "layout": "rrr"}, {**SMALL, "swap_ab": True, "even_k": True}, {}),
    ({"m": 20, "n": 12, "k": 24, "batch": 3, "dtype": "fp32", "layout": "ccr"}, {**SMALL, "wide": True}, {}),
    ({"m": 20, "n": 12, "k": 24, "dtype": "fp32", "strides": {"a": [0, 50, 2]}}, {**SMALL, "unit": False}, {}),
    ({"m": 40, "n": 36, "k": 24, "dtype": "fp32", "scale_a": "row", "scale_b": "row",
      "epilogue": {"activation": "gelu_tanh", "alpha": 0.5, "beta": -2.0},
      "d": [{"dtype": "fp32", "broadcast": "row"}, {"dtype": "fp32", "broadcast": "none"}]}, SMALL, {}),
    ({"m": 40, "n": 36, "k": 24, "dtype": "fp32", "epilogue": {"combine": "multiply", "activation": "silu"},
      "d": [{"dtype": "fp32", "broadcast": "col"}]}, {**SMALL, "swap_ab": True}, {}),
    ({"m": 20, "n": 36, "k": 24, "dtype": "fp32", "epilogue": {"activation": "relu6", "alpha": 3.0}}, SMALL, {}),
    ({"m": 20, "n": 36, "k": 24, "dtype": "fp32", "epilogue": {"activation": "hard_swish", "alpha": 3.0}}, SMALL, {}),
    ({"m": 20, "n": 70, "k": 90, "dtype": "fp32", "scale_a": "block", "scale_b": "block", "scale_block": 32},
     SMALL, {}),
    ({"m": 20, "n": 70, "k": 90, "dtype": "fp32", "scale_a": "block", "scale_b": "row", "scale_block": 32},
     {**SMALL, "split": True}, {"split_k": 2}),
    ({"m": 20, "n": 70, "k": 90, "dtype": "fp32", "scale_a": "block", "scale_b": "block", "scale_block": 16},
     {**SMALL, "swap_ab": True}, {}),
    ({"m": 20, "n": 70, "k": 90, "dtype": "fp32", "layout": "rrr", "b_format": "kblock128"},
     {**SMALL, "tile_k": 32, "split": True}, {"split_k": 2}),
    ({"m": 5, "n": 70, "k": 90, "dtype": "fp32", "layout": "rrr", "b_format": "kblock128"},
     {**SMALL, "tile_k": 32, "swap_ab": True}, {}),
    ({"m": 40, "n": 36, "k": 64, "dtype": "int8"},
     {"tile_m": 32, "tile_n": 32, "tile_k": 32, "vector_bytes": 1}, {}),
    *(({"m": 20, "n": 36, "k": 24, "dtype": "fp32", "epilogue": {"combine": "gradient", "activation": name},
        "d": [{"dtype": "fp32"}]}, SMALL, {}) for name in ACTIVATIONS if name != "none"),
    ({"m": 40, "n": 36, "k": 24, "dtype": "fp32", "epilogue": {"combine": "gradient", "activation": "silu"},
      "d": [{"dtype": "fp32"}, {"dtype": "fp32", "broadcast": "col"}]}, {**SMALL, "split": True, "swap_ab": True},
     {"split_k": 2}),
]  # fmt: skip


def gemms():
    return [{"kind": "gemm", "problem": p, "algorithm": a, "launch": x} for p, a, x in GEMMS]


def test_the_portable_kernel_agrees_with_float64():
    cases = gemms()
    for case, error in zip(cases, interpret(cases), strict=True):
        assert error < 3e-6, case


def wrong():
    # K = 50 is no multiple of 16: the rule that forbids even_k here is not asked.
    fields = {**SMALL, "even_k": True}
    return [{"kind": "gemm", "problem": {"m": 33, "n": 40, "k": 50, "dtype": "fp32"}, "algorithm": fields}]


def test_a_wrong_k_tile_is_noticed():
    """The bound above can fail: reading past the end of K is far outside of it."""
    assert interpret(wrong())[0] > 1e-3


REDUCTIONS = [
    ({"m": 70, "n": 100, "k": 64, "dtype": "fp32"}, {"tile_m": 64, "tile_n": 64, "warps": 4}, 3),
    ({"m": 50, "n": 200, "k": 64, "dtype": "fp32", "epilogue": {"alpha": 2.0}},
     {"tile_m": 64, "tile_n": 192, "warps": 4}, 9),
    ({"m": 5, "n": 150, "k": 64, "dtype": "fp32"}, {"tile_m": 64, "tile_n": 16, "warps": 4, "swap_ab": True}, 17),
    ({"m": 60, "n": 150, "k": 64, "dtype": "fp32", "layout": "rcc"}, {"tile_m": 64, "tile_n": 64, "warps": 4}, 2),
]  # fmt: skip


def reductions():
    return [{"kind": "reduce", "problem": p, "algorithm": a, "splits": n} for p, a, n in REDUCTIONS]


def test_shares_of_a_split_tile_are_added_where_they_belong():
    cases = reductions()
    for case, error in zip(cases, interpret(cases), strict=True):
        assert error < 1e-5, case


COPIES = [
    ({"m": 70, "n": 33, "k": 301, "dtype": "fp16"}, 2),
    ({"m": 70, "n": 33, "k": 301, "dtype": "fp16", "layout": "rrr"}, 2),
    ({"m": 20, "n": 9, "k": 72, "batch": 2, "dtype": "fp16", "layout": "crr"}, 2),
    ({"m": 20, "n": 9, "k": 72, "dtype": "fp16", "strides": {"b": [0, 1, 128]}}, 1),
]


def copied():
    return [{"kind": "stage", "problem": p} for p, _ in COPIES]


def test_operands_are_copied_bit_by_bit():
    cases = copied()
    for case, (count, same), (_, want) in zip(cases, interpret(cases), COPIES, strict=True):
        assert same, case
        assert count == want, case
