"""Reading a store leaves no trace, waits for nobody, and says what it skips."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from store_rows import row

from tilewright.errors import SchemaError, StoreError
from tilewright.store import CALL_PATIENCE, Missed, Store
from tilewright.store.connection import APPLICATION_ID


def filled(path: Path, count: int = 2) -> Path:
    with Store(path) as store:
        store.put([row(i) for i in range(count)])
    return path


def everything(store: Store) -> list[Any]:
    """What every function that reads gives."""
    return [len(store), len(list(store.rows())), len(store.counts()), store.holds("gemm", row().device_digest),
            len(store.missed()), len(list(store.checked_rows()))]  # fmt: skip


def test_reading_what_is_not_there_makes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "data" / "s.sqlite"
    assert everything(Store(path)) == [0, 0, 0, False, 0, 0]
    assert not path.parent.exists()


def test_reading_changes_no_byte(tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    before = path.read_bytes(), path.stat().st_mtime_ns
    with Store(path) as store:
        assert everything(store) == [2, 2, 1, True, 0, 2]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store._open_reader().db.execute("DELETE FROM measurements")  # type: ignore[union-attr]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


READ_ONLY = """
import os, sys
from pathlib import Path
from tilewright.ops import get_op
from tilewright.store import Store
get_op("gemm"), Path("/").as_uri()  # import all that is needed: nobody may read where the packages are
os.setgid(65534); os.setuid(65534)  # root may write everywhere
store = Store(sys.argv[1])
print(len(list(store.rows())), store.holds("gemm", sys.argv[2]))
"""


@pytest.mark.parametrize("sealed", [False, True])
def test_a_store_in_a_folder_that_cannot_be_written_is_read(sealed: bool) -> None:
    folder = Path("/tmp") / f"tilewright-read-only-{os.getpid()}-{sealed}"  # pytest's own folders are private
    folder.mkdir()
    try:
        path = filled(folder / "s.sqlite")
        if sealed:
            Store(path).seal()
        path.chmod(0o444)
        folder.chmod(0o555)
        as_nobody = os.geteuid() == 0
        script = READ_ONLY if as_nobody else READ_ONLY.replace("os.setgid(65534); os.setuid(65534)", "pass")
        done = subprocess.run(
            [sys.executable, "-c", script, str(path), row().device_digest], capture_output=True, text=True
        )
        assert done.stdout.split() == ["2", "True"], done.stderr
        assert [p.name for p in folder.iterdir()] == ["s.sqlite"]
    finally:
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_a_call_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    with Store(path) as other, other._writing() as db:
        db.execute("DELETE FROM measurements")
        mine = Store(path, CALL_PATIENCE)
        begin = time.thread_time()
        assert everything(mine)[:2] == [2, 2]
        with pytest.raises(StoreError, match="locked"):
            mine.miss([Missed("t", "d", {}, 1, 1.0, "learned")])
        mine.close()
        assert time.thread_time() - begin < 5.0  # of CPU time: it does not spin either
    assert len(Store(path)) == 0


def test_the_patience_of_a_call_is_short() -> None:
    from tilewright.select.chain import Measured
    from tilewright.settings import Settings

    assert Measured(settings=Settings(data_dir="/nowhere")).store.patience == CALL_PATIENCE <= 0.1


def test_others_write_between_the_chunks_of_a_merge(tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    seen: list[int] = []

    def rows() -> Any:
        for number in range(100, 130):
            if number == 115:  # between two chunks: the other one gets its turn
                with Store(path, CALL_PATIENCE) as other:
                    other.put([row(7)])
                    seen.append(len(other))
            yield row(number)

    with Store(path) as store:
        assert store.merge(rows(), chunk=5) == (30, 0)
        assert seen == [2 + 15 + 1]
        assert store.merge(rows(), chunk=7) == (0, 30)
        assert len(store) == 33


def test_a_merge_that_takes_all_or_nothing(tmp_path: Path) -> None:
    def rows() -> Any:
        yield from (row(i) for i in range(600))
        raise SchemaError("a bad row at the end")

    with Store(tmp_path / "s.sqlite") as store:
        with pytest.raises(SchemaError):
            store.merge(rows(), chunk=0)
        assert len(store) == 0


def test_a_file_of_another_program_is_neither_read_nor_changed(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    db.close()
    before = path.read_bytes()
    for use in (lambda s: list(s.rows()), lambda s: s.put([row()]), lambda s: s.miss([])):
        with pytest.raises(SchemaError, match="another program"):
            use(Store(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("trick", ["CREATE TRIGGER t AFTER INSERT ON missed BEGIN DELETE FROM measurements; END",
                                   "CREATE VIEW v AS SELECT 1", "PRAGMA application_id = 7"])  # fmt: skip
def test_a_store_with_more_in_it_than_a_store_is_refused(trick: str, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(trick)
    db.close()
    with pytest.raises(SchemaError, match="another program"):
        list(Store(path).rows())


def test_a_damaged_schema_whose_message_is_no_text_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    Store(path).seal()
    path.write_bytes(path.read_bytes().replace(b"tableproblemsproblems", b"tableprob\xfeemsproblems"))
    with pytest.raises(StoreError, match="cannot be used"):
        list(Store(path).checked_rows())


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[" * 100_000, '{"a": ' + "9" * 5000 + "}", "3", "{'a': 1}"])
def test_text_in_a_store_is_read_with_the_limits_of_every_reader(text: str, tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE measurements SET policy = ?", (text,))
    with pytest.raises(SchemaError):
        list(Store(path).checked_rows())
    assert len(Store(path).check()) == 2


def test_a_store_of_before_the_mark_is_read_and_marked_when_written(tmp_path: Path) -> None:
    path = filled(tmp_path / "s.sqlite")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA application_id = 0")
    db.close()
    assert len(Store(path)) == 2
    mark = "PRAGMA application_id"
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(mark).fetchone()[0] == 0
    with Store(path) as store:
        store.put([row(5)])
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(mark).fetchone()[0] == APPLICATION_ID
    assert len(Store(path)) == 3


def test_bad_rows_are_skipped_and_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = filled(tmp_path / "s.sqlite", 5)
    with closing(sqlite3.connect(path)) as db, db:
        for number, change in enumerate(("samples = '[0.0]'", "samples = 'x'", "policy = '[1]'", "launch = x'00ff'")):
            db.execute(f"UPDATE measurements SET {change} WHERE tuning_key = 't{number}'")
    db.close()
    with Store(path) as store:
        assert [r.tuning_key for r in store.rows()] == ["t4"]
        assert [r.tuning_key for r in store.rows(op="gemm")] == ["t4"]
        assert len(store.check()) == 4
    assert [r.getMessage().startswith("4 rows of the store") for r in caplog.records] == [True]


@pytest.mark.parametrize("part", ["problems", "specs", "devices"])
def test_rows_whose_other_part_is_lost_are_bad_rows(
    part: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = filled(tmp_path / "s.sqlite", 3)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"DELETE FROM {part}")
    db.close()
    with Store(path) as store:
        assert list(store.rows()) == []
        assert len(store.check()) == 3
        with pytest.raises(SchemaError, match="is no measurement"):
            list(store.checked_rows())
    assert [r.getMessage().startswith("3 rows of the store") for r in caplog.records] == [True]


def test_a_store_that_is_replaced_or_removed_is_seen(tmp_path: Path) -> None:
    path, device = filled(tmp_path / "s.sqlite"), row().device_digest
    other = filled(tmp_path / "other.sqlite", 5)
    with Store(path) as store:
        assert (len(store), store.holds("gemm", device)) == (2, True)
        os.replace(other, path)
        assert len(store) == 5
        path.unlink()
        assert (len(store), store.holds("gemm", device)) == (0, False)
        store.put([row(0)])
        assert (len(store), len(Store(path))) == (1, 1)


def test_a_store_that_nobody_closed_closes_its_file(tmp_path: Path) -> None:
    store = Store(filled(tmp_path / "s.sqlite"))
    assert len(list(store.rows())) == 2
    gc.collect()
    with warnings.catch_warnings(record=True) as told:  # Python 3.13 warns of an open database
        warnings.simplefilter("always")
        del store
    assert told == []
