"""Rule 5 and related rules: valid combinations of pipelines, schedulers, buffers and wave groups."""

from __future__ import annotations

from typing import Any

from .....arch import default_catalog
from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ..algorithm import EMITTED
from ..geometry import WIDEST_BYTES, element_bytes, load_vector
from .common import say
from .shape import PING_PONG_WAVES

PRESHUFFLE_PIPELINE = "preshufflev2"


NOT_GENERATED = {
    "compv1": "CK 1.2.0 loads single elements in it: its vector sizes are those of the problem, which are 1 "
    "(ops/gemm/pipeline/gemm_pipeline_agmem_bgmem_creg_v1.hpp, GetVectorSizeA)",
    "compv2": "CK 1.2.0 does not compile it with its universal block GEMM "
    "(ops/gemm/pipeline/gemm_pipeline_agmem_bgmem_creg_v2.hpp, line 210)",
    "preshufflev1": "CK 1.2.0 has no such pipeline",
}


@rule("ck_tile.gemm.emitted", "compile", "pipeline is mem, compv3, compv4, compv5, compv6, comp_async or preshufflev2")
def emitted(p: Subject) -> Broken | None:
    """The pipeline is one that kernels are generated for."""
    pipeline = p.algorithm.pipeline
    if pipeline in EMITTED:
        return None
    instead = PRESHUFFLE_PIPELINE if pipeline.startswith("preshuffle") else "compv4" if _double(pipeline) else "compv3"
    text = f"pipeline {pipeline} is known but not generated; generated are {', '.join(EMITTED)}"
    text += f". {NOT_GENERATED[pipeline]}" if pipeline in NOT_GENERATED else ""
    return say([text], {"pipeline": instead}, pipeline=pipeline)


@rule("ck_tile.gemm.pipeline", "hardware", "pipeline is one of the arch's pipelines")
def pipeline(p: Subject) -> Broken | None:
    """The pipeline has kernels on this arch."""
    asked = p.algorithm.pipeline
    if asked not in EMITTED or asked in p.arch.pipelines:
        return None
    text = f"{p.arch.name} has no {asked} kernels; it has {', '.join(p.arch.pipelines)}"
    return say([text], remedy="use one of those pipelines or another arch", pipeline=asked, pipelines=p.arch.pipelines)


@rule("ck_tile.gemm.scheduler", "compile", "(pipeline, epilogue, scheduler) is not a forbidden combination")
def scheduler(p: Subject) -> Broken | None:
    """compv3, compv4, compv5, compv6 and comp_async have no interwave form."""
    a = p.algorithm
    traits = (a.pipeline, a.epilogue, a.scheduler)
    if traits not in default_catalog().unsupported_traits:
        return None
    text = f"{a.pipeline} has no {a.scheduler} form (epilogue {a.epilogue})"
    return say([text], {"scheduler": "intrawave"}, "set scheduler to intrawave, or pipeline to mem", traits=traits)


@rule("ck_tile.gemm.preshuffle_pipeline", "compile", "pre-shuffled B if and only if pipeline == preshufflev2")
def preshuffle_pipeline(p: Subject) -> Broken | None:
    """Only preshufflev2 reads pre-shuffled B, and it reads nothing else."""
    name, shuffled = p.algorithm.pipeline, p.signature.variant == "preshuffle"
    if shuffled and name != PRESHUFFLE_PIPELINE:
        text = f"B is pre-shuffled ({p.signature.b_format}), which pipeline {name} cannot read"
        return say([text], {"pipeline": PRESHUFFLE_PIPELINE}, pipeline=name, b_format=p.signature.b_format)
    if not shuffled and name.startswith("preshuffle"):
        text = f"pipeline {name} reads pre-shuffled B; here B is plain"
        return say([text], {"pipeline": "compv4"}, "pre-shuffle B, or use compv4", pipeline=name, b_format="plain")
    return None


@rule(
    "ck_tile.gemm.double_smem_buffer",
    "compile",
    "double_smem_buffer if and only if pipeline is compv4, comp_async or preshuffle*",
)
def double_smem_buffer(p: Subject) -> Broken | None:
    """compv4, comp_async and preshufflev2 are written for two LDS buffers, the others for one."""
    name, got = p.algorithm.pipeline, p.algorithm.double_smem_buffer
    needed = _double(name)
    if got == needed:
        return None
    text = f"pipeline {name} needs double_smem_buffer {str(needed).lower()}; got {str(got).lower()}"
    return say([text], {"double_smem_buffer": needed}, pipeline=name, double_smem_buffer=got)


