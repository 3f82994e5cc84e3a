"""The pass: sites of a graph that tilewright computes faster become its operators."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

import torch
from torch import fx

from ...dispatcher import Dispatcher
from ...errors import TilewrightError
from ...model.problem import Problem
from ...ops.gemm import Epilogue
from ...ops.gemm.tensors import problem_of
from ..aten import Images, Place, geometry_of
from ..formats import FORMATS
from . import attention, gradients
from .decide import Verdict, each_seconds, estimated, kind_of, move_seconds
from .folds import folded, gather_folds
from .graphs import call, results
from .inductor import hint_of
from .operators import CONVOLUTION, CONVOLUTION_EACH, PRODUCT, convolution, convolution_each, product
from .report import CompileReport, Entry
from .sites import Site, sites, why_not
from .tuning import Run, Tuner
from .values import example_of, is_dense, same_shape, size_of, value_of

aten = torch.ops.aten
MAX_BUILT_FIRST = 16  # kernels of one graph for a GPU that are built before a decision


@dataclass
class Rewriter:
    """Rewrites graphs. `build` gets the problems of one graph, for which kernels have to be built."""

    where: Dispatcher
    report: CompileReport
    build: Callable[[list[Problem]], None] = lambda problems: None
    tuner: Tuner | None = None  # measures what needs no build, and what is doubtful
    tune: bool = False  # build our kernels first, so that all is measured
    always: bool = False  # take all that a kernel computes, at any cost
    began: float = field(default_factory=time.monotonic)

    def __call__(self, graph: fx.Graph) -> int:
        """Replace what is computed faster by tilewright; return the number of the graph in the report."""
        if self.tuner is not None:
            if not self.tune:
                self.tuner.begin(expected(replace(self, tuner=None)._survey(graph, 1)), self.where)
            found = self._survey(graph)
            wanted = [problem for _, problem in found] if self.tune else doubtful(found)
            self.tuner.prepare(wanted, self.where, self._patience(wanted))
        number = self.report.new_graph()
        replaced: dict[fx.Node, fx.Node] = {}  # else what was replaced is computed once more, for a later site
        todo = list(sites(graph))
        images = self._images(todo)
        problems = [self._site(graph, number, site, replaced, images) for site in todo]
        for node in list(graph.nodes):
            if node.op == "call_function" and node.target is gradients.BACKWARD:
                problems += self._gradients(graph, number, node)
            elif node.op == "call_function" and node.target in (*attention.FORWARD, *attention.BACKWARD):
                problems.append(self._attention(graph, number, attention.Call.of(node)))
        gather_folds(graph)
        graph.eliminate_dead_code()
        wanted = [problem for problem in problems if problem is not None]
        if wanted:
            self.build(wanted)
        return number

    def _patience(self, wanted: Sequence[Problem]) -> float:
        """Return how many seconds kernels that are built before a decision are waited for.

        On a GPU as long as the compilation has taken so far: what is not built then is decided by prediction.
        """
        on_gpu = any(kind_of(problem) == "gpu" for problem in wanted)
        return time.monotonic() - self.began if on_gpu and not self.tune else math.inf

    def _images(self, found: Sequence[Site]) -> bool | None:
        """Return whether convolutions are computed in another memory format than torch's: all of a graph or none.

        Images would be copied between ours and those that are left. None if there are no such convolutions.
        """
        offers = [self._best(site)[0] for site in found if _changes_format(site) and why_not(site) is None]
        known = [(verdict.at_most, verdict.theirs) for verdict in offers if verdict.theirs is not None]
        if not known or self.always:
            return None
        return sum(ours for ours, _ in known) < sum(theirs for _, theirs in known)

    def _site(
        self, graph: fx.Graph, number: int, site: Site, replaced: dict[fx.Node, fx.Node], images: bool | None
    ) -> Problem | None:
        """Replace one site if it is worth it; return its problem then. `images` decides about memory formats."""
        site.follow(replaced)
        reason = why_not(site)
        if reason is not None:
            self.report.add(Entry(number, site.node.name, site.label, reason=reason))
            return None
        verdict, taken, problem = self._best(site)
        if images is not None and verdict.ours is not None and _changes_format(site):
            verdict = replace(verdict, taken=images, why="" if images else "its images would be copied")
        if verdict.taken and problem is not None:
            try:
                replaced[taken.last] = _replace(graph, taken)
            except TilewrightError as error:  # what was inserted has no users
                verdict = replace(verdict, taken=False, why=error.message)
        self._note(number, site.node.name, taken.label, verdict, problem)
        return problem if verdict.taken else None

    def _note(self, graph: int, node: str, computes: str, verdict: Verdict, problem: Problem | None) -> None:
        label = "" if problem is None else problem.label()
        reason = None if verdict.taken else verdict.why
        self.report.add(Entry(graph, node, computes, label, verdict.kernel, reason, verdict.ours, verdict.theirs))

    def _gradients(self, graph: fx.Graph, number: int, node: fx.Node) -> list[Problem]:
        """Replace the gradients of a convolution that are worth it; return their problems."""
        wanted = [i for i in gradients.NAMES if i in results(node)]
        reason = gradients.why_not(node)
        if reason is not None:
            self.report.add(Entry(number, node.name, "gradients of a convolution", reason=reason))
            return []
        last = is_last(value_of(node.args[1]))
        found: dict[int, Problem] = {}
        for i in wanted:
            pose, run = partial(gradients.posed, node, i, last), partial(gradients.computed, node, i, last)
            verdict, problem = self._plain(node, pose, run, gradients.only(node, i))
            self._note(number, node.name, gradients.NAMES[i], verdict, problem)
            if verdict.taken and problem is not None:
                found[i] = problem
        if found:
            gradients.replace(graph, node, list(found), last)
        return list(found.values())

    def _attention(self, graph: fx.Graph, number: int, found: attention.Call) -> Problem | None:
        """Replace an attention if it is worth it; return its problem then."""
        name = "backward pass of attention" if found.backward else "attention"
        reason = attention.why_not(found)
        if reason is not None:
            self.report.add(Entry(number, found.node.name, name, reason=reason))
            return None
        run = partial(attention.computed, found)
        verdict, problem = self._plain(found.node, partial(attention.posed, found), run)
        self._note(number, found.node.name, name, verdict, problem)
        if not verdict.taken:
            return None
        attention.replace(graph, found)
        return problem

    def _plain(
        self, node: fx.Node, pose: Callable[[], Problem | None], run: Run, args: Sequence[Any] | None = None
    ) -> tuple[Verdict, Problem | None]:
        """Return the decision about a problem without an epilogue; `run` computes it on real tensors by node."""
        try:
            problem = pose()
        except TilewrightError as error:
            return Verdict(False, error.message), None
        if problem is None:
            return Verdict(False, "a size is not known"), None
        times = estimated(problem, 0, 0, self.where)
        if self.tuner is not None and not isinstance(times, str):
            times = self.tuner.measured(times, problem, node, run, self.where, self.tune, args)
        verdict = Verdict(False, times) if isinstance(times, str) else times.verdict(True, False)
        if self.always and verdict.ours is not None:
            verdict = replace(verdict, taken=True)
        return verdict, problem

    def _best(self, site: Site) -> tuple[Verdict, Site, Problem | None]:
        """Return the decision, and how much of what follows the kernel takes in."""
        offers = [self._offer(site, part) for part in parts_of(site)]
        good = [offer for offer in offers if offer[0].ours is not None]
        if not good:
            return offers[0]
        if self.always:
            verdict, part, problem = good[0]
            return replace(verdict, taken=True), part, problem
        if self.tuner is not None:
            timed = [self._offer(site, part, self.tuner) for _, part, _ in _tried(good)]
            good = [offer for offer in timed if offer[0].ours is not None] or timed
        return min(good, key=_our_time)

    def _offer(self, site: Site, part: Site, tuner: Tuner | None = None) -> tuple[Verdict, Site, Problem | None]:
        """Return the decision about a part of a site. Its time contains that of Inductor's kernel for the rest."""
        try:
            problem = posed(part)
        except TilewrightError as error:
            return Verdict(False, error.message), part, None
        if problem is None:
            return Verdict(False, "a size is not known"), part, None
        folded = size_of(site.operands[1]) if part.channels and not part.multiplies_after else 0
        followed = [site.activation, *(["norm"] if site.channels else [])]
        times = estimated(problem, size_of(site.node), folded, self.where, followed)
        if tuner is not None and not isinstance(times, str):
            more = [node for node in (part.bias, part.residual, part.at, *(part.scale or ())) if node is not None]
            run = partial(computed, part)
            times = tuner.measured(
                times, problem, site.node, run, self.where, self.tune, more=more, activation=site.activation
            )
        if isinstance(times, str):
            return Verdict(False, times), part, problem
        read = sum(node is not None for node in (site.residual, site.at))
        if read:  # Inductor's kernel reads them, besides reading and writing the result
            times = replace(times, after=(1.0 + 0.5 * read) * times.after)
        scaling = self._scaling(site, problem)
        if scaling:
            made = each_seconds(problem, _weights_size(part), self.where) if part.scale else scaling
            times = replace(times, library=times.library + scaling, before=times.before + made)
        if not site.is_written:  # what follows is part of a kernel that runs anyway; but for computing an activation
            times = replace(times, after=0.0)
        return times.verdict(part.last is site.last, bool(site.shorter)), part, problem

    def _scaling(self, site: Site, problem: Problem) -> float:
        """Return the time of Inductor's kernel that multiplies the image of a site by factors; 0 if there is none.

        If Inductor makes the image, it has to write it for our kernel, so only reading it is saved.
        """
        scaled = site.scaled()
        if scaled is None or scaled.scale is None:
            return 0.0
        image = scaled.scale[0]
        passes = 2 if image.target is CONVOLUTION else 1
        return move_seconds(problem, passes * size_of(image), self.where)

    def _survey(self, graph: fx.Graph, parts: int | None = None) -> list[tuple[Verdict, Problem]]:
        """Return what may be measured with what is expected, so that kernels can be built at once.

        `parts` limits how many parts of a site are among it, the best first.
        """
        scout = replace(self, tuner=None) if self.tune else self
        found: list[tuple[Verdict, Problem | None]] = []
        for site in sites(graph):
            if why_not(site) is None:
                offers = [self._offer(site, part) for part in parts_of(site)]
                good = _tried([offer for offer in offers if offer[0].ours is not None])[:parts]
                found += [scout._offer(site, part, scout.tuner)[::2] for _, part, _ in good]
        for node in graph.nodes:
            if node.op == "call_function" and node.target is gradients.BACKWARD and gradients.why_not(node) is None:
                last = is_last(value_of(node.args[1]))
                for i in (i for i in gradients.NAMES if i in results(node)):
                    pose, run = partial(gradients.posed, node, i, last), partial(gradients.computed, node, i, last)
                    found.append(scout._plain(node, pose, run, gradients.only(node, i)))
            elif node.op == "call_function" and node.target in (*attention.FORWARD, *attention.BACKWARD):
                call = attention.Call.of(node)
                if attention.why_not(call) is None:
                    found.append(scout._plain(node, partial(attention.posed, call), partial(attention.computed, call)))
        return [(verdict, problem) for verdict, problem in found if verdict.ours is not None and problem is not None]


