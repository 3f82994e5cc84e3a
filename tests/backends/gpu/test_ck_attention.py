"""CK Tile attention through the backend's own launch code, on compiled kernels whose assembly is in the test data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from standin_rocm import DATA, ELF

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.fmha import OP, declared
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op
from tilewright.plan import make_plan
from tilewright.settings import Settings

SIZES = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 100, "seqlen_k": 150, "hdim_q": 64, "hdim_v": 64,
         "dtype": "fp16", "device": "emu:gfx942"}  # fmt: skip


def forward_kernel() -> KernelSpec:
    """The kernel of data/ck_fmha_fwd_gfx942.s."""
    wanted = {"mode": "batch", "mask": "window", "bias": "none", "lse": True, "dropout": "none", "soft_cap": False,
              "pad_s": True, "pad_sk": True}  # fmt: skip
    for spec in declared("gfx942", "fwd", "ck_default", ["fp16"], [64]).specs:
        if wanted.items() <= {**vars(spec.signature), **vars(spec.algorithm)}.items():
            return spec
    raise AssertionError("the kernel of the test data is no longer declared")


def opened(spec: KernelSpec, folder: Path, name: str) -> CkKernels:
    """The kernel as a build leaves it."""
    folder.mkdir(exist_ok=True)
    (folder / "kernel.co").write_bytes(ELF)
    (folder / "kernel.s").write_text((DATA / f"{name}_gfx942.s").read_text())
    return CkKernels(spec, folder, {spec.algorithm.stage: name})


def verdict_of(spec: KernelSpec, kernels: CkKernels, described: dict[str, Any]) -> Any:
    """Run at the emulated place under the sanitizer, and verify every output."""
    op = get_op("fmha")
    problem = op.problem_from_dict({"op": "fmha", **SIZES, **described})
    assert not OP.check(spec, get_arch("gfx942"), problem, Launch())
    plan = make_plan(problem, Candidate(spec, Launch()), kernels, Settings(sanitize=True))
    tensors = op.random_tensors(problem, 4)
    plan.bind({role: view_of(t, role) for role, t in tensors.items()})()
    return op.verify(problem, tensors, tensors[op.out_roles(problem)[0]], tier="float64")


@pytest.mark.parametrize(
    "masked",
    [
        {"mask": "causal_bottom_right"},
        {"mask": "causal_top_left", "seqlen_q": 128, "layout": "bhsd"},
        {"mask": "window", "window_left": 20, "window_right": 5, "batch": 1, "scale": 0.3},
    ],
    ids=lambda fields: fields["mask"],
)
def test_a_forward_pass_is_right_and_clean(tmp_path: Path, masked: dict[str, Any]) -> None:
    spec = forward_kernel()
    verdict = verdict_of(spec, opened(spec, tmp_path, "ck_fmha_fwd"), {"family": "fwd", "lse": True, **masked})
    assert verdict.ok, (verdict.error, verdict.tolerance)


def backward_kernel() -> KernelSpec:
    """The kernel of data/ck_fmha_dq_dk_dv_gfx942.s."""
    wanted = {"stage": "dq_dk_dv", "mode": "batch", "mask": "none", "bias": "none", "dropout": "none",
              "deterministic": False}  # fmt: skip
    for spec in declared("gfx942", "bwd", "ck_default", ["fp16"], [64]).specs:
        if wanted.items() <= {**vars(spec.signature), **vars(spec.algorithm)}.items():
            return spec
    raise AssertionError("the kernel of the test data is no longer declared")


def test_a_backward_pass_in_three_stages_is_right_and_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(self: Any, spec: KernelSpec, settings: Settings) -> CkKernels:
        return opened(spec, tmp_path / spec.algorithm.stage, f"ck_fmha_{spec.algorithm.stage}")

    monkeypatch.setattr(type(OP), "_loaded", loaded)
    spec = backward_kernel()
    kernels = opened(spec, tmp_path / "main", "ck_fmha_dq_dk_dv")
    verdict = verdict_of(spec, kernels, {"family": "bwd", "heads_kv": 4})
    assert verdict.ok, (verdict.error, verdict.tolerance)