@rule("ck_tile.gemm.wave_groups", "semantic", "num_wave_groups == 2 for compv5, else 1: no other pipeline has groups")
def wave_groups(p: Subject) -> Broken | None:
    """compv5 is a ping-pong of two wave groups; no other pipeline has groups.

    CK 1.2.0 does not check it: in mem and compv3 only the first wave would store, and blocks of more than two waves
    would load only a part of their tiles.
    """
    name, got = p.algorithm.pipeline, p.algorithm.num_wave_groups
    needed = PING_PONG_WAVES[2] if name == "compv5" else 1
    if got == needed or got <= 0:
        return None
    text = f"pipeline {name} needs num_wave_groups {needed}; got {got}"
    return say([text], {"num_wave_groups": needed}, pipeline=name, num_wave_groups=got)


@rule("ck_tile.gemm.wave_groups_layout", "compile", "compv5: A row-major and B column-major")
def wave_groups_layout(p: Subject) -> Broken | None:
    """Operands in the other layout are transposed in registers, which CK cannot do for groups of waves."""
    if p.algorithm.pipeline != "compv5" or p.signature.layout[:2] == "rc":
        return None
    text = f"compv5 reads A row-major and B column-major; layout is {p.signature.layout}"
    fix = {"pipeline": "compv3", "num_wave_groups": 1}
    return say([text], fix, "use layout rcr, or another pipeline", layout=p.signature.layout)


@rule("ck_tile.gemm.async_layout", "compile", "comp_async: A row-major and B column-major")
def async_layout(p: Subject) -> Broken | None:
    """CK loads windows of tile_m x tile_k and tile_n x tile_k directly into LDS, in every layout."""
    if p.algorithm.pipeline != "comp_async" or p.signature.layout[:2] == "rc":
        return None
    text = f"comp_async reads A row-major and B column-major; layout is {p.signature.layout}"
    return say([text], {"pipeline": "compv4"}, "use layout rcr, or another pipeline", layout=p.signature.layout)


@rule("ck_tile.gemm.async_vectors", "compile", "comp_async: every lane loads 16 B of A and of B")
def async_vectors(p: Subject) -> Broken | None:
    """core/arch/amd_buffer_addressing_builtins.hpp, line 1685: loads into LDS are of 4, 12 or 16 bytes."""
    if p.algorithm.pipeline != "comp_async":
        return None
    faults = []
    for role, dtype in (("a", p.signature.dtype_a), ("b", p.signature.dtype_b)):
        got = load_vector(p.algorithm, p.signature, p.arch, role) * element_bytes(dtype)
        if got != WIDEST_BYTES:
            faults.append(f"comp_async loads {WIDEST_BYTES} B into LDS; {role.upper()} has {got:g} B per lane")
    return say(faults, remedy="use a larger tile, or compv4", tile=p.algorithm.tile) if faults else None


@rule("ck_tile.gemm.async_epilogue", "known-miscompile", "comp_async: epilogue default")
def async_epilogue(p: Subject) -> Broken | None:
    """The last load of an even number of steps is not waited for: it may write LDS while cshuffle stores through it.

    The emulator's sanitizer reports it (`LDS race: two waves write the same bytes`).
    """
    if p.algorithm.pipeline != "comp_async" or p.algorithm.epilogue == "default":
        return None
    text = f"comp_async does not wait for its last load into LDS, which {p.algorithm.epilogue} uses"
    return say([text], {"epilogue": "default"}, epilogue=p.algorithm.epilogue)


def follows(pipeline: str) -> dict[str, Any]:
    """Return the values that the pipeline determines.

    >>> follows("compv4")
    {'double_smem_buffer': True, 'num_wave_groups': 1}
    """
    return {"double_smem_buffer": _double(pipeline), "num_wave_groups": 2 if pipeline == "compv5" else 1}


def _double(pipeline: str) -> bool:
    # compv6 has one buffer in CK 1.2.0, although half of LDS is set aside for it.
    return default_catalog().pipelines[pipeline].lds_fraction < 1 and pipeline != "compv6"


RULES = (
    emitted,
    pipeline,
    scheduler,
    preshuffle_pipeline,
    double_smem_buffer,
    wave_groups,
    wave_groups_layout,
    async_layout,
    async_vectors,
    async_epilogue,
)
