"""Counts of compiled AMD kernels: what is counted, what is read from files, and what a ranking makes of them."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from tilewright.arch import get_arch
from tilewright.backends import backend_names, cost_reason, device_at, get_backend_op
from tilewright.backends.gpu import kernel_counts
from tilewright.backends.gpu.kernel_counts import FILE, counts_from_row, counts_of, rows_of
from tilewright.backends.plain import spec_from_dict
from tilewright.emulator import Memory, Tally, kernel_of, launch
from tilewright.emulator.counts import multiply_adds
from tilewright.errors import SchemaError
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.verify.count import add_counts

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "data" / "counted_pairs.jsonl").read_text().splitlines()]
KERNEL = """\
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
k:
 v_lshlrev_b32 v1, {shift}, v0
 v_mov_b32 v2, 0
 ds_write_b32 v1, v2
 s_waitcnt lgkmcnt(0)
 v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[2:3], a[0:15]
 s_endpgm
 .amdhsa_kernel k
 .amdhsa_group_segment_fixed_size 65536
 .amdhsa_next_free_vgpr 32
 .amdhsa_accum_offset 16
 .end_amdhsa_kernel
"""


@pytest.mark.parametrize(("shift", "cycles"), [(2, 2), (3, 4), (7, 64)])
def test_lanes_that_meet_in_a_bank_take_turns(shift: int, cycles: int) -> None:
    """64 lanes, 32 at a time: one after the other in memory, in every second bank, and all in one bank."""
    kernel, tally = kernel_of(KERNEL.format(shift=shift)), Tally(32)
    launch(kernel, Memory(), b"", (1,), (64,), tally=tally)
    found = tally.counts(kernel)
    assert (found["lds_cycles"], found["lds_ideal"]) == (cycles, 2)
    assert {name: n for name, n in found.items() if n and not name.startswith("lds_")} == {
        "matrix": 1, "lds": 1, "vector": 2, "wait": 1, "branch": 1, "multiply_adds": 32 * 32 * 8,
    }  # fmt: skip


def test_nothing_is_counted_unless_it_is_asked_for() -> None:
    report = launch(kernel_of(KERNEL.format(shift=2)), Memory(), b"", (2,), (64,))
    assert report.wave_instructions == 12


@pytest.mark.parametrize(
    ("opcode", "products"),
    [("v_mfma_f32_16x16x16_f16", 4096), ("v_mfma_f32_4x4x4_16b_f16", 1024), ("v_wmma_f32_16x16x16_bf16", 4096),
     ("v_mfma_f32_32x32x8f16", 8192), ("v_smfmac_f32_16x16x32_f16", 8192), ("v_mul_f32", 0), ("v_dot2_f32_f16", 0)],
)  # fmt: skip
def test_products_of_matrix_instructions(opcode: str, products: int) -> None:
    assert multiply_adds(opcode) == products


def predicted(row: dict[str, Any], problem: Any) -> float:
    """The real cost model's seconds for a kernel with these counts."""
    spec = spec_from_dict(row["spec"])
    op = get_backend_op(spec.backend, spec.op)
    assert op.check(spec, get_arch(spec.arch), problem) == ()
    counts = counts_from_row(row)
    with patch.object(kernel_counts, "_own", return_value={counts.digest: counts}):
        assert cost_reason(op, spec) == "smallest predicted time, by counts of the compiled kernel"
        return op.predict(Candidate(spec), problem, device_at(problem.device, Settings()))


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{p['why']}-{p['problem']['device']}" for p in PAIRS])
def test_pairs_of_known_order_are_ranked_right(pair: dict[str, Any]) -> None:
    problem = problem_from_dict(pair["problem"])
    assert predicted(pair["faster"], problem) < predicted(pair["slower"], problem)


def test_there_are_thirty_pairs_of_every_kind_on_every_make() -> None:
    kinds = Counter(p["why"] for p in PAIRS)
    assert sum(kinds.values()) >= 30
    assert set(kinds) == {"spills", "bank conflicts", "lost occupancy", "wasted tails"}
    assert min(kinds.values()) >= 5
    assert {p["problem"]["device"][4:] for p in PAIRS} >= {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}


def test_by_tile_sizes_alone_most_pairs_could_not_be_told_apart() -> None:
    """The same kernels without their counts: only where tile sizes differ is anything known."""
    same = 0
    for pair in PAIRS:
        problem = problem_from_dict(pair["problem"])
        specs = [spec_from_dict(pair[side]["spec"]) for side in ("faster", "slower")]
        op, device = get_backend_op(specs[0].backend, specs[0].op), device_at(problem.device, Settings())
        times = [op.predict(Candidate(spec), problem, device) for spec in specs]
        same += times[0] == times[1]
    assert same >= 20


