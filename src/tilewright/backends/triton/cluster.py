"""Clusters: programs that share copies of an operand, which Gluon of this version cannot express.

A kernel is compiled as if each program copied its share for itself only; `share_copies` then rewrites three things in
its assembly, and the driver is asked for clusters at launch (`cluster` of the launch metadata):

- the copies of the shared operands go to every program of the cluster (`.multicast::cluster`), and complete on the
  barrier of the same offset in each;
- an arrival that counts as many as the cluster has programs (only the release of a stage does) becomes one arrival at
  the barrier of each program;
- all threads meet once after the barriers were set up and once before they leave, so that nobody writes into the shared
  memory of a program that is not there. Workers only say at first that they are there and wait at the end: the other
  warps begin by asking for registers, which they get when the workers have given theirs up.

Whatever is not found exactly as expected ends the compilation, so a compiler that writes other code is noticed.
"""

from __future__ import annotations

import re

from ...errors import BuildError

ARRIVED = "\tbarrier.cluster.arrive.release;\n"
MEET = ARRIVED + "\tbarrier.cluster.wait.acquire;\n"
LEAVE = """\t{{
\t.reg .b32 thread;
\t.reg .pred worker;
\tmov.u32 thread, %tid.x;
\tsetp.ge.u32 worker, thread, {threads};
\t@worker barrier.cluster.wait.acquire;
\t}}
"""
COPY = re.compile(
    r"(@%p\d+ cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global\.mbarrier::complete_tx::bytes)"
    r"( \[%r\d+\], \[(?P<map>%rd\d+), \{[^}]*\}\], \[%r\d+\]);"
)
ARRIVE = r"(?P<guard>@%p\d+) mbarrier\.arrive\.shared::cta\.b64 _, \[(?P<barrier>%r\d+)\], {size};"
# The first branch: workers go on to wait; the other warps set up the barriers and then let the workers begin.
ENTRY = re.compile(
    r"\A((?:(?!\n\$L__).)*?\t@%p\d+ bra \t(\$L__BB0_\d+);\n)(\tbra\.uni \t\$L__BB0_\d+;\n\2:)", re.DOTALL
)
READY = re.compile(r"(mbarrier\.init(?:(?!\n\$L__).)*?)(\tbarrier\.sync \t1;\n)", re.DOTALL)
EXIT = re.compile(r"\tret;\n")


def share_copies(assembly: str, shared: tuple[int, ...], size: int, threads: int) -> str:
    """PTX in which the copies through the tensor maps at parameters `shared` reach all `size` programs of a cluster.

    The first `threads` threads of a program are no workers.
    """
    maps = {register for n in shared for register in _map_registers(assembly, n)}
    mask = (1 << size) - 1

    def copy(found: re.Match[str]) -> str:
        if found["map"] not in maps:
            return found[0]
        return f"{{\n\t.reg .b16 all;\n\tmov.b16 all, {mask};\n\t{found[1]}.multicast::cluster{found[2]}, all;\n\t}}"

    assembly = COPY.sub(copy, assembly)
    copies = assembly.count(".multicast::cluster")
    assembly, arrivals = re.subn(ARRIVE.format(size=size), lambda found: _arrive_everywhere(found, size), assembly)
    assembly, entries = ENTRY.subn(lambda found: found[1] + ARRIVED + found[3], assembly)
    assembly, ready = READY.subn(lambda found: found[1] + MEET + found[2], assembly, count=1)
    assembly, exits = EXIT.subn(lambda found: LEAVE.format(threads=threads) + MEET + found[0], assembly)
    if copies != len(shared) or not arrivals or (entries, ready, exits) != (1, 1, 1):
        found = f"{copies} copies, {arrivals} arrivals, {entries} entries, {ready} starts, {exits} exits"
        raise BuildError(f"the compiler's code for a cluster is not as expected: {found}", remedy="use cluster=1")
    return assembly


def _map_registers(assembly: str, parameter: int) -> list[str]:
    """Return the registers that hold the address of a tensor map among the parameters."""
    held = re.findall(rf"mov\.b64 \t(%rd\d+), \w+_param_{parameter};", assembly)
    return [r for h in held for r in re.findall(rf"cvta\.param\.u64 \t(%rd\d+), {h};", assembly)]


def _arrive_everywhere(found: re.Match[str], size: int) -> str:
    """Return one arrival at the barrier of each program of the cluster."""
    guard, barrier = found["guard"], found["barrier"]
    lines = ["{", "\t.reg .b32 there;"]
    for rank in range(size):
        lines.append(f"\tmapa.shared::cluster.u32 there, {barrier}, {rank};")
        # Without a scope: a release to the whole cluster would wait for all memory operations, in every step.
        lines.append(f"\t{guard} mbarrier.arrive.shared::cluster.b64 _, [there];")
    return "\n".join([*lines, "\t}"])
