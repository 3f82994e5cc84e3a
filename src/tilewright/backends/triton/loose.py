"""Stages of a ring that each group of 4 warps hands back by itself, which Gluon cannot express.

The compiler puts a barrier of all multiplying warps in front of every wait for a stage and in front of every arrival
that hands one back. Neither is needed: each warp waits by itself, and matrix instructions of a group of 4 warps end
together (CUTLASS has one arrival for each such group as well). `free_stages` takes these barriers out of the loop over
K, so that groups which share a tile drift apart and keep the matrix units busy in turn. Whatever is not found exactly
as expected ends the compilation.
"""

from __future__ import annotations

import re

from ...errors import BuildError

BLOCK = re.compile(r"^(?=\$L__)", re.MULTILINE)
MEET = re.compile(r"^\tbar\.sync \t\d+, \d+;\n", re.MULTILINE)
INIT = re.compile(r"@(%p\d+) mbarrier\.init\.shared::cta\.b64 \[%r\d+\], 1;")
ARRIVE = re.compile(r"@(%p\d+) mbarrier\.arrive\.shared::cta\.b64 _, \[(%r\d+)\];")
WAIT, PRODUCT = "mbarrier.try_wait", "wgmma.mma_async"
FIRST = """{{
\t.reg .b32 place;
\t.reg .pred first;
\tmov.u32 place, %tid.x;
\tand.b32 place, place, 127;
\tsetp.eq.{condition} first, place, 0{also};
\t@first mbarrier.arrive.shared::cta.b64 _, [{barrier}];
\t}}"""


def free_stages(assembly: str, groups: int) -> str:
    """PTX without barriers in the loops over K; each of `groups` groups of 4 warps that share a tile arrives itself."""
    blocks = BLOCK.split(assembly)
    for i, block in enumerate(blocks):
        if PRODUCT not in block:
            continue
        counts = [len(MEET.findall(block)), block.count(WAIT), len(ARRIVE.findall(block))]
        if counts != [2, 1, 1]:
            raise _unexpected(f"a loop with {counts} barriers, waits and arrivals")
        blocks[i] = MEET.sub("", block)
    assembly = "".join(blocks)
    return assembly if groups == 1 else _counted(assembly, groups)


def _counted(assembly: str, groups: int) -> str:
    """PTX in which stages are empty after `groups` arrivals, each by the first thread of 128."""
    guards = set(INIT.findall(assembly))
    if len(guards) != 1:
        raise _unexpected(f"{len(guards)} guards of barriers")
    (leader,) = guards
    which = iter(range(len(INIT.findall(assembly))))
    # Of each stage the barrier `full` is set up first, then `empty`.
    assembly = INIT.sub(lambda m: m[0].replace("], 1;", f"], {groups};") if next(which) % 2 else m[0], assembly)

    def arrive(found: re.Match[str]) -> str:
        if found[1] == leader:
            return FIRST.format(condition="u32", also="", barrier=found[2])
        said = re.findall(rf"and\.pred \t{found[1]}, (%p\d+), (%p\d+);", assembly)
        others = [p for pair in said for p in pair if p != leader]
        if len(said) != 1 or len(others) != 1:
            raise _unexpected(f"an arrival guarded by {said}")
        return FIRST.format(condition="and.u32", also=f", {others[0]}", barrier=found[2])

    return ARRIVE.sub(arrive, assembly)


def _unexpected(found: str) -> BuildError:
    return BuildError(f"the compiler's code for a ring is not as expected: {found}", remedy="use loose=False")
