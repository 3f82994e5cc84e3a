"""Executes a few instructions on registers that a test sets, without a launch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.emulator.assembly import Kernel, parse_assembly
from tilewright.emulator.machine import Batch, Machine
from tilewright.emulator.memory import Memory
from tilewright.emulator.program import Program
from tilewright.emulator.report import Findings
from tilewright.emulator.state import Waves

TEMPLATE = """
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
k:
{body}
\ts_endpgm
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size {lds}
\t\t.amdhsa_private_segment_fixed_size {scratch}
\t\t.amdhsa_kernarg_size {kernarg}
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t\t.amdhsa_next_free_vgpr {vgprs}
\t\t.amdhsa_next_free_sgpr 60
\t\t.amdhsa_accum_offset {accum}
\t.end_amdhsa_kernel
{metadata}
"""


def assembly(
    arch: str, body: str, *, lds: int = 1024, kernarg: int = 0, args: tuple[str, ...] = (), scratch: int = 0
) -> str:
    """Return the text of a kernel `k`; `args` are kinds of arguments of eight bytes each."""
    lines = "\n".join(line if line.strip().endswith(":") else f"\t{line.strip()}" for line in body.strip().splitlines())
    metadata = ""
    if args:
        items = "\n".join(
            f"      - .offset: {8 * i}\n        .size: 8\n        .value_kind: {kind}" for i, kind in enumerate(args)
        )
        metadata = (
            f"\t.amdgpu_metadata\n---\namdhsa.kernels:\n  - .args:\n{items}\n"
            f"    .kernarg_segment_size: {8 * len(args)}\n    .max_flat_workgroup_size: 256\n"
            "    .name: k\n...\n\t.end_amdgpu_metadata\n"
        )
        kernarg = 8 * len(args)
    vgprs, accum = (192, 128) if arch.startswith("gfx9") else (128, 128)
    return TEMPLATE.format(
        arch=arch, body=lines, lds=lds, kernarg=kernarg, vgprs=vgprs, accum=accum, metadata=metadata, scratch=scratch
    )


def kernel(arch: str, body: str, **more: Any) -> Kernel:
    return parse_assembly(assembly(arch, body, **more))["k"]


class Bench:
    """Pieces of code for one arch, each executed on registers of its own."""

    def __init__(self, arch: str, pieces: list[str]) -> None:
        body = "\n".join(f".L{n}:\n{piece}" for n, piece in enumerate(pieces))
        self.kernel = kernel(arch, body)
        self.program = Program(self.kernel, False)

    def run(self, piece: int = 0, vectors: dict[int, Any] | None = None, scalars: dict[int, int] | None = None,
            scc: bool = False, waves: int = 1, execution: int = (1 << 64) - 1,
            errors: Any = "ignore") -> Waves:  # fmt: skip
        """Execute one piece on one workgroup and return the registers; `errors` is for NumPy's error state."""
        k = self.kernel
        machine = Machine(self.program, Memory(), Findings(k), Batch(0, 1, 1, waves, k.lds_bytes))
        st = Waves(k.vector_registers, k.accumulation_registers, waves, k.wave_size)
        st.scalars[:, 126], st.scalars[:, 127] = execution & 0xFFFFFFFF, execution >> 32
        st.set_exec()
        st.scc[:] = scc
        for register, value in (scalars or {}).items():
            st.scalars[:, register] = value
        for register, values in (vectors or {}).items():
            st.v[register][:] = np.asarray(values)
        with np.errstate(all=errors):
            self.program.block(k.labels[f".L{piece}"]).run(st, machine)
        return st


def run(arch: str, body: str, vectors: dict[int, Any] | None = None, scalars: dict[int, int] | None = None,
        **more: Any) -> Waves:  # fmt: skip
    """Execute `body` on one workgroup and return the registers."""
    return Bench(arch, [body]).run(0, vectors, scalars, **more)
