"""Files that are replaced in one step: what a dead process left is removed, what a living one writes stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.errors import CacheError
from tilewright.jit import Cache
from tilewright.jit.files import replace_file, replacing

WRITER = """
import os, signal, sys
from pathlib import Path
from tilewright.jit.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    Path(f"{temporary}-wal").write_text("of SQLite")
    print("writing", flush=True)
    sys.stdin.readline()
"""


def _writer(path: Path) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def _hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for _ in range(2):
        process = _writer(path)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert len(_hidden(tmp_path)) == 2  # the second writer removed what the first left: a file and that of SQLite
    replace_file(path, b"whole")
    assert (path.read_bytes(), _hidden(tmp_path)) == (b"whole", [])


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    process = _writer(path)
    try:
        replace_file(path, b"mine")
        assert len(_hidden(tmp_path)) == 2
    finally:
        process.communicate("\n")
    assert (process.returncode, path.read_text()) == (0, "half")


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = [".0123456789ab.y.json", ".0123456789.x.json", ".0123456789ab.x.json.bak", ".x.json", ".x.json.swp"]
    for name in others:
        (tmp_path / name).write_text("kept")
    (tmp_path / ".0123456789ab.x.json").symlink_to(tmp_path / ".x.json")
    replace_file(tmp_path / "x.json", b"mine")
    assert _hidden(tmp_path) == sorted([*others, ".0123456789ab.x.json"])


def test_an_error_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    replace_file(path, b"before")

    def interrupted() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (path.read_bytes(), [p.name for p in tmp_path.iterdir()]) == (b"before", ["x.json"])


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        replace_file(tmp_path / "x.json", b"x")
    assert before == (len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0)


def test_an_export_into_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match="cannot write"):
        Cache(tmp_path / "cache").export(tmp_path / "absent" / "x.tar.gz")
