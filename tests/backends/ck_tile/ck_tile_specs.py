"""Specs, problems and strategies that the ck_tile tests share."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tilewright.arch import get_arch, get_supported_archs
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm, preselected_kernels, preselected_names
from tilewright.errors import ArchError
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature

FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr")


def spec_of(arch: str = "gfx942", signature: GemmSignature = FP16, **fields: Any) -> KernelSpec:
    return KernelSpec("gemm", "ck_tile", arch, signature, CkTileGemm(**fields))


def problem_of(**fields: Any) -> GemmProblem:
    return GemmProblem.from_dict({"m": 4096, "n": 4096, "k": 4096, "dtype": "fp16", **fields})


def broken_rules(spec: KernelSpec, problem: GemmProblem | None = None, launch: Launch | None = None) -> list[str]:
    found = OP.check(spec, get_arch(spec.arch), problem, launch)
    return [r.rule.removeprefix("ck_tile.gemm.") for r in found]


def every_preselected() -> list[KernelSpec]:
    specs = []
    for arch in get_supported_archs("amd"):
        for name in preselected_names():
            try:
                specs += preselected_kernels(name, arch)
            except ArchError:
                continue
    return list({s.digest: s for s in specs}.values())


LEGAL = every_preselected()


@st.composite
def mutated(draw: st.DrawFn, most: int = 3) -> KernelSpec:
    """A legal kernel with up to `most` algorithm fields set to other choices."""
    spec = draw(st.sampled_from(LEGAL))
    tunables = draw(st.lists(st.sampled_from(OP.tunables()), max_size=most, unique_by=lambda t: t.name))
    return spec.with_algorithm(**{t.name: draw(st.sampled_from(t.choices), label=t.name) for t in tunables})