def expected(found: Sequence[tuple[Verdict, Problem]]) -> list[Problem]:
    """Return what a GPU will be asked for by prediction: it is built while libraries are measured.

    What is doubtful comes first: it is waited for. Compilers would disturb measurements on a CPU.
    """
    wanted = [(verdict, problem) for verdict, problem in found if verdict.taken or verdict.is_close]
    wanted.sort(key=lambda one: not one[0].is_close)
    unique = {str(problem.exact_key): problem for _, problem in wanted if kind_of(problem) == "gpu"}
    return list(unique.values())


def doubtful(found: Sequence[tuple[Verdict, Problem]]) -> list[Problem]:
    """Return the problems of a graph whose kernels are built before a decision, to measure them.

    A wrong prediction would decide them wrongly. On a CPU these are also all that would be taken: other work on the
    machine makes the measured time of a library longer, but not a predicted one of ours. On a GPU, where a build takes
    seconds, they are those on which the graph spends the most time.
    """
    unsure: dict[str, Problem] = {}
    seconds: dict[str, float] = {}
    for verdict, problem in found:
        if verdict.is_close or (verdict.taken and kind_of(problem) == "cpu"):
            key = str(problem.exact_key)
            unsure[key] = problem
            seconds[key] = seconds.get(key, 0.0) + (verdict.theirs or 0.0)
    on_gpu = [key for key in sorted(unsure, key=lambda key: -seconds[key]) if kind_of(unsure[key]) == "gpu"]
    return [problem for key, problem in unsure.items() if key not in on_gpu[MAX_BUILT_FIRST:]]


