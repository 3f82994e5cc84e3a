"""Graphs as the backend's pass gets them, rewritten and run without Inductor's code generation, which takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd

from tilewright.frontends.default import default_dispatcher
from tilewright.torch.compile.attention import BACKWARD, FORWARD
from tilewright.torch.compile.inductor import decompositions
from tilewright.torch.compile.report import CompileReport
from tilewright.torch.compile.rewrite import Rewriter

aten = torch.ops.aten
HEAVY = (
    aten.mm.default, aten.addmm.default, aten.bmm.default, aten.baddbmm.default, aten.convolution.default,
    aten.convolution_backward.default, *FORWARD, *BACKWARD,
)  # fmt: skip


def graph_backend(report: CompileReport, **options: Any) -> Any:
    """A backend that runs graphs as they are after the pass; all that a kernel computes is taken."""
    rewrite = Rewriter(default_dispatcher(), report, **{"always": True, **options})

    def compiler(module: Any, inputs: Any) -> Any:
        for node in module.graph.find_nodes(op="call_function", target=aten.view.default):
            node.target = aten.reshape.default  # as Inductor does: layouts may change
        before = len(report.left)
        rewrite(module.graph)
        module.graph.lint()
        module.recompile()
        kept = [node for node in module.graph.nodes if node.target in HEAVY]
        left = {entry.node for entry in report.left[before:]}  # both gradients of a convolution are one node
        assert len(kept) == len(left)  # nothing is computed twice
        return make_boxed_func(module.forward)

    return aot_autograd(
        fw_compiler=compiler, bw_compiler=compiler, decompositions=decompositions(),
        partition_fn=min_cut_rematerialization_partition,
    )  # fmt: skip


def rewritten(model: Callable[..., Any], dynamic: bool | None = None, **options: Any) -> tuple[Any, CompileReport]:
    """The model with the pass over its graphs, and the report of the pass."""
    report = CompileReport()
    torch._dynamo.reset()
    return torch.compile(model, backend=graph_backend(report, **options), fullgraph=True, dynamic=dynamic), report


def assert_same(model: Any, *inputs: Any, dynamic: bool | None = None, grad: bool = False, **options: Any) -> list[str]:
    """Results, and gradients if `grad`, are those of the model itself; return what was taken."""
    compiled, report = rewritten(model, dynamic, **options)
    with torch.set_grad_enabled(grad):
        got, want = compiled(*inputs), model(*inputs)
    tolerance = {torch.float32: 1e-4, torch.bfloat16: 3e-2, torch.float16: 5e-3}[want.dtype]
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)
    if grad:
        leaves = [t for t in (*inputs, *model.parameters()) if t.requires_grad]
        ones = torch.randn_like(want)
        wanted = torch.autograd.grad(want, leaves, ones)
        for ours, theirs in zip(torch.autograd.grad(got, leaves, ones), wanted, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)
    return [entry.computes for entry in report.taken]
