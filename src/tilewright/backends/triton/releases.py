"""Waits that kernels for AMD's CDNA GPUs need before another wave releases their stores.

Programs hand in partial results as follows: every wave stores, a barrier, then one wave adds to a counter with release
order. That wave waits for its own stores only, and LLVM's fence at the barrier waits for none: inside a workgroup, all
waves see the stores without it. A program elsewhere that reads the counter could read the others' results before they
arrive. Each wave therefore waits for its stores before the barrier. LLVM does the same for later GPUs since
https://github.com/llvm/llvm-project/pull/161638.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

WAIT = "s_waitcnt vmcnt(0)"
WAITS = re.compile(r"s_waitcnt .*\bvmcnt\(0\)")


def wait_for_stores(assembly: str) -> str:
    """Return AMD assembly that waits for stores before each barrier that a release follows.

    A release is an atomic operation directly after a wait for all of the wave's stores.

    >>> kernel = "buffer_store_dword v5, v6; s_barrier; s_waitcnt vmcnt(0); global_atomic_add v1, v1, v2, s[4:5]"
    >>> print(wait_for_stores(kernel.replace("; ", "\\n")))
    buffer_store_dword v5, v6
    s_waitcnt vmcnt(0)
    s_barrier
    s_waitcnt vmcnt(0)
    global_atomic_add v1, v1, v2, s[4:5]
    """
    lines, waits = assembly.splitlines(keepends=True), set[int]()
    barrier: int | None = None
    before = ""
    for number, line in enumerate(lines):
        words = line.partition(";")[0].strip()
        if not words or (words[0] == "." and words[-1] != ":"):
            continue  # a comment or a directive
        if words == "s_barrier":
            barrier = None if WAITS.match(before) else number
        elif "_atomic_" in words.split()[0] and WAITS.match(before) and barrier is not None:
            waits.add(barrier)
        before = words
    return "".join(f"{_indent(line)}{WAIT}\n{line}" if n in waits else line for n, line in enumerate(lines))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def released(binary: bytes, assembly: str, target: Any, options: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return (machine code, assembly) with these waits for a target of Triton; what is given if none is missing."""
    waiting = wait_for_stores(assembly)
    if waiting == assembly:
        return binary, assembly
    from triton._C.libtriton import llvm
    from triton.compiler import make_backend

    llvm.init_targets()  # Triton has not done so if it took the kernel from its own cache
    backend = make_backend(target)
    return backend.make_hsaco(waiting, {}, backend.parse_options(dict(options))), waiting