def _changes_format(site: Site) -> bool:
    """Return whether a convolution on a CPU reads images in another memory format with our kernel than with torch's.

    On a GPU, Inductor computes convolutions in channels-last memory itself.
    """
    if site.kind != "conv":
        return False
    value = value_of(site.node)
    return value.device.type == "cpu" and is_last(value) and not is_dense(value.movedim(1, -1))


def _our_time(offer: tuple[Verdict, Site, Problem | None]) -> float:
    return offer[0].at_most


def _tried(offers: list[tuple[Verdict, Site, Problem | None]]) -> list[tuple[Verdict, Site, Problem | None]]:
    """Return the offers that are worth measuring: the best by prediction, and the kernel alone."""
    if not offers:
        return []
    best = min(offers, key=_our_time)
    return [best] if best is offers[-1] else [best, offers[-1]]


def parts_of(site: Site) -> list[Site]:
    """Return how much of what stands around a site a kernel may take in, the most first."""
    parts = [site, *reversed(site.shorter)]
    return [scaled for part in parts if (scaled := part.scaled()) is not None] + parts


def _weights_size(site: Site) -> int:
    """Return the bytes of one weight for each image."""
    return size_of(site.operands[1]) * (hint_of(value_of(site.node).shape[0]) or 0)


def posed(site: Site) -> Problem | None:
    """Return the problem of a site, for the sizes that it has for example; None if a size is not known."""
    if site.scale is not None:
        return _posed_scaled(site)
    first_node, second_node = site.operands
    nodes = {"first": first_node, "second": second_node, "bias": site.bias, "residual": site.residual, "at": site.at}
    examples = {name: None if node is None else example_of(value_of(node)) for name, node in nodes.items()}
    if any(examples[name] is None for name, node in nodes.items() if node is not None):
        return None
    place = Place(str(value_of(site.node).device))
    first, second, bias, residual, at = examples.values()
    if site.kind == "gemm":
        result: Any = example_of(value_of(site.node))
        views = {"a": place.view(first), "b": place.view(second)}  # type: ignore[arg-type]
        extra = [at, bias, residual]
        given = [t if t is bias else t.reshape(result.shape) for t in extra if t is not None]
        views.update((f"d{i}", place.view(t)) for i, t in enumerate(given))
        return problem_of(views, epilogue=Epilogue("add" if at is None else "gradient", site.activation, site.alpha))
    if site.has_bias and bias is None:
        bias = torch.empty(second.shape[0], dtype=second.dtype, device="meta")  # type: ignore[union-attr]
    images = Images(place, first, is_last(value_of(site.node)))  # type: ignore[arg-type]
    stride, padding, dilation, _, _, groups = site.node.args[3:9]
    geometry = geometry_of(stride, padding, dilation, groups)  # type: ignore[arg-type]
    scale = torch.empty(second.shape[0], device="meta") if site.multiplies_after else None  # type: ignore[union-attr]
    combine = "add" if scale is None else "multiply_add"
    read: dict[str, Any] = {"input": first, "weight": second}
    return images.pose("forward", geometry, scale, bias, residual, combine=combine, activation=site.activation, **read)


