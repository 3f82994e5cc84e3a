"""Measurements of many machines in one file: what stays, what is counted, in any order."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: there are no Parquet files to merge")
parquet = pytest.importorskip("pyarrow.parquet")

from measurements import some_rows

from tilewright.cli.app import run
from tilewright.errors import SchemaError
from tilewright.store import Store, read_rows, write_rows
from tilewright.store.union import union_parquet


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    return [replace(r, at=100.0, policy={"rounds": 3, "statistic": "least"}) for r in some_rows(6, problems=3)]


def union(folder: Path, *groups: list[Any]) -> tuple[Any, list[Any]]:
    files = []
    for number, group in enumerate(groups):
        files.append(folder / f"{number}.parquet")
        write_rows(group, files[-1])
    result = union_parquet(files, folder / "all.parquet")
    return result, list(read_rows(folder / "all.parquet"))


def key(row: Any) -> tuple[Any, ...]:
    return row.id, row.at, row.samples, row.status


def test_the_same_rows_twice_are_kept_once(rows: list[Any], tmp_path: Path) -> None:
    result, found = union(tmp_path, rows, rows)
    assert (result.rows, result.kept, result.same) == (2 * len(rows), len(rows), len(rows))
    assert sorted(map(key, found)) == sorted(map(key, read_rows(tmp_path / "0.parquet")))


def test_another_host_is_another_row(rows: list[Any], tmp_path: Path) -> None:
    result, _ = union(tmp_path, rows, [replace(r, host="another") for r in rows])
    assert (result.kept, result.same, result.conflicts) == (2 * len(rows), 0, 0)


def test_the_later_row_stays_in_any_order(rows: list[Any], tmp_path: Path) -> None:
    later = [replace(r, at=200.0, samples=(2 * r.samples[0],), policy={**r.policy, "rounds": 9}) for r in rows]
    for number, groups in enumerate(((rows, later), (later, rows))):
        folder = tmp_path / str(number)
        folder.mkdir()
        result, found = union(folder, *groups)
        assert (result.kept, result.replaced) == (len(rows), len(rows))
        assert {r.at for r in found} == {200.0}


def test_contradictions_are_counted_and_settled_the_same_way(rows: list[Any], tmp_path: Path) -> None:
    other = [replace(r, samples=(3 * r.samples[0],)) for r in rows]
    kept = []
    for number, groups in enumerate(((rows, other), (other, rows))):
        folder = tmp_path / str(number)
        folder.mkdir()
        result, found = union(folder, *groups)
        assert (result.kept, result.conflicts) == (len(rows), len(rows))
        kept.append(sorted(map(key, found)))
    assert kept[0] == kept[1]


def test_false_claims_are_set_aside_with_a_reason(rows: list[Any], tmp_path: Path) -> None:
    liars = [replace(rows[0], spec_digest="0" * 64, host="x"), replace(rows[1], tuning_key="1" * 64, host="y")]
    result, found = union(tmp_path, rows, liars)
    assert (result.kept, result.false) == (len(rows), 2)
    assert any("spec_digest 000000000000" in reason for reason in result.reasons)
    assert {r.host for r in found} == {"a host"}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("host", None), ("message", None), ("clocks", None), ("problem", None), ("samples", None), ("at", None),
        ("at", 10**14), ("at", -(2**63)), ("error", float("nan")), ("error", -1.0), ("tolerance", -1.0),
        ("clocks", "{"), ("clocks", "[]"), ("device", "3"), ("launch", "[]"), ("policy", "[]"),
        ("policy", '{"statistic": "dream"}'), ("status", "dream"), ("samples", [1e-3, None]), ("samples", [-1.0]),
    ],
)  # fmt: skip
def test_an_impossible_row_of_one_machine_costs_only_itself(
    column: str, value: Any, rows: list[Any], tmp_path: Path
) -> None:
    """The merged file of all machines could not be read because of it, and it could replace a true row."""
    write_rows(rows, tmp_path / "good.parquet")
    write_rows([replace(r, at=r.at + 1) for r in rows], tmp_path / "bad.parquet")
    table = parquet.read_table(tmp_path / "bad.parquet")
    number, values = table.schema.get_field_index(column), table[column].to_pylist()
    kind = table.schema.field(number).type
    plain = kind.value_type if arrow.types.is_dictionary(kind) else kind
    changed = arrow.array([value, *values[1:]], plain).cast(kind)
    parquet.write_table(table.set_column(number, table.schema.field(number), changed), tmp_path / "bad.parquet")
    result = union_parquet([tmp_path / "good.parquet", tmp_path / "bad.parquet"], tmp_path / "all.parquet")
    assert (result.kept, result.replaced, result.false) == (len(rows), len(rows) - 1, 1)
    assert result.reasons == ["1 row with impossible values"]
    found = {row.id: row for row in read_rows(tmp_path / "all.parquet")}
    assert found.keys() == {row.id for row in rows}
    assert found[rows[0].id].at == rows[0].at


def test_a_file_with_columns_of_other_types_is_named(rows: list[Any], tmp_path: Path) -> None:
    write_rows(rows, tmp_path / "bad.parquet")
    table = parquet.read_table(tmp_path / "bad.parquet")
    number = table.schema.get_field_index("samples")
    table = table.set_column(number, "samples", arrow.array(["fast"] * len(rows)))
    parquet.write_table(table, tmp_path / "bad.parquet")
    with pytest.raises(SchemaError, match=r"bad\.parquet is not a Parquet file of measurements"):
        union_parquet([tmp_path / "bad.parquet"], tmp_path / "all.parquet")


def test_more_columns_of_one_file_are_left_out(rows: list[Any], tmp_path: Path) -> None:
    write_rows(rows, tmp_path / "b.parquet")
    table = parquet.read_table(tmp_path / "b.parquet")
    parquet.write_table(table.append_column("colour", arrow.array(["red"] * len(rows))), tmp_path / "a.parquet")
    assert union_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"], tmp_path / "all.parquet").kept == len(rows)
    assert len(list(read_rows(tmp_path / "all.parquet"))) == len(rows)


def test_an_export_that_comes_back_changes_nothing(rows: list[Any], tmp_path: Path) -> None:
    """Its times are whole seconds and its samples single precision: it was taken for a later measurement."""
    with Store(tmp_path / "s.sqlite") as store:
        store.put([replace(row, at=100.7) for row in rows])
        before = list(store.rows())
        write_rows(before, tmp_path / "own.parquet")
        assert store.merge(read_rows(tmp_path / "own.parquet")) == (0, len(rows))
        assert list(store.rows()) == before


def test_a_store_and_a_union_agree(rows: list[Any], tmp_path: Path) -> None:
    later = [replace(r, at=300.0) for r in rows[:5]]
    _, found = union(tmp_path, rows, later, rows)
    with Store(tmp_path / "s.sqlite") as store:
        for part in ("0", "1", "2"):
            store.merge(read_rows(tmp_path / f"{part}.parquet"))
        assert sorted(r.id for r in store.rows()) == sorted(r.id for r in found)
        assert sorted((r.id, r.at) for r in store.rows()) == sorted((r.id, r.at) for r in found)


def test_other_files_are_refused_and_leave_nothing(rows: list[Any], tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"not parquet")
    write_rows(rows, tmp_path / "good.parquet")
    with pytest.raises(SchemaError, match=r"bad\.parquet"):
        union_parquet([tmp_path / "good.parquet", tmp_path / "bad.parquet"], tmp_path / "all.parquet")
    assert not (tmp_path / "all.parquet").exists()
    with pytest.raises(SchemaError):
        union_parquet([], tmp_path / "all.parquet")


def test_the_command(rows: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_rows(rows, tmp_path / "a.parquet")
    name = str(tmp_path / "a.parquet")
    assert run(["data", "union", name, name, "--out", str(tmp_path / "b.parquet")]) == 0
    assert f"{len(rows)} of {2 * len(rows)} rows of 2 files; {len(rows)} twice" in capfd.readouterr().out


def test_the_figures_of_the_page_are_those_of_the_results() -> None:
    root = Path(__file__).parents[2]
    found = json.loads((root / "benchmarks" / "results" / "merge_measurements.json").read_text())
    page = (root / "docs" / "many-machines.md").read_text()
    kinds = " / ".join(f"{found[n]:,}" for n in ("kept", "same", "replaced", "conflicts", "false"))
    assert f"| {kinds} |" in page
    assert f"| {round(found['rows per CPU second'], -3):,} |" in page
    assert f"| {round(found['rows per second'], -2):,} |" in page


def test_many_files_are_written_in_groups_and_every_row_once(
    rows: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More files than are read ahead, groups that end between files, a claim that turns false and true again."""
    monkeypatch.setattr("tilewright.store.union.GROUP_ROWS", 2 * len(rows) + 1)
    hosts = [[replace(r, host=f"host {i}") for r in rows] for i in range(11)]
    hosts[5][0] = replace(hosts[5][0], spec_digest=rows[-1].spec_digest)  # another kernel's
    result, found = union(tmp_path, *hosts)
    assert (result.rows, result.kept, result.false) == (11 * len(rows), 11 * len(rows) - 1, 1)
    kept = [r for group in hosts for r in group if r is not hosts[5][0]]
    assert [(r.id, r.host) for r in found] == [(r.id, r.host) for r in kept]
