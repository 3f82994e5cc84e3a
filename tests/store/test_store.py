"""The store keeps what it is given, merges without duplicates, and reads its own files in every format."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_rows import FORMATS, row

from tilewright.errors import SchemaError, StoreError
from tilewright.model.canonical import canonical
from tilewright.model.device import Device
from tilewright.ops import problem_from_dict
from tilewright.select.chain import Measured
from tilewright.store import Measurement, Missed, Store, read_rows, write_rows


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [row(0), row(1, status="crash", samples=(), message="signal 11", error=None, tolerance=None, tier=None)]
    with Store(tmp_path / "s.sqlite") as store:
        store.put(rows)
        assert list(store.rows()) == rows
        assert [r.tuning_key for r in store.rows(status="crash")] == ["t1"]
        assert store.counts() == [("gemm", "cpu", "a", "crash", 1, 1), ("gemm", "cpu", "a", "ok", 1, 1)]
        with pytest.raises(StoreError, match="colour"):
            list(store.rows(colour="red"))


def test_a_later_measurement_replaces_an_earlier_one_of_the_same_host(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        store.put([row(at=1.0)])
        store.put([row(at=2.0, samples=(1e-6,))])
        store.put([row(at=3.0, host="another")])
        assert [(r.host, r.seconds) for r in store.rows()] == [("h", 1e-6), ("another", 2e-6)]


def test_time_of_a_measurement() -> None:
    assert row().seconds == 2e-6
    assert row(policy={"statistic": "median"}, samples=(1.0, 5.0, 2.0)).seconds == 2.0
    assert row(samples=()).seconds == float("inf")
    with pytest.raises(SchemaError, match="status"):
        row(status="fine")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_holds_every_field(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="the extra 'tune' is not installed")
    rows = [row(0), row(1, status="hang", samples=(), message="no answer", tier=None, error=None)]
    assert write_rows(rows, tmp_path / name) == 2
    back = list(read_rows(tmp_path / name))
    assert [r.id for r in back] == [r.id for r in rows]
    for got, want in zip(back, rows, strict=True):
        assert got.samples == pytest.approx(want.samples, rel=1e-6)
        assert replace(got, samples=want.samples) == want


def test_half_a_line_at_the_end_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows([row(0), row(1)], path)
    path.write_text(path.read_text()[: -len('{"rows":2}\n') - 20])
    assert [r.tuning_key for r in read_rows(path)] == ["t0"]
    assert "line 2 is truncated" in caplog.text


def test_files_of_another_schema_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({**row().to_dict(), "schema": 99}) + "\n")
    with pytest.raises(SchemaError, match="99"):
        list(read_rows(path))
    path.write_text(json.dumps({**row().to_dict(), "colour": 1}) + "\n")
    with pytest.raises(SchemaError, match="colour"):
        list(read_rows(path))
    with pytest.raises(StoreError, match=r"rows\.xyz"):
        write_rows([], tmp_path / "rows.xyz")
    with pytest.raises(StoreError, match="does not exist"):
        list(read_rows(tmp_path / "absent.jsonl"))
    with Store(tmp_path / "s.sqlite") as store:
        store.put([row()])
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as db, db:
        db.execute("UPDATE meta SET value = '99'")
    db.close()
    with pytest.raises(SchemaError, match="99"):
        Store(tmp_path / "s.sqlite").counts()


ROWS = st.lists(
    st.builds(
        lambda n, host, at: row(n, host=host, at=float(at), samples=(1e-6 * (at + 1),)),
        st.integers(0, 3), st.sampled_from("ab"), st.integers(0, 3),
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(0, 12))
def test_merging_is_the_same_in_any_order_and_any_parts(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Measurement], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    kept = []
    for name, parts in (("a", [rows]), ("b", [rows[cut:], rows[:cut], rows])):
        with Store(folder / f"{name}.sqlite") as store:
            counts = [store.merge(part) for part in parts]
            assert sum(new for new, _ in counts) == len({r.id for r in rows})
            kept.append({r.id: (r.at, r.samples) for r in store.rows()})
    assert kept[0] == kept[1]


def _write(path: str, start: int) -> None:
    with Store(path) as store:
        for i in range(20):
            store.put([row(start + i)])


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sqlite")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, 100 * i)) for i in range(2)]
    for w in writers:
        w.start()
    for w in writers:
        w.join()
    with Store(path) as store:
        assert len(store) == 40
        assert store.check() == []


def test_the_ledger_weighs_problems_by_time_and_forgets_measured_ones(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        device = row().device_digest
        store.miss([Missed(f"t{i}", device, {"op": "gemm", "m": i}, 1, s, "learned") for i, s in enumerate((1.0, 3.0))])
        store.miss([Missed("t0", device, {"op": "gemm", "m": 0}, 4, 1.0, "analytical")])
        assert [(e.tuning_key, e.count, e.weight) for e in store.missed()] == [("t0", 5, 5.0), ("t1", 1, 3.0)]
        store.put([row(0)])
        assert [e.tuning_key for e in store.missed()] == ["t1"]
        assert store.forget_missed() == 2
        assert store.missed() == []


def test_a_store_that_cannot_be_used_says_which(tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_text("this is no database, but long enough to be looked at as one" * 20)
    with pytest.raises(StoreError, match=r"s\.sqlite"):
        Store(tmp_path / "s.sqlite").counts()


def test_an_op_is_found_by_any_of_its_names(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        store.put(
            [Measurement({"op": "grouped_conv"}, "t", {"backend": "cpu", "arch": "a"}, "s", {}, "b", {"name": "d"})]
        )
        assert [len(list(store.rows(op=name))) for name in ("conv", "grouped_conv", "gemm")] == [1, 1, 0]


def test_what_this_process_writes_is_held_at_once_and_what_others_write_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"})
    here, other = Device("d", "x86_64_v3", 1), Device("another", "x86_64_v3", 1)
    path = tmp_path / "s.sqlite"
    first, second = (
        replace(row(0), tuning_key=problem.tuning_key, device=canonical(device)) for device in (here, other)
    )
    asked = Measured(Store(path))
    assert not asked.rows(problem, here)
    Store(path).put([first])
    assert asked.rows(problem, here)
    monkeypatch.setattr("tilewright.select.chain.UNSEEN_S", 1e9)
    assert not asked.rows(problem, other)
    writes = Store.writes
    Store(path).put([second])
    monkeypatch.setattr(Store, "writes", writes)  # as if another process had written it
    assert not asked.rows(problem, other)
    monkeypatch.setattr("tilewright.select.chain.UNSEEN_S", 0.0)
    assert asked.rows(problem, other)
