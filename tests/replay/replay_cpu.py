"""What the CPU backend generates: C++ text, compiler flags, and the header library as each x86-64 level sees it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from replay_digest import digest
from replay_macros import PREDEFINED
from replay_samples import Sample

from tilewright.backends import get_backend_op
from tilewright.jit.compiler import find_compiler
from tilewright.model.kernel import KernelSpec
from tilewright.settings import Settings

# Stand-ins that answer who they are, and nothing else: flags must not depend on the compiler of this machine.
ANSWERS = {
    "gcc": ("g++", "g++ (Debian 12.2.0-14) 12.2.0"),
    "clang": ("clang++", "Debian clang version 14.0.6"),
}
SCRIPT = '#!/bin/sh\ncase "$1" in --version) echo "{version}" ;; -dumpmachine) echo x86_64-linux-gnu ;; esac\n'
MARKER = re.compile(r'^# \d+ "([^"]*)"')
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\w+|[^\s\w]')


def stand_ins(folder: Path) -> dict[str, Settings]:
    """Settings with a compiler of each family."""
    found = {}
    for family, (name, version) in ANSWERS.items():
        path = folder / name
        path.write_text(SCRIPT.format(version=version))
        path.chmod(0o755)
        found[family] = Settings(cxx=str(path), cache_dir=str(folder / "cache"), threads=4)
    return found


def source(spec: KernelSpec, settings: Settings) -> str:
    """Digest of the C++ text of a kernel."""
    return digest(get_backend_op(spec.backend, spec.op).request(spec, settings).inputs)


def flags(samples: Iterable[Sample], settings: Mapping[str, Settings]) -> dict[str, dict[str, str]]:
    """The compiler flags of one kernel of each op, by arch and compiler family."""
    found: dict[str, dict[str, str]] = {}
    for spec in {(c.spec.arch, c.spec.op): c.spec for s in samples for c in s.chosen}.values():
        for family in settings:
            (command,) = get_backend_op(spec.backend, spec.op).request(spec, settings[family]).commands
            words = [w for w in command[1:] if not w.startswith("-I")]
            found.setdefault(f"flags {spec.arch}", {})[f"{spec.op} {family}"] = " ".join(words)
    return found


def headers(samples: Iterable[Sample], settings: Settings, folder: Path) -> dict[str, dict[str, str]]:
    """Digest of each header after preprocessing, by level, over one kernel of every template.

    Only predefined macros of the level are given, and system headers are empty. The text is then the same for every
    compiler and host, and a branch for another machine leaves it as it is.
    """
    (folder / "empty").mkdir()
    (folder / "empty" / "stdint.h").write_text("")
    templates = _templates(samples, settings)
    found: dict[str, dict[str, set[str]]] = {}
    for arch, macros in PREDEFINED.items():
        level = found[f"headers {arch}"] = {}
        for text, folders in templates.values():
            for name, seen in preprocessed(text, folders, macros, folder).items():
                level.setdefault(name, set()).add(digest(seen))
    return {arch: {name: digest(sorted(texts)) for name, texts in level.items()} for arch, level in found.items()}


def _templates(samples: Iterable[Sample], settings: Settings) -> dict[str, tuple[str, list[str]]]:
    """One kernel for each set of included headers: its text and its include folders."""
    found: dict[str, tuple[str, list[str]]] = {}
    for spec in sorted({c.spec for s in samples for c in s.chosen}, key=lambda spec: spec.digest):
        request = get_backend_op(spec.backend, spec.op).request(spec, settings)
        (text,) = request.inputs.values()
        included = " ".join(re.findall(r"#include <(.*)>", text))
        found.setdefault(included, (text, [w for w in request.commands[0] if w.startswith("-I")]))
    return found


def preprocessed(text: str, folders: list[str], macros: Iterable[str], folder: Path) -> dict[str, str]:
    """The preprocessed text of each file that a source reaches, as tokens. The export macros are the source's own."""
    roots = [f[2:] for f in folders]
    command = [*find_compiler(Settings()).argv, "-E", "-x", "c++", "-std=c++17", "-undef", "-nostdinc"]
    command += [*(f"-D{m}" for m in macros), *folders, "-isystem", str(folder / "empty"), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = {}
    name = ""
    for line in done.stdout.splitlines():
        marker = MARKER.match(line)
        if marker:
            name = _name(marker[1], roots)
        else:
            found.setdefault(name, []).append(line)
    return {n: " ".join(TOKEN.findall("\n".join(lines))) for n, lines in found.items() if n}


def _name(path: str, roots: list[str]) -> str:
    for root in roots:
        if path.startswith(root):
            return path[len(root) :].lstrip("/")
    return "(kernel)" if path == "<stdin>" else ""
