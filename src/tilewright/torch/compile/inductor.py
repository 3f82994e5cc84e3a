"""Everything of Inductor that the backend uses: its entry, the hook for a pass, decompositions, layouts, hints.

Inductor's internals move from release to release. All of them are named here, and asked for one by one in
`tests/torch/test_compile_inductor.py`. Written for torch 2.11 and 2.13.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch._dispatch.python import no_python_dispatcher
from torch._inductor import config, custom_graph_pass, lowering
from torch._inductor.compile_fx import compile_fx
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.ir import ExternKernel, TensorBox
from torch._inductor.pattern_matcher import stable_topological_sort
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch._inductor.select_algorithm import extern_kernels
from torch._inductor.virtualized import V
from torch.autograd import profiler
from torch.utils._python_dispatch import _disable_current_modes

HOOK = "post_grad_custom_pre_pass"  # after autograd, before Inductor's own patterns: forward and backward graphs alike
PART_ROWS = "mix_order_reduction_split_size"  # of Triton: how many rows the kernel sums that computes them
SUMMED_APART = 4096  # fewer rows are summed by a kernel of their own
Rewrite = Callable[[fx.Graph], None]
untyped: Any = lowering


class Pass(CustomGraphPass):
    """A rewrite of the graph; `identity` is all that its result depends on besides the graph."""

    def __init__(self, rewrite: Rewrite, identity: str) -> None:
        self.rewrite, self.identity = rewrite, identity

    def __call__(self, graph: fx.Graph) -> None:
        """Rewrite a graph."""
        self.rewrite(graph)

    def uuid(self) -> Any:
        """Return what the cache of compiled graphs knows this pass by."""
        return self.identity


def compiled(
    module: fx.GraphModule, inputs: Sequence[Any], rewrite: Rewrite, identity: str, settings: dict[str, Any]
) -> Any:
    """Return Inductor's program of a module, with a pass over its graphs; passes of the user's own run before it."""

    def rewritten(graph: fx.Graph) -> None:
        rewrite(graph)
        part_sums(graph)

    earlier, own = settings.get(HOOK, getattr(config, HOOK)), Pass(rewritten, identity)
    known = hasattr(config.triton, PART_ROWS)  # not in older torch
    kept = {f"triton.{PART_ROWS}": getattr(config.triton, PART_ROWS)} if known else {}  # `part_sums` may change it
    return compile_fx(module, inputs, config_patches={**kept, **settings, HOOK: after(earlier, own)})


def part_sums(graph: fx.Graph) -> None:
    """Let Inductor sum 8,192 to 16,383 rows of a GPU in parts of 8 or 12 rows, where it would take 16.

    The gradients of a norm's weight and bias are such sums. Torch adds the parts, and takes twice as long for 512 to
    1,023 of them as for 1,024 (benchmarks/results/NOTES.md). What the user has set or lets Inductor tune stays.
    """
    tuned = config.max_autotune or config.coordinate_descent_tuning
    if tuned or torch.version.hip or getattr(config.triton, PART_ROWS, 0) is not None:
        return
    rows = {n for node in graph.nodes if (n := _rows_summed(node)) >= SUMMED_APART}
    if {n // 8192 for n in rows} == {1}:
        setattr(config.triton, PART_ROWS, min(rows) // 4096 * 4)  # Inductor wants a multiple of 4


def _rows_summed(node: fx.Node) -> int:
    """Return how many rows a node sums on a GPU; 0 if it does something else, or if their number may change."""
    if node.target is not torch.ops.aten.sum.dim_IntList:
        return 0
    operands: tuple[Any, ...] = node.args
    value, dims = operands[0].meta["val"], operands[1] or []
    rows = math.prod(value.shape[:-1])
    all_but_last = value.ndim > 1 and sorted(d % value.ndim for d in dims) == list(range(value.ndim - 1))
    known = value.device.type == "cuda" and all_but_last and isinstance(rows, int)
    return rows if known else 0


def after(earlier: Any, own: Pass) -> Any:
    """Return the setting that runs a pass after what the setting has been: nothing, a pass, or several of them."""
    if hasattr(custom_graph_pass, "get_custom_graph_passes"):  # torch 2.13 runs lists of passes
        return [*custom_graph_pass.get_custom_graph_passes(earlier), own]
    if earlier is None:
        return own
    known = earlier.uuid() if isinstance(earlier, CustomGraphPass) else None

    def both(graph: fx.Graph) -> None:
        earlier(graph)
        own(graph)

    return Pass(both, f"{own.uuid()} after {known}" if known else "")  # without an identity nothing is cached


def settings_of(mode: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a mode and of options, checked as `torch.compile` checks those for Inductor.

    >>> settings_of("reduce-overhead", {"epilogue_fusion": False})
    {'triton.cudagraphs': True, 'epilogue_fusion': False}
    """
    wrapper: Any = torch._TorchCompileInductorWrapper
    return dict(wrapper(mode, options, None).config)


