"""The audit of the rules: what it would compile, and how it judges what came out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "benchmarks" / "ck_tile"))

import ck_tile_audit as audit
import ck_tile_batch
import ck_tile_cases
import ck_tile_contract
import ck_tile_executed
import ck_tile_executed_page
import ck_tile_page

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op


@pytest.fixture(scope="module")
def work() -> list[ck_tile_cases.Case]:
    return ck_tile_cases.cases(["gfx1100"], ["gemm"], 1)


def test_every_case_is_legal_or_refused_by_the_one_rule_that_it_names(work):
    op, arch = get_backend_op("ck_tile", "gemm"), get_arch("gfx1100")
    for case in work:
        found = [r.rule for r in op.check(case.spec, arch)]
        assert found == ([case.rule] if case.side == "outside" else [])
    assert len({case.key for case in work}) == len(work)


@pytest.mark.parametrize(("arch", "acc", "out"), [("gfx950", "fp32", "fp8"), ("gfx1100", "int32", "fp16")])
def test_every_output_that_the_rules_allow_is_compiled(arch, acc, out):
    found = [c.spec.signature for c in ck_tile_cases.just_inside(list(ck_tile_cases.legal_gemms(arch)))]
    assert (acc, out) in {(s.dtype_acc, s.dtype_out) for s in found}
    assert (acc, "bf8") not in {(s.dtype_acc, s.dtype_out) for s in found}


def test_vectors_at_the_edge_of_what_registers_turn_are_compiled():
    found = ck_tile_cases.just_inside(list(ck_tile_cases.legal_convs("gfx90a")))
    edges = [ck_tile_cases.edge(case.spec, "") for case in found]
    assert ("backward_data", ("b", 8, 4)) in edges  # loads 8, of which 4 are a thread's share
    assert {edge[0] for edge in edges if edge} == {"backward_data", "backward_weight"}
    wide = {(c.spec.signature.direction, c.spec.signature.dtype_output) for c in found}
    assert ("forward", "fp32") in wide  # stores of more than 16 bytes


def test_dtypes_pipelines_layouts_and_most_rules_are_met(work):
    strata = [case.stratum() for case in work if case.side == "inside"]
    assert {s["dtypes"] for s in strata} == set(get_arch("gfx1100").warp_tiles)
    assert {s["pipeline"] for s in strata} >= {"mem", "compv3", "compv4"}
    assert {s["layout"] for s in strata} >= {"rcr", "rrr", "crr", "ccr"}
    assert len({case.rule for case in work if case.side == "outside"}) >= 8


def row(side: str, good: bool, rule: str = "", outcome: str = "ok", digest: str = "a" * 64) -> dict:
    where = {"op": "gemm", "arch": "gfx942", "dtypes": "x", "pipeline": "mem", "layout": "rcr"}
    return {**where, "digest": digest, "side": side, "rule": rule, "good": good, "outcome": outcome, "toolchain": "t"}


def test_disagreements_are_told_apart(capsys):
    rows = [
        row("inside", True),
        row("inside", False, outcome="inspect"),
        row("outside", False, "ck_tile.gemm.lds", "error"),
        row("outside", True, "ck_tile.gemm.lds"),
        row("outside", True, "ck_tile.gemm.cshuffle_repeat"),  # a known miscompile: compiling proves nothing
        row("inside", False, outcome="timeout"),
        row("outside", False, "ck_tile.gemm.emitted", "generator"),  # there was nothing to compile
    ]
    assert audit.report(rows) == 1
    said = capsys.readouterr().out
    assert "2 accepted kernels compiled: 1 false accepts" in said
    assert "2 refused neighbours compiled: 1 false refusals" in said
    assert "| gemm | gfx942 | 2 | 1 | 2 | 1 |" in audit.page(rows)


def test_results_of_another_toolchain_are_not_taken(tmp_path):
    path = tmp_path / "r.jsonl"
    assert audit.known(path, "t") == {}
    path.write_text(json.dumps(row("inside", True)) + "\n")
    assert list(audit.known(path, "t")) == ["a" * 64]
    assert audit.known(path, "other") == {}


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("90s", 90.0), ("15m", 900.0), ("2h", 7200.0)])
def test_budgets(text, seconds):
    assert audit.seconds_of(text) == seconds


def test_results_are_judged_by_the_rules_of_today(work):
    inside = next(case for case in work if case.side == "inside")
    tools = SimpleNamespace(identity="t")
    stale = audit.row_of(inside, tools, {"good": True, "outcome": "ok"}) | {"side": "outside", "rule": "gone"}
    assert [(r["side"], r["rule"]) for r in audit.judged_now([stale])] == [("inside", "")]
    refused = next(case for case in work if case.side == "outside")
    stale = audit.row_of(refused, tools, {"good": False, "outcome": "error"}) | {"side": "inside", "rule": ""}
    [mended] = audit.judged_now([stale])
    assert (mended["side"], mended["rule"], mended["was"]) == ("outside", refused.rule, "inside")
    assert refused.key[:8] in audit.page([mended]).partition("refused since")[2]


def test_todays_rules_agree_with_every_committed_result_and_the_page_says_so():
    rows = [json.loads(line) for line in audit.RESULTS.read_text().splitlines()]
    assert len({r["toolchain"] for r in rows}) == 1
    judged = committed()
    verdict = ck_tile_page.Verdict.of(judged)
    assert [r["digest"] for r in verdict.false_accepts] == []
    assert len(verdict.accepted) >= 200
    assert {r["rule"] for r in verdict.false_refusals} == set(ck_tile_page.REASONS)
    executed = ck_tile_executed_page.known()
    assert audit.page(judged, executed) == (ROOT / "docs" / "ck-tile-audit.md").read_text()


def test_few_kernels_are_refused_that_would_have_been_good():
    verdict = ck_tile_page.Verdict.of(committed())
    assert len(verdict.false_refusals) <= 0.05 * len(verdict.refused)


def committed():
    """The newest result of each kernel, on the side that today's rules put it."""
    rows = [json.loads(line) for line in audit.RESULTS.read_text().splitlines()]
    return audit.judged_now({r["digest"]: r for r in rows}.values())


