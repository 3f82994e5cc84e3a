"""Fetching pinned wheels: a real pip finds them, a real server breaks off, and nothing wrong is ever kept."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tilewright.errors import ToolchainError
from tilewright.jit import wheels
from tilewright.jit.wheels import Wheel, download, fetch, locate, unpack

METADATA = "Metadata-Version: 2.1\nName: tw-demo\nVersion: 1.0\n"


def wheel_bytes(extra: dict[str, bytes] | None = None) -> bytes:
    files = {
        "tw_demo/include/a.h": b"// a\n" * 4000,
        "tw_demo/include/deep/b.h": b"// b\n",
        "tw_demo/tool": b"#!/bin/sh\n",
        "tw_demo/secret.py": b"raise SystemExit\n",
        "tw_demo-1.0.dist-info/METADATA": METADATA.encode(),
        "tw_demo-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tw_demo-1.0.dist-info/RECORD": b"",
        **(extra or {}),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:  # stored, so that it has some length
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


DATA = wheel_bytes()
MEMBERS = {"tw_demo/include/": "include", "tw_demo/tool": "bin/tool"}
PIN = Wheel("tw-demo", "1.0", hashlib.sha256(DATA).hexdigest(), len(DATA), MEMBERS)


class Server:
    """Serves one file; `cut` bytes of each answer are sent before the connection breaks."""

    def __init__(self, data: bytes) -> None:
        self.data, self.cut, self.ranges, self.status = data, 0, True, 200
        self.asked: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/tw_demo-1.0-py3-none-any.whl"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request: Any) -> None:
        wanted = request.headers.get("Range")
        self.asked.append(wanted)
        if self.status != 200:
            request.send_error(self.status)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.ranges else 0
        body = self.data[start:]
        request.send_response(206 if wanted and self.ranges else 200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: self.cut] if self.cut else body)
        request.close_connection = True


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(DATA)
    yield made
    made.close()


def test_a_broken_connection_is_taken_up_where_it_ended(server: Server, tmp_path: Path) -> None:
    server.cut = len(DATA) // 3 + 1
    told: list[int] = []
    download(server.url, tmp_path / "x.part", len(DATA), told.append)
    assert (tmp_path / "x.part").read_bytes() == DATA
    assert server.asked[0] is None
    assert server.asked[1:] == [f"bytes={server.cut}-", f"bytes={2 * server.cut}-"]
    assert told == sorted(told)
    assert told[-1] == len(DATA)


def test_a_later_call_goes_on_with_what_an_interrupted_one_left(server: Server, tmp_path: Path) -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(server.url, tmp_path / "x.part", len(DATA), interrupt)
    (tmp_path / "x.part").write_bytes(DATA[:1000])
    download(server.url, tmp_path / "x.part", len(DATA), lambda done: None)
    assert server.asked[-1] == "bytes=1000-"
    assert (tmp_path / "x.part").read_bytes() == DATA


def test_a_server_without_ranges_sends_all_of_it_again(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    (tmp_path / "x.part").write_bytes(b"half a file")
    download(server.url, tmp_path / "x.part", len(DATA), lambda done: None)
    assert (tmp_path / "x.part").read_bytes() == DATA


def test_a_server_that_sends_nothing_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "PAUSE", 0.001)
    empty = Server(b"")
    try:
        with pytest.raises(OSError, match="ended at 0 of 10 bytes"):
            download(empty.url, tmp_path / "x.part", 10, lambda done: None)
        assert len(empty.asked) == wheels.ATTEMPTS
    finally:
        empty.close()


def test_a_server_that_is_not_there_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "PAUSE", 0.001)
    monkeypatch.setattr(wheels, "locate", lambda wheel, folder: "http://127.0.0.1:9/x.whl")
    with pytest.raises(ToolchainError, match=r"could not be fetched.*run the command again"):
        fetch(PIN, tmp_path)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index of one wheel in a folder; pip is told to use nothing else."""
    folder = tmp_path / "simple" / "tw-demo"
    folder.mkdir(parents=True)
    (folder / "tw_demo-1.0-py3-none-any.whl").write_bytes(DATA)
    link = f'<a href="tw_demo-1.0-py3-none-any.whl#sha256={PIN.sha256}">tw_demo-1.0-py3-none-any.whl</a>'
    (folder / "index.html").write_text(f"<!DOCTYPE html><html><body>{link}</body></html>")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_pip_says_where_a_wheel_lies_and_it_is_fetched_from_there(index: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    file = fetch(PIN, tmp_path / "downloads", lambda *what: told.append(what))
    assert file.read_bytes() == DATA
    assert told[-1] == ("tw-demo", len(DATA), len(DATA))
    assert sorted(p.name for p in (tmp_path / "downloads").iterdir()) == [PIN.file_name]
    (index / "tw_demo-1.0-py3-none-any.whl").unlink()
    assert fetch(PIN, tmp_path / "downloads") == file  # nothing is asked for again


def test_an_index_with_another_file_under_that_name_is_refused(index: Path, tmp_path: Path) -> None:
    other = Wheel("tw-demo", "1.0", "0" * 64, len(DATA), MEMBERS)
    with pytest.raises(ToolchainError, match=r"the index offers tw-demo==1\.0"):
        locate(other, tmp_path)


@pytest.mark.parametrize("report", ["", "no JSON", "{", "{}", '{"install": []}', '{"install": [{"download_info": 3}]}'])
def test_a_report_of_pip_that_names_no_wheel_is_a_toolchain_error(report: str) -> None:
    with pytest.raises(ToolchainError, match="the report of pip"):
        wheels._download_info(report)


def test_a_package_that_no_index_has_is_told_with_pips_words(index: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"pip found no wheel of tw-absent==1\.0"):
        fetch(Wheel("tw-absent", "1.0", "0" * 64, 1), tmp_path)


def test_a_changed_file_is_never_kept(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.data = DATA[:-1] + b"?"
    monkeypatch.setattr(wheels, "locate", lambda wheel, folder: server.url)
    with pytest.raises(ToolchainError, match="is pinned") as error:
        fetch(PIN, tmp_path)
    assert PIN.sha256 in str(error.value)
    assert list(tmp_path.iterdir()) == []
    server.data = DATA
    assert fetch(PIN, tmp_path).read_bytes() == DATA


@pytest.mark.parametrize("status", [404, 500])
def test_a_refusing_server_is_told_with_the_remedy(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    server.status = status
    monkeypatch.setattr(wheels, "locate", lambda wheel, folder: server.url)
    with pytest.raises(ToolchainError, match=f"HTTP Error {status}.*continues where it stopped"):
        fetch(PIN, tmp_path)


def test_where_the_address_needs_credentials_pip_downloads(
    index: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.status = 401
    monkeypatch.setattr(wheels, "locate", lambda wheel, folder: server.url)
    assert fetch(PIN, tmp_path / "downloads").read_bytes() == DATA


def test_wheels_can_come_from_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "brought"
    folder.mkdir()
    with pytest.raises(ToolchainError, match=r"holds no wheel of tw-demo==1\.0"):
        fetch(PIN, tmp_path / "downloads", local=folder)
    (folder / "tw_demo-1.0-py3-none-any.whl").write_bytes(DATA[:-1])
    with pytest.raises(ToolchainError, match="is another build"):
        fetch(PIN, tmp_path / "downloads", local=folder)
    (folder / "tw_demo-1.0-py3-none-any.whl").write_bytes(DATA)
    assert fetch(PIN, tmp_path / "downloads", local=folder).read_bytes() == DATA


def test_only_the_listed_members_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(DATA)
    assert unpack(PIN, tmp_path / "w.whl", tmp_path / "tree") == 3
    found = {str(p.relative_to(tmp_path / "tree")) for p in (tmp_path / "tree").rglob("*") if p.is_file()}
    assert found == {"include/a.h", "include/deep/b.h", "bin/tool"}


def test_an_absent_member_and_an_unsafe_path_are_errors(tmp_path: Path) -> None:
    (tmp_path / "w.whl").write_bytes(wheel_bytes({"tw_demo/include/../../../evil.h": b"x"}))
    with pytest.raises(ToolchainError, match="unsafe path"):
        unpack(PIN, tmp_path / "w.whl", tmp_path / "tree")
    assert not (tmp_path / "evil.h").exists()
    absent = Wheel("tw-demo", "1.0", PIN.sha256, PIN.size, {"tw_demo/nothing/": "x"})
    with pytest.raises(ToolchainError, match="has no tw_demo/nothing/"):
        unpack(absent, tmp_path / "w.whl", tmp_path / "tree")