BAD: tuple[tuple[str, Any, str], ...] = (
    ("schema", 2, "schema 2 cannot be read"),
    ("digest", "xyz", "64 hex digits"),
    ("threads", -1, "whole number"),
    ("lds_bytes", 1.5, "whole number"),
    ("vector_registers", True, "whole number"),
    ("loop", {"matrix": 1}, "multiply_adds"),
    ("loop", {"surprises": 1}, "counts by name"),
    ("loop", [], "counts by name"),
    ("spec", {"arch": "sm_90"}, "AMD arch"),
    ("more", 1, "unknown field 'more'"),
)


@pytest.mark.parametrize(("name", "value", "said"), BAD)
def test_a_bad_row_is_refused_by_name(name: str, value: Any, said: str) -> None:
    row = {**copy.deepcopy(PAIRS[0]["faster"]), name: value}
    with pytest.raises(SchemaError, match=said):
        counts_from_row(row)
    with pytest.raises(SchemaError, match="object"):
        counts_from_row([row])


def test_counts_of_another_kernel_are_refused() -> None:
    row = {**PAIRS[0]["faster"], "digest": "0" * 64}
    with pytest.raises(SchemaError, match="another kernel"):
        kernel_counts._table([("line 1", row)])


@pytest.mark.parametrize(
    "backend", [n for n in backend_names() if (Path(kernel_counts.__file__).parents[1] / n / FILE).is_file()]
)
def test_shipped_counts_are_those_of_legal_kernels(backend: str) -> None:
    rows = list(rows_of(Path(kernel_counts.__file__).parents[1] / backend / FILE))
    assert rows
    for _, row in rows[::7]:
        spec = spec_from_dict(row["spec"])
        assert counts_of(spec) == counts_from_row(row)
        assert get_backend_op(backend, spec.op).check(spec, get_arch(spec.arch)) == ()
    assert len({row["digest"] for _, row in rows}) == len(rows)


def test_a_compiled_kernel_with_conflicts_or_less_room_is_judged_slower(tmp_path: Path) -> None:
    """Compiled here: a product, the same without swizzled LDS, and the same code that asks for all of LDS."""
    pytest.importorskip("triton")
    from kernel_variants import compiled, counted, gemm, with_descriptor

    spec = gemm("gfx942", tile_m=64, tile_n=64, tile_k=32)
    compiled(spec, tmp_path / "plain")
    compiled(spec, tmp_path / "flat", swizzle=False)
    with_descriptor(tmp_path / "plain", tmp_path / "alone", lds_bytes=65536)
    plain, flat, alone = (counted(spec, tmp_path / name) for name in ("plain", "flat", "alone"))
    assert flat["loop"]["lds_cycles"] > 2 * flat["loop"]["lds_ideal"] == 2 * plain["loop"]["lds_cycles"]
    problem = problem_from_dict(
        {"op": "gemm", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp16", "device": "emu:gfx942"}
    )
    times = [predicted(row, problem) for row in (plain, alone, flat)]
    assert times == sorted(times)
    assert np.all(np.diff(times) > 0)
    slower, faster = (counts_from_row(row) for row in (alone, plain))
    assert (slower.resident, slower.loop) == (1, faster.loop)


def test_a_file_of_ones_own_is_used_and_a_damaged_one_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    row, path = PAIRS[0]["faster"], tmp_path / "counts.jsonl"
    spec = spec_from_dict(row["spec"])
    monkeypatch.setenv("TILEWRIGHT_KERNEL_COUNTS", str(path))
    for text, found in ((json.dumps(row) + "\n", counts_from_row(row)), ("{", None), ('{"schema": 7}', None)):
        path.write_text(text)
        kernel_counts._own.cache_clear()
        assert counts_of(spec) == found
        assert (found is None) == ("judged without your own counts" in caplog.text)
    monkeypatch.delenv("TILEWRIGHT_KERNEL_COUNTS")
    kernel_counts._own.cache_clear()


def test_counts_are_added_once(tmp_path: Path) -> None:
    rows = [PAIRS[0]["faster"], PAIRS[-1]["faster"], PAIRS[0]["faster"]]
    assert [add_counts(tmp_path / "c.jsonl", rows), add_counts(tmp_path / "c.jsonl", rows)] == [2, 0]
    assert [row for _, row in rows_of(tmp_path / "c.jsonl")] == rows[:2]


def test_explain_says_what_a_prediction_rests_on() -> None:
    from tilewright.backends import by_cost
    from tilewright.backends.ck_tile.gemm import preselected_kernels

    problem = problem_from_dict(
        {"op": "gemm", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp16", "device": "emu:gfx942"}
    )
    counted = preselected_kernels("fp16_rcr_essential", "gfx942")[0]
    other = counted.with_algorithm(pad_k=True)
    ranked = by_cost(problem, [Candidate(counted), Candidate(other)], device_at("emu:gfx942", Settings()))
    reasons = {r.candidate.spec: r.reason for r in ranked}
    assert reasons[counted].endswith("by counts of the compiled kernel")
    assert reasons[other].endswith("by tile sizes")