def test_batches_hold_one_arch_op_and_side_and_miss_nothing(work):
    batches = audit.batches(work, 8)
    assert sorted(c.key for b in batches for c in b) == sorted(c.key for c in work)
    assert all(len({(c.spec.arch, c.spec.op, c.side) for c in b}) == 1 and len(b) <= 8 for b in batches)
    assert sorted(b[0].side for b in batches[:3]) == ["inside", "inside", "outside"]


LOG = """\
In file included from batch.cpp:1:
/x/include/ck_tile/core/a.hpp:34:19: error: static assertion failed: first
k1.hpp:5:3: note: in instantiation of 'tw_1::Kernel' requested here
k1.cpp:7:1: note: in instantiation of function template specialization 'kentry<1, tw_1::hot>' requested here
/x/include/ck_tile/ops/b.hpp:3:1: error: no member named 'second'
k3.cpp:7:1: note: in instantiation of function template specialization 'kentry<1, tw_3::hot>' requested here
/x/include/ck_tile/ops/b.hpp:4:1: error: follows from the first
k1.cpp:7:1: note: in instantiation of function template specialization 'kentry<1, tw_1::hot>' requested here
In file included from ./k5.hpp:1:
./k4.hpp:39:33: error: no type named 'Third' in 'tw_4'; did you mean 'tw_2::Third'?
k2.hpp:12:7: note: 'tw_2::Third' declared here
4 errors generated when compiling for gfx942.
"""
ASSEMBLY = """\
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
\t.type\t_Z4tw_1hot,@function
_Z4tw_1hot:
\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
.Lfunc_end0:
\t.amdhsa_kernel _Z4tw_1hot
\t.type\t_Z4tw_2hot,@function
_Z4tw_2hot:
\ts_endpgm
.Lfunc_end1:
\t.amdhsa_kernel _Z4tw_2hot
"""


def test_errors_of_a_batch_are_told_apart_by_kernel():
    marks = {f"tw_{i}": (f"tw_{i}", f"k{i}.hpp") for i in (1, 2, 3, 4, 5)}
    assert ck_tile_batch.blame(LOG, marks) == {
        "tw_1": "ck_tile/core/a.hpp:34:19: error: static assertion failed: first",
        "tw_3": "ck_tile/ops/b.hpp:3:1: error: no member named 'second'",
        "tw_4": "./k4.hpp:39:33: error: no type named 'Third' in 'tw_4'",
    }


