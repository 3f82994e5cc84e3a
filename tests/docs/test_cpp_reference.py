"""docs/cpp-reference.md names every public member of the C++ headers, and the roles of every op in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tilewright
from tilewright.ops import get_op, problem_from_dict

PAGE = (Path(__file__).parents[2] / "docs" / "cpp-reference.md").read_text()
HEADERS = Path(tilewright.__file__).parent / "cpp" / "include" / "tilewright"
TYPES = ("Problem", "Builder", "Gemm", "Conv", "Attention", "Bundle", "Registry", "Dispatcher", "Plan", "Packed", "Gpu",
         "Error")  # fmt: skip
# What the parts have for each other.
INTERNAL = {"answered", "ask", "load", "gpu_kernels", "runtime", "reserve", "device", "driver", "facts"}
MEMBER = re.compile(
    r"^  (?! |friend|using|return)[\w:<>&*, \[\]]*?[ &*](\w+)\([^;]*?\)(?: const)?(?:;| [{:])", re.MULTILINE
)


def public_members(name: str) -> set[str]:
    """Return the names of the functions in the public part of a class."""
    for header in HEADERS.glob("*.hpp"):
        found = re.search(rf"^class {name}\b[^;]*?{{\n(.*?)^}};", header.read_text(), re.MULTILINE | re.DOTALL)
        if found:
            public = re.split(r"^ (?:private|protected):", found[1], flags=re.MULTILINE)[0]
            return set(MEMBER.findall(public)) - {name} - INTERNAL
    raise AssertionError(f"no class {name}")


@pytest.mark.parametrize("name", TYPES)
def test_every_member_has_a_line(name: str) -> None:
    members = public_members(name)
    assert members
    assert [m for m in sorted(members) if not re.search(rf"[`:]{m}\b", PAGE)] == []


FORWARD = {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 1, "hdim_q": 16, "dtype": "fp32"}
CONV = {"op": "grouped_conv", "n": 1, "c": 8, "k": 8, "input": [4, 4], "filter": [3, 3], "dtype": "fp32",
        "d": [{"dtype": "fp32", "broadcast": "row"}]}  # fmt: skip
PROBLEMS: dict[str, dict[str, Any]] = {
    "`Gemm`": {"op": "gemm", "m": 4, "n": 8, "k": 8, "dtype_a": "int8", "dtype_b": "int8", "dtype_out": "bf16",
               "scale_a": "tensor", "scale_b": "row", "d": [{"dtype": "fp32"}, {"dtype": "bf16"}]},
    "`Conv::forward`": {**CONV, "direction": "forward"},
    "`Conv::backward_data`": {**CONV, "direction": "backward_data"},
    "`Conv::backward_weight`": {**CONV, "direction": "backward_weight", "d": []},
    "`Attention`": {**FORWARD, "lse": True, "bias": "elementwise", "kv_lengths": True},
    "`Attention` with `backward()`": {**FORWARD, "family": "bwd"},
    "`Attention` with `splits(n)`, `paged(...)`": {**FORWARD, "family": "fwd_splitkv", "num_splits": 2, "page_size": 16,
                                                   "num_pages": 8, "seqlen_k": 64},
    "`Attention` with `append_kv(n)`, `rope(...)`": {**FORWARD, "family": "fwd_appendkv", "seqlen_new": 1,
                                                     "rope": "half", "rotary_dim": 16, "seqlen_k": 64},
}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_roles_stand_in_their_order(name: str) -> None:
    problem = problem_from_dict(PROBLEMS[name])
    line = next(row for row in PAGE.splitlines() if row.startswith(f"| {name} |"))
    listed = re.findall(r"(\*?)`(\w+)`\*?(?=,| \|)", line.split("|")[2] + "|")
    roles = [role for _, role in listed]
    assert [r for r in roles if r in problem.roles] == list(problem.roles)
    written = set(get_op(problem.op).out_roles(problem))
    assert {role for star, role in listed if star} & set(problem.roles) == written