def _posed_scaled(site: Site) -> Problem | None:
    """Return the product of each image, as a matrix of pixels and channels, with its own weight."""
    image, weight, result = (example_of(value_of(n)) for n in (site.scale[0], site.operands[1], site.node))  # type: ignore[index]
    if image is None or weight is None or result is None:
        return None
    batch, (k, c) = image.shape[0], weight.shape[:2]
    place = Place(str(value_of(site.node).device))
    pixels = result.movedim(1, -1).flatten(1, -2).contiguous()
    given = {"a": image.movedim(1, -1).flatten(1, -2), "b": torch.empty_like(weight).new_empty(batch, k, c).mT}
    extra = [weight.new_empty(k)] if site.has_bias else []
    extra += [pixels] if site.residual is not None else []
    given.update((f"d{i}", t) for i, t in enumerate(extra))
    views = {role: place.view(t) for role, t in given.items()}
    return problem_of(views, epilogue=Epilogue("add", site.activation))


def computed(site: Site, real: Mapping[fx.Node, Any]) -> Any:
    """Return what our operator makes of a site, on real tensors by node."""
    if site.scale is not None:
        weight, image = real[site.operands[1]], real[site.scale[0]]
        k, c = weight.shape[:2]
        each = _zeros((image.shape[0], k, c), image.dtype, image.device)
        bias, residual = (None if node is None else real[node] for node in (site.bias, site.residual))
        if site.has_bias and bias is None:
            bias = _zeros((k,), image.dtype, image.device)
        return convolution_each(image, each, bias, residual, site.activation, True)
    first, second = (real[node] for node in site.operands)
    bias, residual, at = (None if node is None else real[node] for node in (site.bias, site.residual, site.at))
    if site.kind == "gemm":
        shape = (*first.shape[:-1], second.shape[-1])
        residual, at = (None if t is None else t.reshape(shape) for t in (residual, at))
        return product(first, second, bias, residual, at, site.activation, site.alpha)
    one_each = (second.shape[0],)
    scale = _zeros(one_each, torch.float32, first.device) if site.multiplies_after else None
    args: Any = site.node.args
    (stride, padding, dilation), groups, last = args[3:6], args[8], is_last(value_of(site.node))
    if site.has_bias and bias is None:
        bias = _zeros(one_each, first.dtype, first.device)
    return convolution(first, second, scale, bias, residual, stride, padding, dilation, groups, site.activation, last)