def test_instructions_of_a_batch_are_told_apart_by_kernel():
    assert "v_mfma" in ck_tile_batch.share(ASSEMBLY, "tw_1")
    other = ck_tile_batch.share(ASSEMBLY, "tw_2")
    assert "v_mfma" not in other
    assert "s_endpgm" in other
    assert "gfx942" in other
    assert ck_tile_batch.stray_functions(ASSEMBLY) == set()
    assert ck_tile_batch.stray_functions(ASSEMBLY + "\t.type\thelper,@function\n") == {"helper"}


def executed_row(**fields) -> dict:
    common = {"backend": "ck_tile", "op": "gemm", "family": "standard", "arch": "gfx942", "digest": "a", "name": "k",
              "named": True, "compiled": "ok", "instances": "all", "executed": "right", "runs": [{}, {}]}  # fmt: skip
    return {**common, **fields}


def test_the_page_counts_what_was_executed_by_arch_family_and_state():
    rows = [
        executed_row(),
        executed_row(digest="b", instances="main", executed="wrong", why="tails: an LDS | race", named=False),
        executed_row(digest="c", backend="triton", op="fmha", family="bwd", arch="gfx1201", named=False, runs=[{}]),
        {**executed_row(digest="d", compiled="error", why="no LDS"), "executed": None, "runs": []},
    ]
    told = audit.page([], rows)
    assert "- CK Tile: 2 kernels executed, 1 of them of the preselected sets, 1 right; 4 executions." in told
    assert "- Triton: 1 kernels executed, 1 right; 1 executions." in told
    assert "| gemm | standard | gfx942 | 2 | 1 | 1 | 1 | 0 | 1 | 4 |" in told
    assert "| fmha | bwd | gfx1201 | 1 | 0 | 1 | 0 | 0 | 1 | 1 |" in told
    assert "- `k`: wrong: tails: an LDS / race" in told
    assert "- `k`: not compiled: no LDS" in told


def test_what_the_contract_executed_is_a_run_of_its_kernel():
    spec = ck_tile_executed.triton_kernels("gfx942", "gemm")[0]
    case = {"id": "gemm-1", "state": "right", "seconds": 2.0, "problem": "p", "spec": spec.to_dict()}
    refused = {"id": "gemm-2", "state": "refused", "rule": "r"}
    [new] = ck_tile_contract.with_contract([], [case, refused])
    assert (new["digest"], new["executed"], new["compiled"], new["ran"]) == (spec.digest, "right", "ok", 2.0)
    assert new["runs"] == [{"path": "contract gemm-1", "problem": "p", "launch": "-", "state": "right"}]
    known = executed_row(digest=spec.digest, runs=[{"path": "tails", "state": "right"}])
    bad = {**case, "id": "gemm-3", "state": "error", "message": "LDS race"}
    [row] = ck_tile_contract.with_contract([known], [case, case, bad])
    assert [r["path"] for r in row["runs"]] == ["tails", "contract gemm-1", "contract gemm-3"]
    assert (row["executed"], row["why"], row["instances"]) == ("wrong", "contract gemm-3: LDS race", "all")
    [row] = ck_tile_contract.with_contract([row], [{**case, "id": "gemm-3"}])
    assert (row["executed"], row.get("why")) == ("right", None)


def test_every_committed_execution_is_right_or_has_its_reason():
    rows = ck_tile_executed_page.known()
    assert len(rows) == len({r["digest"] for r in rows})
    assert [r["name"] for r in rows if r.get("executed") == "wrong"] == []
    assert all(r.get("why") for r in rows if r.get("executed") != "right")


def test_a_sample_of_triton_kernels_is_the_same_every_time():
    first = ck_tile_executed.triton_kernels("gfx942", "gemm")
    assert [s.digest for s in first] == [s.digest for s in ck_tile_executed.triton_kernels("gfx942", "gemm")]
    assert {s.arch for s in first} == {"gfx942"}
    assert len({s.signature for s in first}) >= 6