def reset() -> None:
    """Forget recorded CUDA graphs, as `torch.compiler.reset` does for Inductor."""
    if torch.cuda.is_available():
        from torch._inductor.cudagraph_trees import reset_cudagraph_trees

        reset_cudagraph_trees()


def decompositions() -> dict[Any, Callable[..., Any]]:
    """Return how Inductor decomposes operators before the pass sees them."""
    found: dict[Any, Callable[..., Any]] = select_decomp_table()
    return found


def hint_of(size: Any) -> int | None:
    """Return an example of a size that may change, without a guard on it; None if there is none.

    >>> hint_of(3)
    3
    """
    if isinstance(size, torch.SymInt):
        found = size.node.hint
        return None if found is None else int(found)
    return int(size)


def cache_folder() -> Path:
    """Return the folder of compiled graphs.

    >>> cache_folder().is_absolute()
    True
    """
    return Path(cache_dir()).absolute()


def sort_nodes(graph: fx.Graph) -> None:
    """Bring the nodes of a graph into an order in which each comes after what it reads."""
    stable_topological_sort(graph)


@contextlib.contextmanager
def real_tensors() -> Iterator[None]:
    """Return a context in which operators compute, within a pass too.

    Inductor's passes run with torch's dispatcher in Python, which takes 17 us for each operator; a program does not.
    """
    with _disable_current_modes(), no_python_dispatcher():
        yield


def call_directly(operator: Any, function: Callable[..., Any], images: tuple[int, ...] = ()) -> None:
    """Let programs call the function of an operator, without torch's dispatcher: for eleven arguments it takes 16 us.

    The arguments at the places `images` are handed over in channels-last memory if the last argument asks for that
    memory. Buffers that Inductor has not laid out yet are written like that at once; others are copied. What follows
    the operator takes over the order of its result.
    """
    name = operator.name().replace("::", "_")
    setattr(extern_kernels, name, _profiled(operator, function))
    untyped.make_fallback(operator, _constraint(images) if images else None, warn=False)
    lower = untyped.lowerings[operator]

    @wraps(lower)
    def lower_by_name(*args: Any, **kwargs: Any) -> Any:
        found = lower(*args, **kwargs)
        if not V.graph.cpp_wrapper:  # a program in C++ calls operators by their names
            found.data.data.inputs[0].python_kernel_name = f"extern_kernels.{name}"
        return found

    untyped.lowerings[operator] = lower_by_name


def _profiled(operator: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, or the operator while a profiler wants to see it."""

    def call(*values: Any) -> Any:
        return (operator if profiler._is_profiler_enabled else function)(*values)

    return call


def _constraint(images: tuple[int, ...]) -> Callable[..., Any]:
    def laid_out(node: fx.Node, *args: Any, **kwargs: Any) -> Any:
        if not args[-1]:
            return untyped.constrain_to_fx_strides(node, *args, **kwargs)
        wanted = [_channels_last(a) if i in images and isinstance(a, TensorBox) else a for i, a in enumerate(args)]
        return tuple(wanted), kwargs

    return laid_out


def _channels_last(value: Any) -> Any:
    order = {4: [3, 0, 2, 1], 5: [4, 0, 3, 2, 1]}[len(value.get_size())]
    return ExternKernel.require_stride_order(value, order)
