"""The cost models of CK Tile are formulas: one definition for Python, NumPy and C, with the same times as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.gemm.cost import USUAL_RATIO, kernel_numbers
from tilewright.backends.ck_tile.gemm.features import CONSTANTS, work
from tilewright.backends.formula_cost import device_numbers
from tilewright.backends.gpu.kernel_counts import shipped_counts
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.ops.gemm.of_signature import problem_for
from tilewright.select import formulas
from tilewright.select.compiled import CompiledModel
from tilewright.select.features import feature_spec, problem_numbers
from tilewright.settings import Settings

GEMM = {"op": "gemm", "m": 1000, "n": 4096, "k": 4096, "dtype": "fp16"}
CONV = {"op": "grouped_conv", "direction": "forward", "n": 8, "c": 64, "k": 128, "input": [28, 28], "filter": [3, 3],
        "pad": [1, 1], "dtype": "fp16"}  # fmt: skip
FMHA = {"op": "fmha", "batch": 2, "heads_q": 16, "seqlen_q": 1000, "hdim_q": 64, "dtype": "fp16"}
NARROW = {"warp_tile_m": 16, "warp_tile_n": 16}
SMALL = {"tile_m": 64, "tile_n": 64}
HEADS = {"tile_n1": 64, "tile_k0max": 64}
# (arch, problem, what differs from it, algorithm, launch, seconds): products and attention by the functions that the
# formulas replaced, convolutions by the formulas of products.
BEFORE: tuple[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, int], float], ...] = (
    ("gfx942", GEMM, {}, {"pad_k": True}, {}, 0.00015388328463764934),
    ("gfx942", GEMM, {}, {**SMALL, "tile_k": 32, "pipeline": "mem", "pad_m": True}, {}, 6.357689034809706e-05),
    ("gfx942", GEMM, {"m": 64}, {**SMALL, "pipeline": "compv4", "double_smem_buffer": True}, {"split_k": 4},
     1.6698038233500037e-05),
    ("gfx90a", GEMM, {"m": 9000, "dtype": "bf16"}, {"persistent": True}, {}, 0.0021189660865692586),
    ("gfx1201", GEMM, {"n": 77}, {"tile_m": 128, "tile_n": 128, "tile_k": 32, **NARROW}, {}, 7.955895870178445e-05),
    ("gfx942", CONV, {}, {}, {}, 1.4996913462715059e-05),
    ("gfx942", CONV, {"direction": "backward_weight"}, {**SMALL, **NARROW, "pipeline": "mem"}, {"split_k": 4},
     1.8769900460525902e-05),
    ("gfx1100", CONV, {"g": 8}, {"groups_to_merge": 8, "vector_a": 1}, {}, 8.51452290939951e-06),
    ("gfx942", FMHA, {}, {**HEADS, "tile_n0": 64, "pad_s": True}, {}, 1.7952380952380952e-05),
    ("gfx90a", FMHA, {"hdim_q": 56, "mask": "causal_top_left"}, {**HEADS, "pad_s": True, "pad_d": True}, {},
     5.399011764705882e-05),
    ("gfx942", FMHA, {"seqlen_q": 1, "family": "fwd_splitkv", "seqlen_k": 8192}, {**HEADS, "tile_m0": 64},
     {"num_splits": 8}, 2.262914103286385e-05),
    ("gfx950", FMHA, {"seqlen_q": 4096, "family": "bwd"}, {"stage": "dq_dk_dv", "tile_m0": 32, "tile_n0": 128}, {},
     0.0004601111111111111),
)  # fmt: skip


def candidate_of(arch: str, problem: Any, algorithm: dict[str, Any], launch: dict[str, int]) -> Candidate:
    op = get_backend_op("ck_tile", problem.op)
    return Candidate(
        KernelSpec(problem.op, "ck_tile", arch, problem.signature, op.algorithm(**algorithm)), Launch(**launch)
    )


@pytest.mark.parametrize(("arch", "described", "other", "algorithm", "launch", "seconds"), BEFORE)
def test_kernels_without_counts_are_predicted_as_before(
    arch: str, described: dict[str, Any], other: dict[str, Any], algorithm: Any, launch: Any, seconds: float
) -> None:
    problem, device = problem_from_dict({**described, **other}), get_nominal_devices(arch)[0]
    candidate, op = candidate_of(arch, problem, algorithm, launch), get_backend_op("ck_tile", problem.op)
    seconds *= USUAL_RATIO[arch] if problem.op != "fmha" else 1.0  # the same for all kernels of an arch
    assert op.predict(candidate, problem, device) == pytest.approx(seconds, rel=1e-12)
    spec = feature_spec("ck_tile", problem.op)
    work = spec.compute(
        spec.table([candidate]), problem_numbers(problem), device_numbers(device, problem.operand_dtype)
    )
    assert work[0, spec.work.index("predicted_us")] * 1e-6 == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize("arch", sorted(USUAL_RATIO))
def test_the_usual_ratio_is_the_median_of_the_shipped_kernels(arch: str) -> None:
    device, op, found = get_nominal_devices(arch)[0], get_backend_op("ck_tile", "gemm"), []
    for spec, counts in shipped_counts("ck_tile", "gemm", arch):
        k, p, d = op.formula_cost.numbers(Candidate(spec), problem_for(spec.signature, 2048, 2048, 2048), device)
        by = [work({**k, **dict(zip(CONSTANTS, (*kernel_numbers(spec, c), 1.0, 1.0, 0.0, 0.0), strict=True))}, p, d)
              for c in (counts, None)]  # fmt: skip
        found.append(float(by[0]["predicted_us"]) / float(by[1]["predicted_us"]))
    assert USUAL_RATIO[arch] == pytest.approx(np.median(found), abs=0.002)


def test_c_ranks_as_python_does() -> None:
    """The kernels of the preselected sets: some of them are counted, others may not be."""
    from tilewright.backends.ck_tile.gemm import preselected_kernels

    problem, device = problem_from_dict(GEMM), get_nominal_devices("gfx942")[0]
    op = get_backend_op("ck_tile", "gemm")
    kernels = [k for name in ("fp16_rcr_essential", "fp16_rcr_compute") for k in preselected_kernels(name, "gfx942")]
    candidates = [Candidate(spec, Launch(split_k=s)) for spec in kernels for s in (1, 2)]
    model = formulas.untrained("ck_tile", "gemm", "gfx942")
    assert CompiledModel.of(model, Settings.from_env()) is not None  # built before it is asked for
    found = formulas.Formulas("ck_tile", "gemm", "gfx942", Settings.from_env())
    best = found.best(problem, candidates, device)
    seconds = [op.predict(c, problem, device) for c in candidates]
    assert best is not None
    assert best.seconds == min(seconds)
    assert op.predict(best.candidate, problem, device) == min(seconds)
    assert np.isfinite(seconds).all()
