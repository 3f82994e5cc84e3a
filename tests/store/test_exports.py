"""Exports are whole or not there; files that were cut, damaged or blown up are refused with a reason."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from measurements import some_rows
from store_rows import FORMATS, row

from tilewright.errors import SchemaError, StoreError
from tilewright.store import Store, lines, merge_file, read_rows, write_rows

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from store_rows import row
from tilewright.store import write_rows

def rows():
    for number in range(100, 103):
        yield row(number)
    os.kill(os.getpid(), signal.SIGKILL)

for path in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        write_rows(rows(), path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, status
"""


def need(name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="the extra 'tune' is not installed")


def test_a_killed_export_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    files = [tmp_path / name for name in FORMATS]
    for file in files:
        need(file.name)
        write_rows([row(0), row(1)], file)
    subprocess.run([sys.executable, "-c", KILLED, str(Path(__file__).parent), *map(str, files)], check=True)
    for file in files:
        assert [r.tuning_key for r in read_rows(file)] == ["t0", "t1"], file.name
    for file in files:  # what the killed ones left is removed by the next export to the same file
        write_rows([row(0)], file)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_that_fails_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    need(name)

    def rows() -> Any:
        yield row(0)
        raise KeyError("a selection that failed")

    with pytest.raises(KeyError):
        write_rows(rows(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"rows\.jsonl cannot be written"):
        write_rows([], tmp_path / "file" / "rows.jsonl")


def test_json_lines_end_with_their_number(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows([row(0), row(1)], path)
    assert path.read_text().endswith('\n{"rows":2}\n')
    path.write_text(path.read_text() * 2)  # two files, one after the other
    assert [r.tuning_key for r in read_rows(path)] == ["t0", "t1", "t0", "t1"]
    assert not caplog.records


def test_files_without_the_number_are_read_with_a_note(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "rows.jsonl"
    old = {**row(0, status="wrong", samples=()).to_dict(), "error": float("nan")}
    path.write_text(json.dumps(old, separators=(",", ":")) + "\n")
    [back] = read_rows(path)
    assert (back.status, back.error) == ("wrong", None)
    assert "may be truncated; 1 rows were read" in caplog.text


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_can_be_read(name: str, tmp_path: Path) -> None:
    need(name)
    odd = row(0, status="wrong", samples=(), error=float("inf"), clocks={"mhz": float("nan"), "load": [1.0]})
    assert write_rows([odd], tmp_path / name) == 1
    [back] = read_rows(tmp_path / name)
    assert (back.error, back.clocks) == (None, {"mhz": None, "load": [1.0]})


def test_lines_that_are_missing_are_missed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows([row(i) for i in range(3)], path)
    kept = path.read_text().splitlines(keepends=True)
    path.write_text("".join([kept[0], *kept[2:]]))
    with pytest.raises(SchemaError, match="counts 3 rows; 2 were read"):
        list(read_rows(path))


LIMITS: dict[str, list[Any]] = {
    "at": [0.0, -1e12, 1e12, 10**12], "error": [0, 0.5, 1e-300, 1e300, 10**19], "tolerance": [0, 1e300, 10**19],
    "samples": [(1e-10,), (1e7,), (1, 2.5)],
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_holds_every_number_that_a_row_may_have(name: str, tmp_path: Path) -> None:
    need(name)
    rows = [row(i, **{field: v}) for field, values in LIMITS.items() for i, v in enumerate(values)]
    rows = [replace(r, tuning_key=f"t{i}") for i, r in enumerate(rows)]
    with Store(tmp_path / "s.sqlite") as store:
        store.put(rows)
        assert write_rows(store.rows(), tmp_path / name) == len(rows)
    found = {r.tuning_key: r for r in read_rows(tmp_path / name)}
    for one in rows:
        back = found[one.tuning_key]
        assert back.samples == pytest.approx(one.samples)
        assert back.at == one.at
        for number, was in ((back.error, one.error), (back.tolerance, one.tolerance)):
            assert number == pytest.approx(was) or number > 3e38  # single precision ends there


BAD = [
    {"samples": ["1"]}, {"samples": "12"}, {"samples": [0.0]}, {"samples": [-1e-6]}, {"samples": [True]},
    {"samples": [1e300]}, {"samples": {"0": 1e-6}}, {"policy": {"statistic": "guess"}}, {"policy": []},
    {"policy": {"statistic": ["least"]}}, {"problem": 3}, {"launch": None}, {"tuning_key": 7}, {"status": ["ok"]},
    {"at": "now"}, {"at": True}, {"at": 1e300}, {"error": "none"}, {"error": -1.0}, {"tier": 2}, {"host": None},
    {"device": "d"}, {"message": {}}, {"at": -2e12}, {"at": 10**19},
]  # fmt: skip


@pytest.mark.parametrize("change", BAD, ids=str)
def test_rows_that_no_clock_gave_are_refused_on_the_way_in(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(d) + "\n" for d in (row(0).to_dict(), {**row(1).to_dict(), **change})))
    with Store(tmp_path / "s.sqlite") as store:
        with pytest.raises(SchemaError, match=r"rows\.jsonl, line 2: measurement"):
            merge_file(store, path)
        assert len(store) == 0  # not even the good row before it


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "[" * 50 + "]" * 50])
def test_samples_that_json_cannot_say_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row(0).to_dict()).replace("3e-06", text) + "\n")
    with pytest.raises(SchemaError, match="line 1"):
        list(read_rows(path))


