"""Executes compiled AMD GPU kernels on NumPy, from their assembly text, with a sanitizer.

`emulate` runs a kernel on arrays; `launch` is the layer below it, for drivers that hold memory of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import AssemblyError
from .arguments import pack_arguments
from .assembly import Kernel, kernel_of, parse_assembly
from .counts import Tally, instruction_counts
from .isa import ISAS
from .machine import Trace
from .memory import LIMIT, Memory
from .program import Program
from .report import Finding, Report
from .start import STEP_LIMIT, launch

__all__ = [
    "ISAS", "Finding", "Kernel", "Memory", "Program", "Report", "Tally", "emulate", "instruction_counts", "kernel_of",
    "launch", "parse_assembly",
]  # fmt: skip


def emulate(
    source: str | Kernel, kernel_name: str, args: Sequence[Any], grid: Sequence[int], block: Sequence[int],
    sanitize: bool = True, *, arch: str = "", dynamic_lds: int = 0, memory_limit: int = LIMIT,
    step_limit: int = STEP_LIMIT, tally: Tally | None = None, trace: Trace | None = None,
) -> Report:  # fmt: skip
    """Execute a kernel on NumPy arrays and return what the sanitizer found.

    `source` is assembly text, or a kernel (`load_kernel` of the GPU backends reads files). Arrays among `args` are the
    kernel's buffers: they are copied into emulated memory, and back when the kernel has ended. `grid` counts
    workgroups, `block` work items. If `arch` is given, a text for another arch is refused.
    A `tally` counts what is executed, and `trace` is called with a line for each instruction.

    >>> head = '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"'
    >>> text = "\\n".join([head, "k:", " s_nop 0", " s_endpgm", " .amdhsa_kernel k", " .end_amdhsa_kernel"])
    >>> print(emulate(text, "k", [], grid=(1,), block=(128,)))
    k: 4 wave instructions; the sanitizer found nothing
    """
    kernel = kernel_of(source, kernel_name) if isinstance(source, str) else source
    if arch and kernel.isa.name != arch:
        raise AssemblyError(
            f"the assembly is for {kernel.isa.name}, not for {arch}", kernel=kernel.name,
            remedy=f"compile the kernel for {arch}",
        )  # fmt: skip
    memory = Memory(memory_limit)
    kernarg, addresses = pack_arguments(kernel, args, memory)
    report = launch(
        kernel, memory, kernarg, grid, block, dynamic_lds=dynamic_lds, sanitize=sanitize, step_limit=step_limit,
        tally=tally, trace=trace,
    )  # fmt: skip
    for position, address in addresses.items():
        array = args[position]
        if array.flags.writeable:
            np.copyto(array, memory.read(address, array.dtype, array.size).reshape(array.shape))
    return report
