"""What is compiled for a convolution: the Triton function, its argument types and its constants. Imports triton."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ....errors import SpecError
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec
from ..gemm.kernels.config import EpilogueConfig
from ..source import Source, finish, precision, set_to_one, triton_types
from ..target import TRITON_DTYPE
from .algorithm import is_weight, source_roles
from .kernels.config import FinishConfig
from .pipelines import ALL

FINISH = "kernels.weight:finish_weight"
STRIDES = ("i64",) * 6
AXES = ((*("i32",) * 8, "u32", "i32"),) * 3


KINDS = ("conv", "finish", "fold", "spread")  # of compile jobs; each is a function of the pipeline's module


def job_source(what: dict[str, Any], spec: KernelSpec) -> Source:
    """Return the source of one compile job of a spec."""
    if what["kind"] not in KINDS:
        raise SpecError(f"job {what['kind']!r} is none of {KINDS}")
    return getattr(ALL.module(spec.algorithm.pipeline), what["kind"])(spec)


def source_of(spec: KernelSpec) -> Source:
    """Return the source of a convolution kernel."""
    return job_source({"kind": "conv"}, spec)


def finish_source(spec: KernelSpec) -> Source:
    """Return the source of the kernel that adds the shares of backward weight."""
    return job_source({"kind": "finish"}, spec)


def function_of(kernel: str) -> Any:
    """Return the function of a kernel named MODULE:FUNCTION below this package (imports triton)."""
    module, _, name = kernel.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)


def finish_kernel(
    spec: KernelSpec, tiles: Any, *, even: int = 1, fold: bool = False, taps_first: bool = False, pdl: bool = False
) -> Source:
    """Return the kernel that adds the shares of backward weight, in `tiles` of (elements, shares at once)."""
    s = spec.signature
    out = triton_types((s.dtype_weight,))[s.dtype_weight]
    atomic = spec.algorithm.sum == "atomic"
    config = FinishConfig(tiles, even, atomic, fold, taps_first, pdl, out, epilogue_config(spec))
    given = {"shares": "*fp32", "dst_ptr": "*" + TRITON_DTYPE[s.dtype_weight], "dst_strides": STRIDES, "groups": "i32",
             "cin": "i32", "cout": "i32", "splits": "i32", "axes": AXES, "epilogue": epilogue_types(spec)}  # fmt: skip
    if fold:
        given |= {"run": "i32", "width": "i32"}
    return finish(function_of(FINISH), given, config, {(0,): 16}, num_warps=4, launch_pdl=pdl)


def epilogue_config(spec: KernelSpec) -> EpilogueConfig:
    """Return the constants of the epilogue."""
    s = spec.signature
    return EpilogueConfig(d=tuple(d.broadcast for d in s.d), combine=s.combine, activation=s.activation)


def epilogue_types(spec: KernelSpec) -> tuple[Any, ...]:
    """Return the types of the epilogue's arguments."""
    d = spec.signature.d
    strides = STRIDES if is_weight(spec) else ("i64",) * 5
    return ("fp32", "fp32", tuple("*" + TRITON_DTYPE[x.dtype] for x in d), (strides,) * len(d))


def _given(spec: KernelSpec) -> dict[str, Any]:
    """Return the arguments of every kernel."""
    s = spec.signature
    source, far = source_roles(s.direction)
    numbers = ("images", "groups", "cin", "cout", "merged", "src_block", "dst_block", "src_total", "dst_total",
               "tiles_m", "blocks", "splits", "parts", "segments", "turns", "rows", "each", "first",
               "last")  # fmt: skip
    given: dict[str, Any] = dict.fromkeys(numbers, "i32")
    given |= {"axes": AXES, "src_ptr": "*" + TRITON_DTYPE[s.dtype(source)], "src_strides": STRIDES}
    if is_weight(spec):
        return given | {"grad_ptr": "*" + TRITON_DTYPE[s.dtype(far)], "grad_strides": STRIDES, "shares": "*fp32"}
    return given | {
        "wgt_ptr": "*" + TRITON_DTYPE[s.dtype_weight], "wgt_strides": STRIDES, "dst_strides": STRIDES,
        "dst_ptr": "*" + TRITON_DTYPE[s.dtype(far)], "epilogue": epilogue_types(spec),
    }  # fmt: skip


def compiled(kernel: str, spec: KernelSpec, config: Any, merging: bool = True, **more: Any) -> Source:
    """Return the source of a kernel with what alignment and unit strides promise; `merging`: groups share tiles."""
    function = function_of(kernel)
    a, s, names = spec.algorithm, spec.signature, list(function.arg_names)
    given = {n: t for n, t in _given(spec).items() if n in names}
    hints: dict[Any, int] = {}
    ones = []
    sizes = {"src": s.dtype(source_roles(s.direction)[0]), "grad": s.dtype_output,
             "dst": s.dtype(source_roles(s.direction)[1])}  # fmt: skip
    for name, dtype in sizes.items():
        if f"{name}_ptr" not in given:
            continue
        at, strides = names.index(f"{name}_ptr"), names.index(f"{name}_strides")
        elements = int(a.vector_bytes // get_dtype(dtype).bytes)
        if a.vector_bytes > 1:
            hints[(at,)] = a.vector_bytes
        if elements > 1:
            hints.update({(strides, i): elements for i in (0, 1, 3, 4, 5)})
        if a.unit:
            ones.append((strides, 2))
    if a.unit and "wgt_strides" in given:
        # Input channels of the weight lie together: along its columns in backward data.
        ones.append((names.index("wgt_strides"), 1 if s.direction == "backward_data" else 2))
    # What lies side by side: the channels of a group, or the blocks of merged groups. Vectors are counted in bytes, so
    # a wider result promises fewer channels.
    read, written = (int(a.vector_bytes // get_dtype(s.dtype(role)).bytes) for role in source_roles(s.direction))
    counts = {"src_block": read, "dst_block": written, "src_total": read, "dst_total": written}
    counts = counts if merging else {"cin": read, "cout": written}
    hints.update({(names.index(n),): elements for n, elements in counts.items() if elements > 1 and n in names})
    hints.update(_weight_hints(names, spec, read, merging))
    source = finish(function, given, config, hints, num_warps=a.warps, num_stages=a.stages, **more)
    set_to_one(source, ones)
    return source


def _weight_hints(names: list[str], spec: KernelSpec, elements: int, merging: bool) -> dict[Any, int]:
    """Divisibility of the weight: by a vector, or by the channels of a group if those are known."""
    a, size = spec.algorithm, int(get_dtype(spec.signature.dtype_weight).bytes)
    known = min(elements, a.channels) if merging else elements
    if "wgt_ptr" not in names or known < 2:
        return {}
    pointer = names.index("wgt_ptr")
    if "wgt_strides" not in names:
        return {(pointer,): known * size}
    strides = names.index("wgt_strides")
    unit = 1 if spec.signature.direction == "backward_data" else 2
    return {(pointer,): known * size, **{(strides, i): known for i in range(6) if i != unit}}


def product_precision(spec: KernelSpec) -> str:
    """Return the precision of products."""
    return precision(spec.algorithm.precision, spec.signature.dtype_read[0])


def out_type(spec: KernelSpec) -> Any:
    """Triton's type of the result."""
    name = spec.signature.dtype(spec.signature.result)
    return triton_types((name,))[name]
