"""CK Tile attention through the backend's own launch code, on compiled kernels whose assembly is in the test data."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from code_objects import ELF
from standin_rocm import DATA, spied

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.fmha import OP, declared
from tilewright.backends.ck_tile.fmha.launch import ForwardStage
from tilewright.backends.gpu.emulated.standin import emulated_driver, emulated_runtime
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op
from tilewright.plan import make_plan
from tilewright.settings import Settings

SIZES = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 100, "seqlen_k": 150, "hdim_q": 64, "hdim_v": 64,
         "dtype": "fp16", "device": "emu:gfx942"}  # fmt: skip


def kernel(family: str, dtype: str, hdim: int, **wanted: Any) -> KernelSpec:
    """The first declared kernel with these fields."""
    for spec in declared("gfx942", family, "ck_default", [dtype], [hdim]).specs:
        if wanted.items() <= {**vars(spec.signature), **vars(spec.algorithm)}.items():
            return spec
    raise AssertionError("the kernel of the test data is no longer declared")


PADDED = {"mode": "batch", "bias": "none", "soft_cap": False, "pad_s": True, "pad_sk": True}


def forward_kernel() -> KernelSpec:
    """The kernel of data/ck_fmha_fwd_gfx942.s."""
    return kernel("fwd", "fp16", 64, **PADDED, mask="window", lse=True, dropout="none")


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
    out, allowed = tensors[op.out_roles(problem)[0]], OP.product_error(spec)
    return op.verify(problem, tensors, out, tier="float64", product_error=allowed)


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


def test_a_forward_pass_with_dropout_of_ck_is_right_and_clean(tmp_path: Path) -> None:
    spec = kernel("fwd", "fp16", 64, **PADDED, mask="none", lse=True, dropout="ck")
    described = {"family": "fwd", "lse": True, "dropout": 0.3, "dropout_rng": "ck"}
    verdict = verdict_of(spec, opened(spec, tmp_path, "ck_fmha_fwd_dropout"), described)
    assert verdict.ok, (verdict.error, verdict.tolerance)


def test_scales_of_8_bit_operands_are_read_at_each_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the kernel itself: the launch neither copies nor waits, and may be captured."""
    spec = kernel("fwd", "fp8_fnuz", 128, **PADDED, mask="none", qscale="pertensor", dtype_out="bf16")
    described = {"family": "fwd", "dtype": "fp8_fnuz", "qscale": "pertensor", "hdim_q": 128, "hdim_v": 128}
    op, kernels = get_op("fmha"), opened(spec, tmp_path, "ck_fmha_fwd_fp8")
    problem = op.problem_from_dict({"op": "fmha", **SIZES, **described})
    tensors = op.random_tensors(problem, 4)
    plan = make_plan(problem, Candidate(spec, Launch()), kernels, Settings(sanitize=True))
    bound = plan.bind({role: view_of(t, role) for role, t in tensors.items()})
    bound()
    first = np.array(tensors["out"]).astype(np.float32)
    verdict = op.verify(problem, tensors, tensors["out"], tier="float64", product_error=OP.product_error(spec))
    assert verdict.ok, (verdict.error, verdict.tolerance)
    for role in ("scale_q", "scale_k", "scale_v"):  # a stale scale, off by 2, is reported
        for factor in (0.5, 2.0):
            other = {**tensors, role: tensors[role] * factor}
            stale = op.verify(problem, other, tensors["out"], tier="float64", product_error=OP.product_error(spec))
            assert not stale.ok, (role, factor, stale.ratio)
            assert stale.sequence in (0, 1)
    tensors["scale_q"] *= 2
    tensors["scale_k"] /= 2
    tensors["scale_v"] /= 2
    bound()
    assert np.array_equal(np.array(tensors["out"]).astype(np.float32), first / 2)
    driver, graph = emulated_driver("gfx942"), ctypes.c_void_p()
    stream, copies = driver.new_stream(), spied(emulated_runtime(), "hipMemcpyAsync", monkeypatch)
    [call] = ForwardStage(Candidate(spec, Launch()), problem, kernels).prepare(driver, dict.fromkeys(tensors, 64), 0)
    assert driver._lib.hipStreamBeginCapture(ctypes.c_void_p(stream), 0) == 0
    call(stream)
    assert driver._lib.hipStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph)) == 0
    assert not copies


