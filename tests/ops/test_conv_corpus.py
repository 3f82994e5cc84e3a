"""The committed problem lists agree with the script that makes them, and every line is a problem."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tilewright.ops import problem_from_dict

ROOT = Path(__file__).parents[2]
PROBLEMS = ROOT / "benchmarks" / "problems"


def lines(name):
    return [json.loads(text) for text in (PROBLEMS / name).read_text().splitlines()]


@pytest.mark.parametrize("script", ["conv_corpus.py", "cpu_tails.py"])
def test_files_are_what_the_script_writes(script):
    command = [sys.executable, str(ROOT / "scripts" / script), "--check"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_corpus_is_large_and_without_doubles():
    data = lines("conv_corpus.jsonl")
    problems = [problem_from_dict(d) for d in data]
    assert len({p.exact_key for p in problems}) == len(data) >= 1500
    assert set(Counter(p.direction for p in problems)) == {"forward", "backward_data", "backward_weight"}
    assert {p.dims for p in problems} == {1, 2, 3}
    assert {p.kind for p in problems} == {"dense", "pointwise", "grouped", "depthwise"}
    assert len({p.n for p in problems}) >= 4


@pytest.mark.parametrize("name", ["conv_cpu.jsonl", "conv_gpu.jsonl"])
def test_lists_hold_twenty_shapes_of_each_kind(name):
    sys.path.insert(0, str(ROOT / "scripts"))
    from conv_corpus import BUCKETS, DIRECTIONS, bucket

    count = Counter((bucket(d), d["direction"]) for d in lines(name))
    assert set(count) == {(b, d) for b in BUCKETS for d in DIRECTIONS}
    assert min(count.values()) >= 20


def test_layers_of_resnet50_are_the_known_ones():
    sys.path.insert(0, str(ROOT / "scripts"))
    from networks import NETWORKS

    convs = list(NETWORKS["resnet50"]())
    assert len(convs) == 53
    assert (convs[0].k, convs[0].filter, convs[0].stride, convs[0].pad) == (64, (7, 7), (2, 2), (3, 3))
    weights = sum(v.k * v.c // v.g * v.filter[0] * v.filter[1] for v in convs)
    assert weights == 23_454_912
    assert convs[-1].input == (7, 7)


def test_tails_have_every_class_in_every_direction():
    sys.path.insert(0, str(ROOT / "scripts"))
    from conv_corpus import DIRECTIONS
    from cpu_tails import CONV_CLASSES, ROWS, conv_class, gemm_class

    count = Counter((conv_class(d), d["direction"]) for d in lines("conv_cpu_tails.jsonl"))
    assert set(count) == {(c, d) for c in CONV_CLASSES for d in DIRECTIONS}
    assert min(count.values()) >= 5
    products = Counter(gemm_class(d) for d in lines("gemm_cpu_tails.jsonl"))
    assert set(products) == {"square", *(f"M={m}" for m in ROWS)}
    everything = [problem_from_dict(d) for name in ("conv", "gemm") for d in lines(f"{name}_cpu_tails.jsonl")]
    assert len({p.exact_key for p in everything}) == len(everything)
