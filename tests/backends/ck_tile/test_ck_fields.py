"""Whatever a problem says, CK Tile's launches show it or a rule refuses it: every field, and every stride of a tensor.

The fields are those of the problems' classes, so a new one is here without a change; what may be ignored is listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ck_tile_specs import problem_of, spec_of

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.conv import CkTileConv
from tilewright.backends.ck_tile.conv.launch import leaves_gaps, workspace_bytes
from tilewright.errors import TilewrightError
from tilewright.model.kernel import Candidate, KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import ConvSignature
from tilewright.ops.fmha.rules import NAMES
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.prologue import PrologueStep
from tilewright.registry import Registry
from tilewright.settings import Settings

ARCH, DEVICE = get_arch("gfx942"), get_nominal_devices("gfx942")[0]
Case = tuple[KernelSpec, Any]
PADS = {"pad_m": True, "pad_n": True, "pad_k": True}
SCALED = {"dtype": "fp8_fnuz", "dtype_out": "fp16"}
QUANT = {"family": "quant", "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 32, "tile_m": 64, "tile_n": 128,
         "tile_k": 128}  # fmt: skip


def gemm(algorithm: dict[str, Any] | None = None, **given: Any) -> Case:
    problem = problem_of(**{"m": 256, "n": 512, "k": 384, **given})
    return spec_of(signature=problem.signature, **(algorithm or {})), problem


def conv(direction: str) -> Case:
    turned = {} if direction == "forward" else {"vector_a": 8, "vector_b": 8}
    spec = KernelSpec("conv", "ck_tile", "gfx942", ConvSignature(direction, *["fp16"] * 3, "fp32", layout="nhwgc"),
                      CkTileConv(**turned))  # fmt: skip
    sizes = {"n": 8, "g": 2, "c": 64, "k": 128, "input": [28, 30], "filter": [3, 5], "pad": [1, 2], "dtype": "fp16"}
    return spec, problem_from_dict({"op": "grouped_conv", "direction": direction, **sizes})


@cache
def attention_kernels() -> Registry:
    registry = Registry("attention")
    for kernel_set in get_backend_op("ck_tile", "fmha").default_sets():
        registry.declare(kernel_set)
    return registry


def fmha(family: str = "fwd", **given: Any) -> Case:
    sizes = {"batch": 3, "heads_q": 4, "heads_kv": 2, "seqlen_q": 200, "seqlen_k": 400, "hdim_q": 128, "dtype": "fp16"}
    problem = problem_from_dict({"op": "fmha", "family": family, **sizes, **given, "device": "cuda"})
    found = sorted(attention_kernels().legal(problem, DEVICE), key=lambda c: c.spec.digest)
    return found[0].spec, problem


PAGES = {"page_size": 128, "num_pages": 20}
PREFILL = {"mode": "group", "page_size": 1, "lookup": "sglang", "num_pages": 900, "total_q": 500}
ELEMENTS = {"bias": "elementwise", "bias_batch": 3, "bias_heads": 4}
CASES: dict[str, tuple[Any, ...]] = {
    "gemm": (gemm,),
    "gemm columns": (gemm, PADS, {"layout": "ccr"}),
    "gemm D": (gemm, {}, {"d": [{"dtype": "fp16"}, {"dtype": "fp16", "broadcast": "row"}]}),
    "gemm batch": (gemm, {"family": "batched"}, {"batch": 3}),
    "gemm batch D": (gemm, {"family": "batched"}, {"batch": 3, "d": [{"dtype": "fp16"}]}),
    "gemm groups": (gemm, {"family": "grouped"}, {"groups": 3}),
    "gemm stream-k": (gemm, {"family": "stream_k_atomic"}),
    "gemm prologue": (gemm, {}, {"prologue_a": [{"op": "add", "dtype": "fp16"}, "relu"]}),
    "gemm packed": (gemm, {"pipeline": "preshufflev2", "double_smem_buffer": True, "tile_m": 128, "tile_n": 128},
                    {"b_format": "ck_tile_n32_v8"}),
    "gemm rows scaled": (gemm, QUANT, {**SCALED, "scale_a": "row", "scale_b": "row"}),
    "gemm blocks of A scaled": (gemm, QUANT, {**SCALED, "scale_a": "block"}),
    "gemm blocks of B scaled": (gemm, QUANT, {**SCALED, "scale_b": "block", "strides": {"scale_b": (0, 1, 3)}}),
    **{f"conv {direction}": (conv, direction) for direction in ("forward", "backward_data", "backward_weight")},
    "fmha": (fmha,),
    "fmha window": (fmha, {}, {"mask": "window", "window_left": 50, "window_right": 20, "lse": True}),
    "fmha bias": (fmha, {}, {"lse": True, **ELEMENTS}),
    "fmha slopes": (fmha, {}, {"bias": "alibi", "bias_batch": 3}),
    "fmha cap": (fmha, {}, {"soft_cap": 30.0}),
    "fmha dropout": (fmha, {}, {"dropout": 0.25, "dropout_rng": "ck"}),
    "fmha group": (fmha, {}, {"mode": "group", "total_q": 500, "total_k": 900, "lse": True}),
    "fmha group bias": (fmha, {}, {"mode": "group", "total_q": 500, **ELEMENTS, "bias_batch": 1}),
    "fmha scales": (fmha, {}, {"dtype": "fp8_fnuz", "qscale": "pertensor"}),
    "fmha splits": (fmha, {"family": "fwd_splitkv"}, {"kv_lengths": True, "lse": True, "num_splits": 3}),
    "fmha splits of pages": (fmha, {"family": "fwd_splitkv"}, PAGES),
    "fmha pages": (fmha, {"family": "fwd_pagedkv"}, PAGES),
    "fmha prefill": (fmha, {"family": "batch_prefill"}, PREFILL),
    "fmha append": (fmha, {"family": "fwd_appendkv"}, {"seqlen_new": 70, "rope": "half", "rotary_dim": 64}),
    "fmha append to pages": (fmha, {"family": "fwd_appendkv"}, {"seqlen_new": 70, **PAGES}),
    "fmha backward": (fmha, {"family": "bwd"}, {}),
    "fmha backward bias": (fmha, {"family": "bwd"}, {**ELEMENTS, "dbias": True}),
    "fmha backward group": (fmha, {"family": "bwd"}, {"mode": "group", "total_q": 500, "total_k": 900}),
}  # fmt: skip


@cache
def case(name: str) -> Case:
    make, *rest = CASES[name]
    if make is conv:
        return conv(rest[0])
    first, given = (*rest, {}, {})[:2]
    return gemm(first, **given) if make is gemm else fmha(**first, **given)


class Driver:
    """Keeps what is launched."""

    ordinal = 0

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def load(self, *code: Any, owner: Any) -> int:
        return len(str(code))

    def units(self) -> int:
        return 304

    def blocks_per_unit(self, function: int, block: int) -> int:
        return 1

    def launch_raw(self, function: int, grid: Any, block: Any, *rest: Any) -> int:
        self.seen.append((function, *grid, *block))
        return 0

    def clear_rows(self, *rows: int) -> None:
        self.seen.append(rows)

    def copy(self, *what: int) -> None:
        self.seen.append(what)

    def check(self, code: int, what: str) -> None:
        assert code == 0


class Named(dict[str, str]):
    """Every kernel that is asked for is there."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return name


