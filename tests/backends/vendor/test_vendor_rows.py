"""The kept times of libraries are measurements of vendor kernels that a store takes and selection uses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tilewright.backends.plain import spec_from_dict
from tilewright.model.device import Device
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.select.chain import Measured
from tilewright.settings import Settings
from tilewright.store import Store, merge_file, read_rows

pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet files are not read")
ROWS = Path(__file__).parents[3] / "benchmarks" / "data" / "vendor.parquet"


def test_every_row_is_a_vendor_kernel_on_a_problem_of_its_signature() -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    for row in read_rows(ROWS):
        spec, problem = spec_from_dict(row.spec), problem_from_dict(row.problem)
        assert (spec.backend, spec.digest, spec.signature) == ("vendor", row.spec_digest, problem.signature)
        assert row.tuning_key == problem.tuning_key
        assert row.ok
        kinds[spec.arch, spec.op] += 1
    assert {op for arch, op in kinds if arch == "sm_90"} == {"gemm", "conv", "fmha"}


def test_a_store_with_these_rows_gives_times_of_another_version(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    merge_file(store, ROWS)
    row = next(row for row in read_rows(ROWS) if row.spec["algorithm"].get("library") == "blas")
    candidate, problem = Candidate(spec_from_dict(row.spec)), problem_from_dict(row.problem)
    true, stale, other = Measured(store, Settings.from_env()).known(problem, [candidate], Device(**row.device))
    assert (true, other) == ([], [])
    assert stale[0].seconds == row.seconds
    assert stale[0].reason.startswith("stale: measured on another build")