@lru_cache(maxsize=64)
def _zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return a folded bias or weight for measurements; it is made before, so that no kernel for it is measured."""
    return torch.zeros(shape, dtype=dtype, device=device)


def is_last(image: Any) -> bool:
    """Return whether a convolution of such images is computed in channels-last memory: wherever torch has that."""
    return image.dim() in FORMATS


def _replace(graph: fx.Graph, site: Site) -> fx.Node:
    """Put an operator of tilewright in the place of a site; return the node that has its value."""
    with graph.inserting_before(site.last):
        made = _product(graph, site) if site.kind == "gemm" else _convolution(graph, site)
        if "stack_trace" in site.node.meta:
            made.meta["stack_trace"] = site.node.meta["stack_trace"]
        result = made if site.shape is None else call(graph, aten.reshape.default, made, site.shape)
    site.last.replace_all_uses_with(result)
    return result


def _product(graph: fx.Graph, site: Site) -> fx.Node:
    shape, like = value_of(site.node).shape, [site.residual, site.at]
    for i, node in enumerate(like):
        if node is not None and not same_shape(value_of(node).shape, shape):
            like[i] = call(graph, aten.reshape.default, node, [-1, shape[1]])
    return call(graph, PRODUCT, *site.operands, site.bias, *like, site.activation, site.alpha)


def _convolution(graph: fx.Graph, site: Site) -> fx.Node:
    stride, padding, dilation, _, _, groups = site.node.args[3:9]
    x, weight = site.operands
    scale, bias = None, site.bias
    if site.channels:
        weight, scale, bias = folded(graph, site, weight)
    if site.scale is not None:
        image, factor = site.scale
        channels = value_of(weight).shape[1]
        flat = call(graph, aten.reshape.default, weight, [1, -1, channels])
        weights = call(graph, aten.mul.Tensor, flat, call(graph, aten.reshape.default, factor, [-1, 1, channels]))
        return call(graph, CONVOLUTION_EACH, image, weights, bias, site.residual, site.activation, True)
    geometry = (list(stride), list(padding), list(dilation), groups)  # type: ignore[arg-type]
    return call(
        graph, CONVOLUTION, x, weight, scale, bias, site.residual, *geometry, site.activation,
        is_last(value_of(site.node)),
    )  # fmt: skip