def opened(spec: KernelSpec) -> CkKernels:
    kernels = CkKernels(spec, Path(), {})
    kernels.symbols = Named()
    return kernels


def launched(spec: KernelSpec, problem: Any) -> Any:
    """Everything that the GPU is told: kernels, grids, and the bytes of their arguments."""
    op = get_backend_op("ck_tile", spec.op)
    launch = op.launches(spec, problem, DEVICE)[0]
    if spec.op == "conv":  # CK's host code makes the argument, of these sizes
        return get_op("conv").sizes(problem), launch.split_k, leaves_gaps(problem), workspace_bytes(problem, spec)
    driver, at = Driver(), {role: (i + 1) << 40 for i, role in enumerate(problem.roles)}
    (stage,) = op.stages(Candidate(spec, launch), problem, opened(spec), Settings())
    for call in stage.prepare(driver, at, len(at) + 1 << 40):  # type: ignore[attr-defined]
        call(0)
        driver.seen.append([value for _, _, value in call.addresses()])
    return driver.seen


def others(name: str, value: Any) -> Iterator[Any]:
    """Other values of a field."""
    if name in NAMES:
        yield from (x for x in NAMES[name] if x != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from sorted({value + 1, value + 8, value + 128, 2 * value, value // 2, max(0, value - 1), 64} - {value})
    elif isinstance(value, float):
        yield from (value + 0.5, value + 1, 2 * value + 0.25)
    elif value is None:
        yield from (2, 0.5)
    elif is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            for other in others(f.name, getattr(value, f.name)):
                with suppress(TilewrightError):
                    yield replace(value, **{f.name: other})  # type: ignore[type-var]
    elif isinstance(value, tuple):
        for i, x in enumerate(value):
            yield from ((*value[:i], other, *value[i + 1 :]) for other in others(name, x))
        yield from MORE.get(name, ())
    elif isinstance(value, str):
        yield from (x for x in MORE[name] if x != value)
    else:
        raise AssertionError(f"say what other values {name} can have")


DTYPES = ("fp32", "bf16", "fp8_fnuz", "int8")
MORE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("dtype_a", "dtype_b", "dtype_out", "dtype_acc"), DTYPES),
    **dict.fromkeys(("dtype_input", "dtype_weight", "dtype_output", "dtype"), DTYPES),
    **dict.fromkeys(("scale_a", "scale_b"), ("none", "tensor", "row", "block")),
    "layout": ("rrr", "crr", "rcc", "rcrc", "nchw", "ncdhw"),
    "direction": ("forward", "backward_data", "backward_weight"),
    "b_format": ("ck_tile_n16_v8", "cpu.panels"),
    "combine": ("add", "multiply"),
    "activation": ("relu", "silu"),
    "broadcast": ("row", "col"),
    "op": ("multiply", "gelu_erf"),
    "d": ((DTensor("fp16"),), (DTensor("fp16", "col"),)),
    **dict.fromkeys(("prologue_a", "prologue_b"), ((PrologueStep("multiply", "fp16"),), (PrologueStep("silu"),))),
}

IGNORED = {
    "device": "where it runs",
    "alignment": "rules compare it with the vectors of a kernel",
    "summation": "no kernel of CK Tile declares an order: none is offered",
    "strides": "test_every_stride_is_launched_or_refused",
}
Q_TILE = 128


def has_meaning(problem: Any, name: str, other: Any) -> bool:
    """Whether another value of a field is another task."""
    value = getattr(problem, name)
    if name == "epilogue" and not problem.d:
        return bool(replace(other, beta=value.beta) != value)
    if name == "scale_block":
        return "block" in (problem.scale_a, problem.scale_b)
    if name == "dropout_rng":
        return bool(problem.dropout > 0)
    if name == "scale":
        return bool(problem.family != "fwd_appendkv")
    if name == "num_pages":
        return bool(problem.lookup != "vllm")  # the table says where they are
    if name == "total_k":
        return False  # of sequences or pages that an index tensor finds
    if name in ("total_q", "seqlen_q", "seqlen_k") and (problem.mode == "group" or problem.page_size):
        # Index tensors hold the lengths; the longest one decides how many blocks there are.
        return bool(name == "seqlen_q" and -(-value // Q_TILE) != -(-other // Q_TILE))
    return True


def is_told(spec: KernelSpec, problem: Any, change: dict[str, Any]) -> bool:
    """Whether a changed problem is none, is refused, is another kernel's, or is launched in another way."""
    op = get_backend_op("ck_tile", spec.op)
    try:
        changed = replace(problem, **change)
    except TilewrightError:
        return True
    if changed.signature != problem.signature:
        return True
    found = op.launches(spec, changed, DEVICE)
    if not found or op.check(spec, ARCH, changed, found[0]):
        return True
    return bool(launched(spec, changed) != launched(spec, problem))


@pytest.fixture(autouse=True)
def _loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other kernels of a pass are there without a build."""
    op = type(get_backend_op("ck_tile", "fmha"))
    monkeypatch.setattr(op, "_loaded", lambda self, spec, settings: opened(spec))


def faults_of_fields(spec: KernelSpec, problem: Any) -> list[tuple[str, Any, Any]]:
    """(field, value, other value) that make no difference to a launch."""
    found = []
    for f in fields(problem):
        value = getattr(problem, f.name)
        for other in others(f.name, value) if f.name not in IGNORED else ():
            if other != value and has_meaning(problem, f.name, other) and not is_told(spec, problem, {f.name: other}):
                found.append((f.name, value, other))
    return found


def steps_of(problem: Any, role: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(extents, strides) of a tensor."""
    shape = problem.extents(role) if problem.op == "conv" else problem.shape(role)
    if problem.op == "conv":
        return shape, problem.stride_of(role)
    if problem.op == "gemm" and len(shape) == 1:
        return (*shape, 1, 1), (1, 0, 0)
    return (problem.matrices(role), *shape) if problem.op == "gemm" else shape, problem.stride(role)


def faults_of_strides(spec: KernelSpec, problem: Any) -> list[tuple[Any, ...]]:
    """(tensor, its extents, strides, other strides) that make no difference."""
    found = []
    for role in problem.roles:
        if role == "ends" or (role == "b" and getattr(problem, "b_format", "plain") != "plain"):
            continue  # its tensor is checked to be dense
        extents, given = steps_of(problem, role)
        for axis, (extent, step) in enumerate(zip(extents, given, strict=True)):
            for other in {0, 1, -step, step + 8, 2 * step, 4096} - {step} if extent > 1 else ():
                strides = {**problem.strides, role: (*given[:axis], other, *given[axis + 1 :])}
                if not is_told(spec, problem, {"strides": strides}):
                    found.append((role, extents, given, strides[role]))
    return found


@pytest.mark.parametrize("name", CASES)
def test_every_field_is_launched_or_refused(name: str) -> None:
    spec, problem = case(name)
    op = get_backend_op("ck_tile", spec.op)
    assert not op.has_orders
    assert not op.check(spec, ARCH, problem, op.launches(spec, problem, DEVICE)[0])
    assert launched(spec, problem) == launched(spec, problem)
    assert not faults_of_fields(spec, problem)


@pytest.mark.parametrize("name", CASES)
def test_every_stride_is_launched_or_refused(name: str) -> None:
    assert not faults_of_strides(*case(name))


@pytest.mark.parametrize(
    ("name", "rule", "fault"),
    [
        ("gemm", "gemm.alpha_beta", "epilogue"),
        ("gemm rows scaled", "gemm.quant_rows", "scale_a"),
        ("conv forward", "conv.dense", "input"),
        ("fmha pages", "fmha.dense", "page_table"),
        ("fmha bias", "fmha.dense", "lse"),
    ],
)
def test_what_a_launch_does_not_show_is_found(
    name: str, rule: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rule that refuses it."""
    spec, problem = case(name)
    op = type(get_backend_op("ck_tile", spec.op))
    monkeypatch.setattr(op, "rules", tuple(r for r in op.rules if r.id != f"ck_tile.{rule}"))
    found = [*faults_of_fields(spec, problem), *faults_of_strides(spec, problem)]
    assert fault in {what for what, *_ in found}


SINGLE = ("gemm", "fmha bias", "fmha window", "fmha append", "fmha backward", "fmha backward bias")


@pytest.mark.parametrize("name", SINGLE)
def test_the_stride_of_a_single_row_makes_no_difference(name: str) -> None:
    """It may be any number, and CK takes it for the length of the matrix."""
    spec, problem = case(name)
    op = get_backend_op("ck_tile", spec.op)
    one = replace(problem, **{"m": 1} if spec.op == "gemm" else {"seqlen_q": 1})
    for role in one.roles:
        extents, given = steps_of(one, role)
        axis = len(extents) - (2 if spec.op == "gemm" or role.endswith("bias") else 3)
        for other in (0, 1, 8, 4096) if axis > 0 and extents[axis] == 1 else ():
            changed = replace(one, strides={role: (*given[:axis], other, *given[axis + 1 :])})
            refused = op.check(spec, ARCH, changed, op.launches(spec, changed, DEVICE)[0])
            assert refused or launched(spec, changed) == launched(spec, one), (role, other)
