"""The contract: every pair of declared values is in the list or refused by a rule, and the list is right on the CPU."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from contract_cover import all_pairs, pairs_of
from contract_generate import LISTS, declared
from contract_page import EXPLAINED_BY, PAGE, RESULTS, refusals
from contract_run import Case, Runner, all_cases, by_new_pairs, rows_in, run_cases
from contract_space import Space, declared_fields, fields_without_values
from contract_targets import SPACES, TARGETS, Target

from tilewright.ops.conv.signature import ConvSignature
from tilewright.ops.fmha.rules import NAMES
from tilewright.ops.gemm import GemmProblem
from tilewright.ops.gemm.epilogue import DTensor, Epilogue
from tilewright.ops.gemm.signature import GemmSignature

CPU = Target("cpu cpu", "cpu", "", "cpu")
RENEW = "run `python tests/contract/contract_generate.py` and commit the lists"
SAMPLE = {"gemm": 31, "conv": 19, "fmha": 19}  # `make test` runs one of so many cases


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_every_field_has_values(space: Space) -> None:
    assert fields_without_values(space) == []
    gone = {name for f in space.factors for name in f.fields} - {*declared_fields(space.problem), "data"}
    assert not gone, f"{sorted(gone)} are no fields of {space.problem.__name__} any more"


def test_a_new_field_is_noticed() -> None:
    @dataclass(frozen=True)
    class Wider(GemmProblem):
        zero_point: int = 0

    found = fields_without_values(replace(SPACES["gemm"], problem=Wider))
    assert found == ["field zero_point of Wider has no values in the contract"]


def test_declared_names_are_values() -> None:
    """What an op lists as allowed is what its factors have: a new name is in the contract at once."""
    allowed = {
        "gemm": {**GemmSignature.ALLOWED, **Epilogue.ALLOWED},
        "conv": {**ConvSignature.ALLOWED, **Epilogue.ALLOWED},
        "fmha": NAMES,
    }
    for op, tables in allowed.items():
        values = {f.name: set(f.values) for f in SPACES[op].factors}
        for name, names in tables.items():
            if isinstance(names, tuple):
                assert values[name] == set(names), f"{op}: {name}"
    for op in ("gemm", "conv"):
        values = {f.name: set(f.values) for f in SPACES[op].factors}
        assert values["d_dtype"] >= set(DTensor.ALLOWED["dtype"])
        assert values["d"] >= {f"one_{b}" for b in DTensor.ALLOWED["broadcast"]}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_the_list_is_current(space: Space) -> None:
    known = json.loads((LISTS / f"{space.op}.jsonl").read_text().splitlines()[0])["declared"]
    now = json.loads(json.dumps(declared(space)))
    new = {name: [v for v in values if v not in known.get(name, [])] for name, values in now.items()}
    missing = {name: values for name, values in new.items() if values or name not in known}
    assert not missing, f"values of {space.op} that no row shows: {missing}; {RENEW}"
    assert now == known, RENEW


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_every_pair_is_shown_or_refused(space: Space) -> None:
    shown = {pair for case in all_cases() if case.op == space.op for pair in pairs_of(space, case.choice)}
    refused = [refusals(space.op, target.name) for target in TARGETS]
    lost = [p for p in all_pairs(space) if p not in shown and not all(p in r for r in refused)]
    assert not lost, f"{len(lost)} pairs, such as {sorted(lost[0])}: neither shown nor refused; {RENEW}"


def test_the_page_is_of_the_kept_rows_and_all_are_right() -> None:
    page = PAGE.read_text().splitlines()
    for path in RESULTS.glob("contract_*.jsonl"):
        rows = rows_in(path)
        assert [row["id"] for row in rows if row["state"] not in ("right", "refused")] == [], path.name
        target = rows[0]["target"]
        for op in SPACES if target in EXPLAINED_BY else ():
            right = sum(row["op"] == op and row["state"] == "right" for row in rows)
            assert any(line.startswith(f"| {target} | {op} | {right:,} | 0 |") for line in page), (target, op, right)


def test_cases_that_show_most_run_first() -> None:
    """What a run that is stopped has shown: half of the cases show nearly all pairs, and known rows count."""
    cases = [c for c in all_cases() if c.op == "conv"][::6]
    target, known = replace(CPU, arch="x86_64_v3"), [{"id": cases[0].id, "state": "right"}]
    order = by_new_pairs(cases[1:], target, known)
    assert sorted(c.id for c in order) == sorted(c.id for c in cases[1:])

    def shown(some: list[Case]) -> int:
        return len({pair for c in [cases[0], *some] for pair in pairs_of(SPACES["conv"], c.choice)})

    half = len(order) // 2
    assert shown(order[:half]) > max(shown(cases[1:][:half]), 0.85 * shown(order))


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("op", SPACES)
def test_a_sample_is_right_on_the_cpu(op: str, part: int) -> None:
    cases = [c for c in all_cases() if c.op == op][:: SAMPLE[op]][part::2]
    rows = list(run_cases(Runner(CPU), cases, jobs=1))
    bad = [row for row in rows if row["state"] not in ("right", "refused")]
    assert not bad, "\n".join(json.dumps(row) for row in bad)
    assert sum(row["state"] == "right" for row in rows) > len(rows) // 3


@pytest.mark.gpu
def test_the_list_on_a_gpu(tmp_path: Path) -> None:
    """Every eighth case; `contract_run.py --backend triton --device cuda:0` runs all of them."""
    cases = all_cases()[::8]
    rows = list(run_cases(Runner(Target("triton cuda:0", "triton", "", "cuda:0")), cases))
    bad = [row for row in rows if row["state"] not in ("right", "refused")]
    assert not bad, "\n".join(json.dumps(row) for row in bad)
