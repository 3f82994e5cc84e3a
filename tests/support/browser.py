"""A real headless Chromium, driven over a pipe by its DevTools protocol: no port, no driver, no extra package.

It is taken from PATH, else from Debian packages that are unpacked into `build/browser`; that needs no root.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import platform
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "build" / "browser"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGE = "chromium-headless-shell"
PATIENCE = 240.0  # seconds for one answer; a busy machine is slow

# The browser reads commands from descriptor 3 and answers on 4.
START = """
import os, sys
read, write = map(int, sys.argv[1:3])
os.dup2(write, 100), os.dup2(read, 3), os.dup2(100, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class NoBrowserError(Exception):
    """There is no browser here; the text says why."""


def find_browser(download: bool = False) -> list[str]:
    """Return the command of a browser; `NoBrowserError` if there is none. `download` asks Debian for it."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found:
        return [found]
    program = FOLDER / "root" / "usr" / "lib" / "chromium" / PACKAGE
    if not program.exists() and download:
        _download()
    if not program.exists():
        raise NoBrowserError("no chromium on PATH nor in build/browser; pytest --exhaustive downloads it")
    libraries = FOLDER / "root" / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
    return ["env", f"LD_LIBRARY_PATH={libraries}:{libraries / 'pulseaudio'}", os.fspath(program)]


def _download() -> None:
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise NoBrowserError("no chromium on PATH, and no apt-get to download it")
    packages = FOLDER / "packages"
    for folder in (packages, FOLDER / "apt" / "lists" / "partial", FOLDER / "apt" / "cache" / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    settings = {"Dir::State::Lists": FOLDER / "apt" / "lists", "Dir::Cache": FOLDER / "apt" / "cache",
                "Debug::NoLocking": "1", "APT::Sandbox::User": "root", "APT::Get::Assume-Yes": "1"}  # fmt: skip
    options = ["-qq", *(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))]
    _apt([*options, "update"], packages)
    listed = _apt([*options, "install", "--print-uris", "--no-install-recommends", PACKAGE], packages)
    _apt([*options, "download", *re.findall(r"^'\S+' ([^_\s]+)_\S+ \d+", listed, re.MULTILINE)], packages)
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", os.fspath(package), os.fspath(FOLDER / "root")], check=True)
        package.unlink()


def _apt(words: list[str], folder: Path) -> str:
    env = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(["apt-get", *words], cwd=folder, capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise NoBrowserError(f"apt-get cannot download {PACKAGE}: {done.stderr.strip()[-300:]}")
    return done.stdout


class Page:
    """One open page. `errors` has what the console and the page reported, `requests` every address asked for."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read, self._held = write, read, b""
        self._number = 0
        self.session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.loaded = False

    def call(self, method: str, **params: Any) -> Any:
        """Send one command and return its result; events that come meanwhile are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._event(answer)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self._read, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser does not answer")
            self._held += chunk
        text, self._held = self._held.split(b"\0", 1)
        found: dict[str, Any] = json.loads(text)
        return found

    def _event(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"].get("exception", params["exceptionDetails"])))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def open(self, path: Path) -> None:
        """Load a file and wait until it is complete."""
        self.loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not self.loaded:
            self._event(self._next())

    def look(self, width: int, height: int, dark: bool = False, phone: bool = False) -> None:
        """Set the size of the window and the colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if phone else 1, mobile=phone)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path: Path, y: int = 0, height: int = 0) -> Path:
        """Write a PNG of the window, or of `height` pixels of the page from `y` on."""
        size = self.ask("[innerWidth, innerHeight]")
        clip = {"x": 0, "y": y, "width": size[0], "height": height or size[1], "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        path.write_bytes(base64.b64decode(data))
        return path


@contextlib.contextmanager
def open_page(command: list[str]) -> Iterator[Page]:
    """Start a browser with one empty page; it ends with the block."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                   "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={profile}"]  # fmt: skip
        start = [sys.executable, "-I", "-S", "-c", START, str(to_read), str(from_write), *command, *options]
        process = subprocess.Popen(start, pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        page = Page(to_write, from_read)
        try:
            target = page.call("Target.createTarget", url="about:blank")["targetId"]
            page.session = page.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                page.call(f"{domain}.enable")
            yield page
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)
            os.close(to_write), os.close(from_read)
