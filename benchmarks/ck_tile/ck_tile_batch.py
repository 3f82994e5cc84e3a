"""Compiles many CK Tile kernels in one translation unit, and says of each what became of it.

Parsing the headers and instantiating what kernels share is most of a compile: eight kernels together take about a third
of the time that they take alone. Errors are told apart by the kernel that their chain of instantiations names,
instructions by the symbol that they stand under.
"""

from __future__ import annotations

import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.backends.ck_tile.compile import request_of
from tilewright.backends.ck_tile.inspect import ASSEMBLY, EXPECT, inspect_build
from tilewright.backends.ck_tile.lower import namespace
from tilewright.backends.ck_tile.toolchain import Toolchain
from tilewright.errors import BuildError, TilewrightError
from tilewright.jit.artifact import BuildRequest
from tilewright.model.kernel import KernelSpec
from tilewright.settings import Settings

UNIT = "batch.cpp"
# Every error with its whole chain: the last link is the kernel that asked for it.
TELL_ALL = ("-ferror-limit=0", "-ftemplate-backtrace-limit=0", "-fno-caret-diagnostics")
WALL = 3600.0  # seconds; the limit that counts is one of CPU time, since other work may hold the cores


@dataclass(frozen=True)
class Kernel:
    """A spec with its generated sources."""

    spec: KernelSpec
    request: BuildRequest

    @property
    def space(self) -> str:
        """The namespace, which every diagnostic and symbol of the kernel names."""
        return namespace(self.spec)


def compile_batch(
    specs: Sequence[KernelSpec], settings: Settings, tools: Toolchain, cpu_limit: float, main_only: bool = True,
    keep_text: bool = False,
) -> Iterator[tuple[KernelSpec, dict[str, Any]]]:  # fmt: skip
    """Each spec with its outcome (ok, error, inspect, generator, crash, timeout), as soon as it is known.

    The specs are of one arch and op. `cpu_limit` is in seconds of CPU time per kernel. `main_only` leaves out the
    endings of the loop and the splits of K. With `keep_text`, a good outcome has the assembly of the batch and the
    symbols of the kernel in it.
    """
    kernels = []
    for spec in specs:
        try:
            request = request_of(spec, settings, main_only=main_only, assembly_only=True, toolchain=tools)
        except TilewrightError as refusal:
            yield spec, _bad("generator", str(refusal), 0.0)
        else:
            kernels.append(Kernel(spec, request))
    yield from _compile(kernels, cpu_limit, keep_text)