@pytest.mark.parametrize("heads_kv", [4, 2])
def test_keys_and_values_are_appended_and_rotated(tmp_path: Path, heads_kv: int) -> None:
    spec = kernel("fwd_appendkv", "fp16", 64, rope="half", page_size=0, pad_s=True, pad_sk=True)
    described = {"family": "fwd_appendkv", "rope": "half", "rotary_dim": 32, "seqlen_new": 70}
    verdict = verdict_of(spec, opened(spec, tmp_path, "ck_fmha_append"), {**described, "heads_kv": heads_kv})
    assert verdict.ok, (verdict.error, verdict.tolerance)


def test_a_batch_prefill_from_pages_is_right_and_clean(tmp_path: Path) -> None:
    wanted = {"mask": "window", "lse": True, "dropout": "none", "bias": "none", "soft_cap": False}
    spec = kernel("batch_prefill", "fp16", 128, **wanted)
    described = {"family": "batch_prefill", "mode": "group", "lse": True, "mask": "causal_bottom_right", "page_size": 1,
                 "lookup": "sglang", "hdim_q": 128, "hdim_v": 128, "num_pages": 400, "total_q": 170}  # fmt: skip
    verdict = verdict_of(spec, opened(spec, tmp_path, "ck_fmha_batch_prefill"), described)
    assert verdict.ok, (verdict.error, verdict.tolerance)


def backward_kernel(dropout: str = "none") -> KernelSpec:
    """The kernel of data/ck_fmha_dq_dk_dv_gfx942.s, or of ck_fmha_dq_dk_dv_dropout_gfx942.s."""
    fields = {"stage": "dq_dk_dv", "mode": "batch", "mask": "none", "bias": "none", "dropout": dropout}
    return kernel("bwd", "fp16", 64, **fields, deterministic=False)


@pytest.fixture
def stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other kernels of a backward pass are those of the test data."""

    def loaded(self: Any, spec: KernelSpec, settings: Settings) -> CkKernels:
        return opened(spec, tmp_path / spec.algorithm.stage, f"ck_fmha_{spec.algorithm.stage}")

    monkeypatch.setattr(type(OP), "_loaded", loaded)


@pytest.mark.usefixtures("stages")
def test_a_backward_pass_drops_what_its_forward_pass_dropped(tmp_path: Path) -> None:
    spec = backward_kernel("ck")
    kernels = opened(spec, tmp_path / "main", "ck_fmha_dq_dk_dv_dropout")
    described = {"family": "bwd", "heads_q": 2, "dropout": 0.3, "dropout_rng": "ck"}
    verdict = verdict_of(spec, kernels, {**described, "heads_kv": 1})
    assert verdict.ok, (verdict.error, verdict.tolerance)


@pytest.mark.parametrize("heads_kv", [4, 2, 1])
@pytest.mark.usefixtures("stages")
def test_a_backward_pass_in_its_stages_is_right_and_clean(tmp_path: Path, heads_kv: int) -> None:
    spec = backward_kernel()
    kernels = opened(spec, tmp_path / "main", "ck_fmha_dq_dk_dv")
    verdict = verdict_of(spec, kernels, {"family": "bwd", "heads_kv": heads_kv})
    assert verdict.ok, (verdict.error, verdict.tolerance)


PREFILL = {"family": "batch_prefill", "mode": "group", "page_size": 1, "lookup": "sglang", "hdim_q": 128, "hdim_v": 128,
           "num_pages": 100, "total_q": 60, "mask": "causal_bottom_right", "lse": True}  # fmt: skip
APPEND = {"family": "fwd_appendkv", "rope": "half", "rotary_dim": 32, "seqlen_new": 30}
FEW = {"heads_q": 2, "heads_kv": 1, "seqlen_q": 40, "seqlen_k": 70}


def described_kernel(family: str) -> tuple[KernelSpec, str, dict[str, Any]]:
    """A kernel of the test data, its file, and a problem for it."""
    if family == "fwd":
        return forward_kernel(), "ck_fmha_fwd", {**FEW, "family": "fwd", "lse": True, "mask": "causal_top_left"}
    if family == "fwd_appendkv":
        wanted: dict[str, Any] = {"rope": "half", "page_size": 0, "pad_s": True, "pad_sk": True}
        return kernel(family, "fp16", 64, **wanted), "ck_fmha_append", {**FEW, **APPEND}
    if family == "batch_prefill":
        wanted = {"mask": "window", "lse": True, "dropout": "none", "bias": "none", "soft_cap": False}
        return kernel(family, "fp16", 128, **wanted), "ck_fmha_batch_prefill", {**FEW, **PREFILL}
    return backward_kernel(), "ck_fmha_dq_dk_dv", {**FEW, "family": "bwd"}


def padded_strides(problem: Any) -> dict[str, tuple[int, ...]]:
    """Rows that lie apart, of every tensor for which CK has strides."""
    found = {}
    for role in problem.roles:
        steps = problem.stride(role)
        taken = role not in ("cos", "sin") and not (problem.family == "fwd_appendkv" and role in ("q", "out"))
        if taken and len(steps) > 1:
            found[role] = tuple(s // steps[-2] * (steps[-2] + 8) if s > 1 else s for s in steps)
    return found


@pytest.mark.parametrize("family", ["fwd", "fwd_appendkv", "batch_prefill", "bwd"])
@pytest.mark.usefixtures("stages")
def test_strides_are_right_or_refused(family: str, tmp_path: Path) -> None:
    """CK's kernels have no strides of columns, of rows of an LSE, of angles and of lengths."""
    op, (spec, name, described) = get_op("fmha"), described_kernel(family)
    problem = op.problem_from_dict({"op": "fmha", **SIZES, **described})
    for role in problem.roles:
        if max(problem.shape(role)) > 1:
            apart = {role: tuple(2 * s for s in problem.stride(role))}
            given = op.problem_from_dict({"op": "fmha", **SIZES, **described, "strides": apart})
            assert "ck_tile.fmha.dense" in {r.rule for r in OP.check(spec, get_arch("gfx942"), given)}, role
    if family in ("fwd", "batch_prefill"):  # the other two have all roles that these have
        return
    apart = padded_strides(problem)
    verdict = verdict_of(spec, opened(spec, tmp_path / "main", name), {**described, "strides": apart})
    assert verdict.ok, (verdict.error, verdict.tolerance)


