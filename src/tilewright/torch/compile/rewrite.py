"""The pass: sites of a graph that tilewright computes faster become its operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor

from ...dispatcher import Dispatcher
from ...errors import TilewrightError
from ...model.problem import Problem
from ...ops.gemm import Epilogue
from ...ops.gemm.tensors import problem_of
from ..aten import Images, Place, geometry_of
from .decide import Verdict, decide
from .operators import CONVOLUTION, PRODUCT
from .report import CompileReport, Entry
from .sites import CONVERT, Site, alone, sites, why_not
from .values import example_of, same_shape, value_of

aten = torch.ops.aten
Decide = Callable[[Problem, int, Dispatcher], Verdict]


@dataclass
class Rewriter:
    """Rewrites graphs. `build` gets the problems of one graph, for which kernels have to be built."""

    where: Dispatcher
    report: CompileReport
    build: Callable[[list[Problem]], None] = lambda problems: None
    verdict: Decide = decide
    tune: bool = False

    def __call__(self, graph: fx.Graph) -> None:
        """Replace what is computed faster by tilewright."""
        number = self.report.new_graph()
        problems = [self._site(graph, number, site) for site in list(sites(graph))]
        graph.eliminate_dead_code()
        wanted = [problem for problem in problems if problem is not None]
        if wanted:
            self.build(wanted)

    def _site(self, graph: fx.Graph, number: int, site: Site) -> Problem | None:
        """Replace one site if it is worth it; return its problem then."""
        reason = why_not(site)
        if reason is not None:
            self.report.add(Entry(number, site.node.name, site.label, reason=reason))
            return None
        verdict, problem = self._best(site)
        if not verdict.taken and site.saved:  # the kernel alone may still be worth it
            less = alone(site)
            other, posed = self._best(less)
            if other.taken:
                site, verdict, problem = less, other, posed
        label = "" if problem is None else problem.label()
        reason = None if verdict.taken else verdict.why
        self.report.add(
            Entry(number, site.node.name, site.label, label, verdict.kernel, reason, verdict.ours, verdict.theirs)
        )
        if not verdict.taken or problem is None:
            return None
        _replace(graph, site)
        return problem

    def _best(self, site: Site) -> tuple[Verdict, Problem | None]:
        try:
            problem = posed(site)
        except TilewrightError as error:
            return Verdict(False, error.message), None
        if problem is None:
            return Verdict(False, "a size is not known"), None
        result = example_of(value_of(site.node))
        after = 2 * result.numel() * result.element_size() if site.saved and result is not None else 0
        return self.verdict(problem, after, self.where), problem


def posed(site: Site) -> Problem | None:
    """Return the problem of a site, for the sizes that it has for example; None if a size is not known."""
    nodes = {"first": site.operands[0], "second": site.operands[1], "bias": site.bias, "residual": site.residual}
    examples = {name: None if node is None else example_of(value_of(node)) for name, node in nodes.items()}
    if any(examples[name] is None for name, node in nodes.items() if node is not None):
        return None
    place = Place(str(value_of(site.node).device))
    first, second, bias, residual = examples.values()
    if site.kind == "gemm":
        result: Any = example_of(value_of(site.node))
        if residual is not None:
            residual = residual.reshape(result.shape)
        views = {"a": place.view(first), "b": place.view(second)}  # type: ignore[arg-type]
        extra = [t for t in (bias, residual) if t is not None]
        views.update((f"d{i}", place.view(t)) for i, t in enumerate(extra))
        return problem_of(views, epilogue=Epilogue("add", site.activation, site.alpha))
    if site.channels and bias is None:
        bias = torch.empty(second.shape[0], dtype=second.dtype, device="meta")  # type: ignore[union-attr]
    images = Images(place, first, is_last_here(site))  # type: ignore[arg-type]
    geometry = geometry_of(*site.node.args[3:6], site.node.args[8])  # type: ignore[arg-type]
    return images.pose("forward", geometry, bias, residual, activation=site.activation, input=first, weight=second)  # type: ignore[arg-type]


def is_last_here(site: Site) -> bool:
    """Return whether a convolution is computed in channels-last memory."""
    value = value_of(site.node)
    return value.dim() in (4, 5)


def _replace(graph: fx.Graph, site: Site) -> None:
    """Put an operator of tilewright in the place of a site."""
    with graph.inserting_before(site.last):
        made = _product(graph, site) if site.kind == "gemm" else _convolution(graph, site)
        if "stack_trace" in site.node.meta:
            made.meta["stack_trace"] = site.node.meta["stack_trace"]
        result = made if site.shape is None else call(graph, aten.reshape.default, made, site.shape)
    site.last.replace_all_uses_with(result)


def call(graph: fx.Graph, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
    """Insert a call of an operator, with the fake tensor of its result."""
    node = graph.call_function(target, args, kwargs)
    values = [n.meta["val"] for n in node.all_input_nodes]
    mode = next(v.fake_mode for v in values if isinstance(v, FakeTensor))
    with mode:
        node.meta["val"] = target(*fx.map_arg(args, lambda n: n.meta["val"]), **kwargs)
    return node


def _product(graph: fx.Graph, site: Site) -> fx.Node:
    residual = site.residual
    shape = value_of(site.node).shape
    if residual is not None and not same_shape(value_of(residual).shape, shape):
        residual = call(graph, aten.reshape.default, residual, [-1, shape[1]])
    return call(graph, PRODUCT, *site.operands, site.bias, residual, site.activation, site.alpha)


def _convolution(graph: fx.Graph, site: Site) -> fx.Node:
    stride, padding, dilation, _, _, groups = site.node.args[3:9]
    x, weight = site.operands
    bias = site.bias
    if site.channels:
        weight, bias = _folded(graph, site, weight, bias)
    geometry = (list(stride), list(padding), list(dilation), groups)  # type: ignore[arg-type]
    return call(graph, CONVOLUTION, x, weight, bias, site.residual, *geometry, site.activation, is_last_here(site))


def _folded(graph: fx.Graph, site: Site, weight: fx.Node, bias: fx.Node | None) -> tuple[fx.Node, fx.Node]:
    """Insert the weight and the bias of a convolution with the operations per channel after it."""
    value = value_of(weight)
    scale: fx.Node | None = None
    shift = bias
    for name, operand in site.channels:
        one = call(graph, aten.reshape.default, operand, [value.shape[0]])
        if name == "mul":
            scale = one if scale is None else call(graph, aten.mul.Tensor, scale, one)
            shift = None if shift is None else call(graph, aten.mul.Tensor, shift, one)
        elif shift is None:
            shift = one if name == "add" else call(graph, aten.neg.default, one)
        else:
            shift = call(graph, aten.add.Tensor if name == "add" else aten.sub.Tensor, shift, one)
    if scale is not None:
        factor = call(graph, aten.reshape.default, scale, [-1, *[1] * (value.dim() - 1)])
        weight = _converted(graph, call(graph, aten.mul.Tensor, weight, factor), value.dtype)
    if shift is None:
        raise TilewrightError("a norm without a shift")
    return weight, _converted(graph, shift, value.dtype)


def _converted(graph: fx.Graph, node: fx.Node, dtype: torch.dtype) -> fx.Node:
    return node if value_of(node).dtype is dtype else call(graph, CONVERT, node, dtype)