def _compile(kernels: list[Kernel], cpu_limit: float, keep_text: bool) -> Iterator[tuple[KernelSpec, dict[str, Any]]]:
    if not kernels:
        return
    with tempfile.TemporaryDirectory(prefix="ck_audit_") as name:
        folder = Path(name)
        status, said, seconds = _run(kernels, folder, cpu_limit * len(kernels))
        each = round(seconds / len(kernels), 1)
        assembly = (folder / ASSEMBLY).read_text(errors="replace") if status == 0 else ""
        if assembly and (len(kernels) == 1 or not stray_functions(assembly)):
            for kernel in kernels:
                outcome = _look(kernel, assembly, folder, each)
                kept = {"assembly": assembly} if keep_text and outcome["good"] else {}
                yield kernel.spec, {**outcome, **kept}
            return
    blamed = blame(said, {k.space: (k.space, f"{k.spec.name}.") for k in kernels}) if not assembly else {}
    if not blamed and len(kernels) == 1:
        outcome = "timeout" if status == "timeout" else "crash" if status not in (0, 1) else "error"
        yield kernels[0].spec, _bad(outcome, first_error(said) or f"the compiler ended with status {status}", each)
        return
    for kernel in kernels:
        if kernel.space in blamed:
            yield kernel.spec, _bad("error", blamed[kernel.space], each)
    # An error in what kernels share is told once: those that were not blamed are compiled again, without the others.
    rest = [k for k in kernels if k.space not in blamed]
    halves = (rest,) if blamed else (rest[: len(rest) // 2], rest[len(rest) // 2 :])
    for part in halves:
        yield from _compile(part, cpu_limit, keep_text)


def _run(kernels: list[Kernel], folder: Path, cpu_limit: float) -> tuple[int | str, str, float]:
    """Status (or "timeout"), what the compiler said, and how many seconds went by."""
    for kernel in kernels:
        for name, text in kernel.request.inputs.items():
            if name != EXPECT:
                (folder / name).write_text(text)
    units = [n for k in kernels for n in k.request.inputs if n.endswith(".cpp")]
    (folder / UNIT).write_text("".join(f'#include "{unit}"\n' for unit in units))
    command = [UNIT if word == units[0] else str(word) for word in kernels[0].request.commands[0]]
    bound = int(cpu_limit) + 1
    start = time.monotonic()
    process = subprocess.Popen(
        [*command, *TELL_ALL], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (bound, bound)),  # the compiler inherits it
    )  # fmt: skip
    try:
        said = process.communicate(timeout=WALL)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "timeout", "", time.monotonic() - start
    late = process.returncode < 0 or "CPU time limit exceeded" in said
    return ("timeout" if late else process.returncode), said, time.monotonic() - start


def blame(said: str, marks: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The first error of each kernel that the chain of an error names, by its namespace or by its file.

    >>> blame("a.hpp:3:1: error: no\\nk.cpp:9:1: note: asked for by tw_1::hot\\n", {"1": ["tw_1"], "2": ["tw_2"]})
    {'1': 'a.hpp:3:1: error: no'}
    """
    found: dict[str, str] = {}
    # These name who was first or has a like name, not who asked.
    said = re.sub(r"^In file included from .*\n|; did you mean .*|^.*: note: .* declared here$", "", said, flags=re.M)
    for block in re.split(r"\n(?=\S[^\n]*(?:fatal )?error: )", "\n" + said):
        reason = first_error(block)
        for kernel in (k for k, words in marks.items() if reason and any(word in block for word in words)):
            found.setdefault(kernel, reason)
    return found


def first_error(said: str) -> str:
    """The first line that reports an error, without the folder of the headers."""
    line = next((line for line in said.splitlines() if "error:" in line), "")
    return re.sub(r"\S*/include/(?=ck_tile|tilewright)", "", line)[:300]


def stray_functions(assembly: str) -> set[str]:
    """Functions that are no kernels: instructions in them belong to nobody in particular."""
    functions = set(re.findall(r"^\s+\.type\s+([^,\s]+),@function", assembly, re.MULTILINE))
    return functions - set(re.findall(r"^\s+\.amdhsa_kernel\s+(\S+)", assembly, re.MULTILINE))


def share(assembly: str, space: str) -> str:
    """The part of an assembly text that belongs to the kernels of a namespace."""
    target = re.search(r"^\s+\.amdgcn_target.*$", assembly, re.MULTILINE)
    parts = [target[0]] if target else []
    for symbol in re.findall(r"^\s+\.amdhsa_kernel\s+(\S+)", assembly, re.MULTILINE):
        if space in symbol:
            body = re.search(rf"^{re.escape(symbol)}:.*?^\.Lfunc_end\d+:", assembly, re.MULTILINE | re.DOTALL)
            parts += [body[0] if body else "", f"\t.amdhsa_kernel {symbol}"]
    return "\n".join(parts) + "\n"


def _look(kernel: Kernel, assembly: str, folder: Path, seconds: float) -> dict[str, Any]:
    """The inspection that every build passes, on one kernel's part of the batch."""
    (folder / EXPECT).write_text(str(kernel.request.inputs[EXPECT]))
    (folder / ASSEMBLY).write_text(share(assembly, kernel.space))
    try:
        facts = inspect_build(folder)
    except BuildError as fault:
        return _bad("inspect", fault.message, seconds)
    found = {"matrix": facts["code"]["matrix"], "symbols": facts["symbols"]}
    return {"good": True, "outcome": "ok", **found, "seconds": seconds}


def _bad(outcome: str, reason: str, seconds: float) -> dict[str, Any]:
    return {"good": False, "outcome": outcome, "reason": reason[:300], "seconds": seconds}