@pytest.mark.parametrize("data", [b"[]", b"7", b"\xff\xfe", b'{"schema":1}', b'{"a":1,"a":2}', b"{}", b"null"])
def test_lines_that_are_no_measurement_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data + b"\n")
    with pytest.raises(SchemaError, match=r"rows\.jsonl, line 1"):
        list(read_rows(path))


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.jsonl.xz"])
def test_a_bomb_is_refused_at_the_limit(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    pack = gzip.open if name.endswith("gz") else lzma.open
    with pack(path, "wb") as file:
        for _ in range(64):
            file.write(b" " * (1 << 20))
    assert path.stat().st_size < 200_000
    with pytest.raises(SchemaError, match="a line is longer than the limit of 4,194,304 bytes"):
        list(read_rows(path))


def test_a_file_of_too_many_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows([row(i) for i in range(4)], tmp_path / "rows.jsonl.gz")
    monkeypatch.setattr(lines, "MAX_BYTES", 1000)
    with pytest.raises(SchemaError, match="the file is longer than the limit of 1,000 bytes"):
        list(read_rows(tmp_path / "rows.jsonl.gz"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("cut", [0, 1, 40, 0.5, 0.9])
def test_a_truncated_file_is_refused_or_reported(
    name: str, cut: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    need(name)
    path = tmp_path / name
    write_rows([row(i, message=os.urandom(200).hex()) for i in range(40)], path)
    data = path.read_bytes()
    path.write_bytes(data[: int(cut * len(data)) if isinstance(cut, float) else cut])
    try:
        got = list(read_rows(path))
    except (SchemaError, StoreError) as error:
        told = error.message
    else:
        assert len(got) < 40
        told = caplog.text
    assert name in told


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_with_changed_bytes_never_ends_in_a_traceback(name: str, tmp_path: Path) -> None:
    need(name)
    path = tmp_path / name
    write_rows([row(i) for i in range(20)], path)
    good = path.read_bytes()
    for place in range(0, len(good), max(1, len(good) // 60)):
        data = bytearray(good)
        data[place] ^= 0x55
        path.write_bytes(data)
        try:
            for r in read_rows(path):
                assert r.seconds > 0
        except (SchemaError, StoreError):
            pass


def test_parquet_of_another_program_is_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="the extra 'tune' is not installed")
    import pyarrow.parquet as pq

    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(SchemaError, match="schema none"):
        list(read_rows(path))
    table = pa.table({"x": [1]}).replace_schema_metadata({b"tilewright.measurements": b"1"})
    pq.write_table(table, path)
    with pytest.raises(SchemaError, match="artifact, at, build_key"):
        list(read_rows(path))


def test_a_handed_in_store_with_a_bad_row_is_refused(tmp_path: Path) -> None:
    write_rows([row(0), row(1)], tmp_path / "rows.sqlite")
    with closing(sqlite3.connect(tmp_path / "rows.sqlite")) as db, db:
        db.execute("UPDATE measurements SET samples = '[-1.0]' WHERE tuning_key = 't1'")
    db.close()
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(SchemaError, match=r"rows\.sqlite: .*sample of -1\.0"):
        merge_file(store, tmp_path / "rows.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """The usual handler of Ctrl-C; a shell starts what runs in its background without one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c")
def test_a_signal_ends_an_export_and_not_the_file(tmp_path: Path) -> None:
    """Ctrl-C is no reason for a half file either."""

    def rows() -> Any:
        yield row(5)
        signal.raise_signal(signal.SIGINT)
        yield row(6)

    path = tmp_path / "rows.jsonl"
    write_rows([row(0)], path)
    with pytest.raises(KeyboardInterrupt):
        write_rows(rows(), path)
    assert [r.tuning_key for r in read_rows(path)] == ["t0"]
    assert [p.name for p in tmp_path.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "sqlite"])
def test_rows_of_another_kernel_or_problem_are_not_merged(ending: str, tmp_path: Path) -> None:
    """A row that claims the digest of another problem would be found for that one."""
    one, other = some_rows(1, problems=2)
    wrong = [
        replace(one, spec_digest="0" * 64, host="b"),
        replace(one, tuning_key=other.tuning_key, host="a"),
        replace(one, problem={**one.problem, "k": 12345}, host="c"),
    ][: 1 if ending == "sqlite" else 3]  # a store has one problem for each key
    newer = replace(one, problem={"op": "new"}, host="d")  # of a version that may know more
    path = tmp_path / f"rows.{ending}"
    write_rows([one, *wrong, newer, other], path)
    with Store(tmp_path / "s.sqlite") as store:
        found = merge_file(store, path)
        assert found[:3] == (3, 0, len(wrong))
        assert {row.host for row in store.rows()} == {"a host", "d"}
        assert ending == "sqlite" or any(f"its own is {one.tuning_key[:12]}" in reason for reason in found.reasons)
        assert any(f"its own is {one.spec_digest[:12]}" in reason for reason in found.reasons)
        assert merge_file(store, path)[:3] == (0, 3, len(wrong))
