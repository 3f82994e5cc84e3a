"""Families: what was computed for one shape and used for others is what each shape would get by itself."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.backends import get_backend
from tilewright.dispatcher import nominal_device
from tilewright.model.device import Device
from tilewright.model.extent import ENDS, Extent, Watch, range_of
from tilewright.model.kernel import Candidate
from tilewright.model.kin import kin_of
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings

FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: x > 1,
    lambda x: x * 64 >= 1 << 31,
    lambda x: -(-x // 64) * 12 <= 1 << 20,
    lambda x: -(-x // 64) * 3 % 7 == 2,
    lambda x: (x + 3) * 2 - 1 < 300,
    lambda x: x % 8 == 0,
    lambda x: x & -x,
    lambda x: max(x, 17) // 16,
    lambda x: [x // 16, abs(-x) // 48].index(x // 16),
    lambda x: 3 if x == 0 else 1000 // x,
    lambda x: x * x - x > 4000,
    lambda x: hash((x // 32, "tiles")),
    lambda x: 0.5 * x < 40,
    lambda x: bool(x) and range(x // 128 + 1)[-1],
]


@given(st.integers(0, len(ENDS) - 8).flatmap(lambda at: st.tuples(*[st.integers(ENDS[at] + 1, ENDS[at + 1])] * 2)))
def test_an_answer_holds_for_all_that_it_depended_on(sizes: tuple[int, int]) -> None:
    first, second = sizes
    assert range_of(first) == range_of(second)
    for function in FUNCTIONS:
        watch = Watch()
        answer = function(Extent.of(first, watch))
        assert answer == function(first)
        same = not watch.exact and (not watch.block or watch.blocks([first]) == watch.blocks([second]))
        assert not same or function(second) == answer


@pytest.mark.parametrize(("function", "exact", "block"), [
    (lambda x: x > 1, False, 0),
    (lambda x: x > 200, True, 0),
    (lambda x: -(-x // 48) > 5, False, 48),
    (lambda x: (x // 48) * (x // 32) > 50, False, 16),
    (lambda x: (x // 48) * x > 5000, True, 0),
    (lambda x: f"{x}" and x * 2 < 1 << 20, False, 0),
])  # fmt: skip
def test_what_an_answer_depends_on(function: Any, exact: bool, block: int) -> None:
    watch = Watch()
    function(Extent.of(300, watch))
    assert (watch.exact, watch.block) == (exact, block)


def cases(rng: random.Random, device: Device, place: str, dtype: str) -> Iterator[list[dict[str, Any]]]:
    """Problems of families of every op: the extents that change are drawn."""
    for layout, batch in (("rcr", 1), ("crr", 1), ("rrr", 3)):
        base = {"op": "gemm", "n": rng.choice((8, 100, 512)), "k": rng.choice((16, 100, 512)), "layout": layout}
        yield [{**base, "batch": batch, "m": rng.choice((1, 2, 17, 40, 100, 129, 500, 3000, 70000))} for _ in range(9)]
    for direction, size in (("forward", 3), ("forward", 1), ("backward_data", 3), ("backward_weight", 1)):
        base = {"op": "grouped_conv", "direction": direction, "g": rng.choice((1, 4)), "c": 128, "k": 64,
                "input": [14, 14], "filter": [size, size], "pad": [size // 2] * 2}  # fmt: skip
        yield [{**base, "n": rng.choice((1, 2, 5, 17, 40, 100, 300))} for _ in range(7)]
    for family in ("fwd", "bwd", "fwd_splitkv"):
        base = {"op": "fmha", "family": family, "heads_q": 8, "heads_kv": rng.choice((2, 8)), "hdim_q": 64}
        yield [
            {**base, "batch": rng.choice((1, 4)), "seqlen_q": rng.choice((1, 17, 500)), "seqlen_k": keys}
            for keys in (1, 64, 100, 300, 2000, 2100, 9000)
        ]


@pytest.mark.parametrize("where", ["cpu", "sm_90"])
def test_shapes_of_a_family_get_the_candidates_of_their_own(where: str) -> None:
    registry, rng = default_registry(), random.Random(7)
    device = get_backend("cpu").devices(Settings.from_env())[0] if where == "cpu" else nominal_device(where)
    place, dtype = ("cpu", "fp32") if where == "cpu" else ("cuda:0", "fp16")

    def told(candidates: list[Candidate]) -> list[tuple[str, Any]]:
        return [(c.spec.digest, c.launch) for c in candidates]

    for family in cases(rng, device, place, dtype):
        for fields in family:
            problem = problem_from_dict({**fields, "dtype": dtype, "device": place})
            found = registry.legal(problem, device)
            own: list[Candidate] = []
            for op, tree in registry._alone(problem, device):
                own += op._computed(tree, problem, device)
            assert told(found) == told(own), problem.label()


@pytest.mark.parametrize(("fields", "name"), [
    ({"op": "gemm", "n": 512, "k": 512}, "m"),
    ({"op": "grouped_conv", "direction": "forward", "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3]}, "n"),
    ({"op": "fmha", "batch": 1, "heads_q": 8, "hdim_q": 64, "seqlen_q": 200}, "seqlen_k"),
])  # fmt: skip
def test_from_its_second_shape_on_a_family_shares_its_list(fields: dict[str, Any], name: str) -> None:
    """The first shape makes no family: most shapes of a program that never changes them have no second one."""
    registry, device = default_registry(), nominal_device("sm_90")
    shapes = [problem_from_dict({**fields, name: n, "dtype": "fp16", "device": "cuda:0"}) for n in (900, 898, 899)]
    first, second, third = (registry.legal(p, device) for p in shapes)
    assert second is third
    assert first is not second
    assert first == second
    assert name in get_op(fields["op"]).extents


def test_a_problem_whose_kin_is_known_can_be_sent_to_another_process() -> None:
    for fields in (
        {"op": "gemm", "m": 4, "n": 8, "k": 8},
        {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 16, "hdim_q": 32},
    ):
        known = problem_from_dict({**fields, "dtype": "fp32"})
        extents = get_op(known.op).extents
        kin = kin_of(known, extents)
        copied = pickle.loads(pickle.dumps(known))
        assert copied == known
        assert kin_of(copied, extents) is kin
