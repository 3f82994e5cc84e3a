"""pointer: what is compiled."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ......ops.gemm.prologue import PrologueStep, with_tensor
from ....source import Source, finish, set_to_one
from ....target import TRITON_DTYPE
from ...algorithm import KernelView, TritonGemm
from ...source import STRIDES, _epilogue, _portable_config, _splits, _workspace_hints

JOBS = {"gemm": ("_portable", "portable:portable_gemm"), "prologue": ("_prologue", "prologue:prologue_gemm")}


def _portable(spec: KernelSpec, view: KernelView) -> Source:
    from ...kernels.portable import portable_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": a.split, "even_k": a.even_k, "wide": a.wide, "imprecise": a.accumulate == "fast"}
    config = _portable_config(spec, view, epilogue, persistent=False, **traits)
    given = {
        "a_ptr": "*" + TRITON_DTYPE[view.a], "b_ptr": "*" + TRITON_DTYPE[view.b],
        "out_ptr": "*" + TRITON_DTYPE[s.dtype_out], "a_strides": STRIDES, "b_strides": STRIDES,
        "out_strides": STRIDES, "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "epilogue": epilogue_types,
        **_splits(a, s.dtype_acc, splits="i32"),
    }  # fmt: skip
    hints, ones = _alignment(portable_gemm.arg_names, view, a, s.dtype_out)
    hints.update(_workspace_hints(portable_gemm.arg_names, a))
    source = finish(portable_gemm, given, config, hints, num_warps=a.warps, num_stages=a.stages)
    set_to_one(source, ones)
    return source


def _prologue(spec: KernelSpec, view: KernelView) -> Source:
    from ...kernels.config import PrologueConfig
    from ...kernels.prologue import prologue_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": a.split, "even_k": a.even_k, "wide": a.wide, "imprecise": False}
    plain = _portable_config(spec, view, epilogue, persistent=False, **traits)
    steps: dict[str, Any] = {"before_a": _step_configs(s.prologue_a), "before_b": _step_configs(s.prologue_b)}
    config = PrologueConfig(**{f.name: getattr(plain, f.name) for f in fields(plain)}, **steps)
    given = {
        "a_ptr": "*" + TRITON_DTYPE[view.a], "b_ptr": "*" + TRITON_DTYPE[view.b],
        "out_ptr": "*" + TRITON_DTYPE[s.dtype_out], "a_strides": STRIDES, "b_strides": STRIDES,
        "out_strides": STRIDES, "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "epilogue": epilogue_types,
        "prologue": (*_tensor_types(s.prologue_a), *_tensor_types(s.prologue_b)),
        **_splits(a, s.dtype_acc, splits="i32"),
    }  # fmt: skip
    hints, ones = _alignment(prologue_gemm.arg_names, view, a, s.dtype_out)
    hints.update(_workspace_hints(prologue_gemm.arg_names, a))
    source = finish(prologue_gemm, given, config, hints, num_warps=a.warps, num_stages=a.stages)
    set_to_one(source, ones)
    return source


def _step_configs(steps: tuple[PrologueStep, ...]) -> tuple[Any, ...]:
    from ...kernels.config import EpilogueConfig, PrologueStepConfig

    found, tensors = [], 0
    for step in steps:
        takes = bool(step.dtype)
        activation = EpilogueConfig() if takes else EpilogueConfig(activation=step.op)
        found.append(PrologueStepConfig(tensors if takes else -1, step.broadcast, step.op == "multiply", activation))
        tensors += takes
    return tuple(found)


def _tensor_types(steps: tuple[PrologueStep, ...]) -> tuple[Any, Any]:
    """Return the types of pointers and strides of the tensors of a prologue."""
    tensors = with_tensor(steps)
    return tuple("*" + TRITON_DTYPE[step.dtype] for step in tensors), (STRIDES,) * len(tensors)


def _alignment(names: list[str], view: KernelView, a: TritonGemm, out: str) -> tuple[dict[Any, int], list[Any]]:
    """Return (divisibility by argument path, paths of strides that are 1) of the pointer pipeline."""
    hints: dict[Any, int] = {}
    ones = []
    depth = int(a.vector_bytes / max(get_dtype(view.a).bytes, get_dtype(view.b).bytes))
    if depth > 1:
        hints[(names.index("K"),)] = depth
    for name, dtype, contiguous in (("a", view.a, 2 if view.a_k else 1), ("b", view.b, 1 if view.b_k else 2),
                                    ("out", out, 2 if view.out_row else 1)):  # fmt: skip
        pointer, strides = names.index(f"{name}_ptr"), names.index(f"{name}_strides")
        elements = int(a.vector_bytes / get_dtype(dtype).bytes)
        if a.vector_bytes > 1:
            hints[(pointer,)] = a.vector_bytes
        if a.unit:
            ones.append((strides, contiguous))
        if elements > 1:
            hints.update({(strides, i): elements for i in range(3) if i != contiguous})
    return hints, ones