@pytest.mark.usefixtures("stages")
def test_a_single_row_may_have_any_stride(tmp_path: Path) -> None:
    """Rows behind the last one are read as zeros, because they lie behind the end of the matrix."""
    spec, name, described = described_kernel("bwd")
    strides = {"q": (128, 0, 64, 1), "out": (128, 1, 64, 1), "dout": (128, 0, 64, 1), "dq": (128, 8, 64, 1)}
    changed = {**described, "seqlen_q": 1, "strides": strides}
    verdict = verdict_of(spec, opened(spec, tmp_path / "main", name), changed)
    assert verdict.ok, (verdict.error, verdict.tolerance)


@pytest.mark.parametrize(
    "strides",
    [
        {"lse": (80, 0, 1)},
        {"dout": (5120, 0, 64, 1)},
        {"dout": (5120, 32, 64, 1)},
        {"q": (5120, 0, 64, 1)},  # executed, with a large scale, it gave infinite gradients
        {"bias": (0, 0, 0, 1)},
    ],
)
def test_rows_that_share_memory_have_no_gradient(strides: dict[str, tuple[int, ...]]) -> None:
    spec, _, described = described_kernel("bwd")
    if "bias" in strides:
        spec = kernel("bwd", "fp16", 64, stage="dq_dk_dv", mode="batch", bias="elementwise", mask="none", dbias=False)
        described = {**described, "bias": "elementwise"}
    problem = get_op("fmha").problem_from_dict({"op": "fmha", **SIZES, **described, "strides": strides})
    assert [r.rule for r in OP.check(spec, get_arch("gfx942"), problem)] == ["ck_tile.fmha.strides"]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("family", ["fwd", "fwd_appendkv", "batch_prefill", "bwd"])
@pytest.mark.usefixtures("stages")
def test_expanded_operands_are_right_or_refused(family: str, axis: int, tmp_path: Path) -> None:
    """Sequences, rows or heads of what is only read that share memory: strides of 0."""
    op, (spec, name, described) = get_op("fmha"), described_kernel(family)
    problem = op.problem_from_dict({"op": "fmha", **SIZES, **described, "scale": 3.0})
    read = [r for r in problem.roles if r not in op.out_roles(problem) and len(problem.shape(r)) > 2 and r != "lse"]
    shared = {}
    for role in read:
        steps = problem.stride(role)
        changed = {role: tuple(0 if at == axis else s for at, s in enumerate(steps))}
        given = op.problem_from_dict({"op": "fmha", **SIZES, **described, "scale": 3.0, "strides": changed})
        if axis < len(steps) - 1 and not OP.check(spec, get_arch("gfx942"), given):
            shared |= changed
    assert shared
    verdict = verdict_of(spec, opened(spec, tmp_path / "main", name), {**described, "scale": 3.0, "strides": shared})
    assert verdict.ok, (verdict.error, verdict.tolerance, shared)
