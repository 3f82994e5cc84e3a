"""Both ways of a site timed on random tensors: our kernel, and torch's operator with a pass over its result.

The pass is timed in place of Inductor's kernel that computes what follows. Times are kept in the data folder: a later
compilation, in any process, does not measure them again.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import fx

from ...backends.vendor.libraries import version_of
from ...dispatcher import Dispatcher
from ...dispatcher.policy import must_agree
from ...errors import TilewrightError
from ...jit.files import NameLock
from ...model.kernel import Candidate, KernelSpec
from ...model.problem import Problem
from ...select.chain import build_keys_now
from ...settings import Settings
from ...store import store_path
from ...store.kept import COMPILE_TIMES, KeptRows
from ..fitness import CUDNN, allows_tf32
from ..formats import FORMATS
from .decide import GRAIN, Times, our_kernel
from .inductor import hint_of, real_tensors
from .sites import VIEWS
from .values import example_of, size_of

Run = Callable[[Mapping[fx.Node, Any]], Any]
ROUNDS, LEAST_SECONDS = 8, 2e-3  # each way is called until so many seconds have passed, in so many rounds
MAX_SECONDS = 0.05  # of one way on a CPU, after which no round is begun
PLACED, TRIES = ("ours", "library"), 3  # the ways that stand between passes, and how often they are measured
CALLS = 8  # in one CUDA graph
PATIENCE = 20.0  # seconds that a process waits for another one's measurement
cuda: Any = torch.cuda
aten = torch.ops.aten
NOISE = 1.02  # what our measured kernel must be faster by
HOW = 7  # how times are measured; a kept one of another number is measured again
MAX_COPIES = 64  # of an operand
WEIGHT_STD = 0.05  # so that results are about 1: activations of large numbers may be denormal, which takes long
LEAST_CACHE = 1 << 25  # bytes of the caches of a CPU that does not say
# Activations that take longer than reading and writing on a CPU.
COSTLY: dict[str, Callable[..., Any]] = {
    "gelu_erf": aten.gelu.out, "gelu_tanh": partial(aten.gelu.out, approximate="tanh"), "silu": aten.silu.out,
    "sigmoid": aten.sigmoid.out, "tanh": aten.tanh.out,
}  # fmt: skip
log = logging.getLogger("tilewright")


@dataclass(frozen=True)
class Timed:
    """Seconds of one way (`ours`, `library`, `after` or `activation`), measured.

    `what` is our problem, or torch's operator with its operands. `version` is the build of our kernel, or the version
    and settings of torch. `predicted` is what would have counted without the measurement.
    """

    way: str
    what: str
    device: str
    version: str
    seconds: float
    predicted: float = 0.0
    label: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a time depends on."""
        return self.way, self.what, self.device, self.version


class Tuner:
    """Measures what is not known yet, and keeps it. What needs no build is measured in any compilation."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows = KeptRows[Timed](path, Timed, lambda row: row.key, lambda row: row.seconds > 0)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Wait while another process measures, but not for long."""
        path = self._path.with_suffix(".lock")
        lock, end = NameLock(path), time.monotonic() + PATIENCE
        held = False
        with contextlib.suppress(OSError):  # without locks nobody waits
            path.parent.mkdir(parents=True, exist_ok=True)
            while not (held := lock.acquire()) and time.monotonic() < end:
                time.sleep(0.002)
        try:
            yield
        finally:
            if held:
                lock.release()

    def prepare(self, problems: Sequence[Problem], where: Dispatcher, seconds: float = math.inf) -> None:
        """Build what will be measured, in parallel; what cannot be built is left when it is measured.

        After so many seconds the rest is built while the compilation goes on.
        """
        kernels = ((problem, our_kernel(problem, where)) for problem in problems)
        wanted = [
            problem
            for problem, found in kernels
            if not isinstance(found, str) and self.rows.get(_our_key(problem, found.candidate, where)) is None
        ]
        thread = self.begin(wanted, where)
        if thread is not None:
            thread.join(None if math.isinf(seconds) else seconds)

    def begin(self, problems: Sequence[Problem], where: Dispatcher) -> threading.Thread | None:
        """Begin to build the kernels of problems; return the thread, or None if there is nothing to build."""
        wanted = [problem for problem in problems if not must_agree(problem, where.settings)]
        if not wanted:
            return None

        def build() -> None:  # in a thread of its own, which has none of the modes of a compilation
            with contextlib.suppress(TilewrightError):
                where.warm_up(wanted)

        thread = threading.Thread(target=build, name="tilewright-build-first", daemon=True)
        thread.start()
        return thread

    def measured(
        self, expected: Times, problem: Problem, node: fx.Node, run: Run, where: Dispatcher, build: bool,
        args: Sequence[Any] | None = None, more: Sequence[fx.Node] = (), activation: str = "none",
    ) -> Times | str:  # fmt: skip
        """Return the times of a problem that stands at a node, measured as far as possible, or why it is left.

        `run` computes it by our operator, which reads `more` than the node does. `args` are those of torch's operator,
        if they are not those of the node. `activation` follows the node. Without `build`, a kernel that is not built
        keeps its predicted time.
        """
        if must_agree(problem, where.settings):
            return expected
        given = node.args if args is None else args
        on_cpu, described = problem.device == "cpu", _described(node, given)
        copies = _copies_of(node, more, where.device_for(problem).cache_bytes) if on_cpu else 1
        ours = _our_key(problem, expected.candidate, where, copies)
        if on_cpu:  # its speed changes by the minute: a library's time is compared with what was timed in turn with it
            described += f" beside {ours[1]}"
        theirs = described, where.device_for(problem).digest, f"{_torch_now()}, {copies}"
        keys = {"ours": ours, "library": ("library", *theirs), "after": ("after", *theirs)}
        if activation in COSTLY and on_cpu:
            keys["activation"] = ("activation", f"{described} {activation}", *theirs[1:])
        known = {way: self.rows.get(key) for way, key in keys.items()}
        ready = build or where.is_built(expected.candidate.spec)
        missing = [way for way, row in known.items() if row is None and (way != "ours" or ready)]
        if "ours" in missing and on_cpu:
            missing = list(keys)
        if missing:
            try:
                with self.alone(), real_tensors(), torch.no_grad():
                    found = _times(missing, node, run, given, more, activation, copies)
            except TilewrightError as error:
                return error.message
            except RuntimeError as error:  # torch's: no memory, or no kernel for random operands
                log.warning("%s was not measured: %s", problem.label(), error)
                return expected
            if any(seconds <= 0.0 and way in PLACED for way, seconds in found.items()):
                log.info("%s was not measured: other work took longer than it", problem.label())
                return expected
            for way, seconds in found.items():
                known[way] = Timed(*keys[way], seconds, getattr(expected, way), problem.label())
                self.rows.add(known[way])  # type: ignore[arg-type]
        times: dict[str, Any] = {way: row.seconds for way, row in known.items() if row is not None}
        if "activation" in times:
            times["activation"] = expected.activation + max(0.0, times["activation"] - times["after"])
        return replace(expected, **times, doubt=NOISE if "ours" in times else expected.doubt)


@cache
def tuner_of(settings: Settings) -> Tuner:
    """Return the times in the data folder that settings name."""
    return Tuner(store_path(settings).parent / COMPILE_TIMES)


def _our_key(problem: Problem, kernel: Candidate, where: Dispatcher, copies: int = 1) -> tuple[str, str, str, str]:
    """Return the key of our kernel's time: sizes, strides, the kernel with its launch, its build, threads, copies."""
    build = f"{_build_key(kernel.spec, where.settings)}, {torch.get_num_threads()}, {HOW}, {copies}"
    return "ours", f"{problem.exact_key} {kernel.key}", where.device_for(problem).digest, build


@lru_cache(maxsize=4096)
def _build_key(spec: KernelSpec, settings: Settings) -> str:
    """Return the key of a kernel's build: it is made from all headers, and a graph asks for it hundreds of times."""
    return build_keys_now(spec, settings)[0]


def _described(node: fx.Node, args: Sequence[Any]) -> str:
    """Return an operator with its operands, as sizes, strides and numbers."""

    def text(value: Any) -> str:
        if isinstance(value, fx.Node):
            found = value.meta["val"]
            if not isinstance(found, torch.Tensor):
                return str(hint_of(found))
            example = example_of(found)
            sizes = "?" if example is None else f"{tuple(example.shape)} {example.stride()}"
            return f"{found.dtype} {sizes}".removeprefix("torch.")
        return f"[{', '.join(map(text, value))}]" if isinstance(value, (list, tuple)) else str(value)

    return f"{node.target}({'; '.join(map(text, args))}) {dict(node.kwargs)}"


def _torch_now() -> str:
    """Return everything of torch that the time of its operators depends on."""
    flags = (HOW, torch.get_num_threads(), torch.backends.cudnn.benchmark, allows_tf32(CUDNN), _precision())
    return f"{version_of('torch')}, {flags}"


def _precision() -> str:
    try:
        return torch.get_float32_matmul_precision()
    except RuntimeError:  # each library has a setting of its own
        backends: Any = torch.backends
        return f"{backends.cuda.matmul.fp32_precision} {backends.mkldnn.matmul.fp32_precision}"


def _copies_of(node: fx.Node, more: Sequence[fx.Node], cache_bytes: int) -> int:
    """Return how many copies of a node's weights fill what is left of a CPU's caches by a run of the program.

    A program reads each weight once in a run. If all of them are more than the caches hold, that comes from memory,
    and a loop of calls with one weight would say nothing about it.
    """
    all_given = sum(map(_given_bytes, node.graph.nodes))
    own = sum(_given_bytes(_source(arg)) for arg in dict.fromkeys((*node.all_input_nodes, *more)))
    count = min(all_given, 2 * (cache_bytes or LEAST_CACHE)) // max(own, 1)
    return 1 << (max(1, min(count, MAX_COPIES)).bit_length() - 1)


def _source(node: fx.Node) -> fx.Node:
    """Return the node whose memory a node is a view of."""
    while node.target in VIEWS and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def _given_bytes(node: fx.Node) -> int:
    """Return the bytes of an input of the program, a weight or what the forward pass has kept; 0 for other nodes."""
    is_given = node.op in ("placeholder", "get_attr") and isinstance(node.meta.get("val"), torch.Tensor)
    return size_of(node) if is_given else 0


def _times(
    wanted: Sequence[str], node: fx.Node, run: Run, given: Sequence[Any], more: Sequence[fx.Node], activation: str,
    copies: int,
) -> dict[str, float]:  # fmt: skip
    operands = dict.fromkeys((*node.all_input_nodes, *more))
    real = {
        arg: drawn(arg.meta["val"], number, WEIGHT_STD if _given_bytes(_source(arg)) else 1.0)
        for number, arg in enumerate(operands)
    }
    real = _laid_out(node, real)
    every = [real, *(_copied(real) for _ in range(copies - 1))]
    calls = [fx.map_arg((tuple(given), dict(node.kwargs)), tensors.__getitem__) for tensors in every]
    mine, theirs = cycle(every), cycle(calls)
    target: Any = node.target

    def library() -> Any:
        args, kwargs = next(theirs)
        return target(*args, **kwargs)

    result = _first(library())
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: run(next(mine)), "library": library, "after": result.relu_,
    }  # fmt: skip
    if "activation" in wanted:
        numbers, out = torch.randn_like(result), torch.empty_like(result)
        ways["activation"] = partial(COSTLY[activation], numbers, out=out)
    chosen = {way: ways[way] for way in wanted}
    if result.is_cuda:
        return _on_gpu(chosen)
    made = [t for arg, t in real.items() if not _given_bytes(_source(arg)) and isinstance(t, torch.Tensor)]
    return _in_a_program(chosen, next((t for t in made if t.is_floating_point() and t.dim() > 1), result), result)


def _copied(real: Mapping[fx.Node, Any]) -> dict[fx.Node, Any]:
    """Return the tensors with copies of those that a program is given; what it computes before is in the caches."""
    return {arg: clone_of(t) if _given_bytes(_source(arg)) else t for arg, t in real.items()}


def clone_of(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy with the same strides, also where elements overlap or lie apart.

    >>> clone_of(torch.ones(3, 4).T[:2]).stride()
    (1, 4)
    """
    whole = tensor.as_strided((tensor.untyped_storage().nbytes() // tensor.element_size(),), (1,), 0)
    return whole.clone().as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _in_a_program(ways: Mapping[str, Callable[[], Any]], read: torch.Tensor, result: torch.Tensor) -> dict[str, float]:
    """Return the time of each way on a CPU, of operators between a pass over what they read and one over their result.

    A pass by torch's threads leaves the rows of a tensor in the caches of the cores that Inductor's kernels use. Time
    that an operator takes because it reads or writes rows on other cores does not show in a loop of its calls alone.
    The last pass is by all threads, for a result of any size, as Inductor's kernels are: one that fell asleep
    because the operator gave it too little work has to be woken. If other work disturbs the passes, the rest of a short
    operator may be nothing: it is measured again, and no time is left in the end.
    """
    shared = torch.zeros(torch.get_num_threads() * GRAIN)

    def between(call: Callable[[], Any]) -> Callable[[], Any]:
        def passes() -> None:
            read.mul_(1.0)
            _first(call()).relu_()
            shared.mul_(1.0)

        return passes

    placed = {way: between(ways[way]) for way in PLACED if way in ways}
    rest = {way: call for way, call in ways.items() if way not in placed}
    found: dict[str, float] = {}
    for _ in range(TRIES):
        found = _on_cpu({**placed, **rest, "passes": between(lambda: result)} if placed else rest)
        passes = found.pop("passes", 0.0)
        found = {way: seconds - passes if way in placed else seconds for way, seconds in found.items()}
        if all(found[way] > 0.0 for way in placed):
            break
    return found


def drawn(value: Any, seed: int = 0, std: float = 1.0) -> Any:
    """Return a tensor of random numbers with the sizes, strides and device of a fake tensor; or a number for a size.

    >>> drawn(torch.ones(2, 3).mT).stride()
    (1, 3)
    """
    if not isinstance(value, torch.Tensor):
        return hint_of(value)
    example = example_of(value)
    if example is None:
        raise TilewrightError("a size is not known")
    made = torch.empty_strided(example.shape, example.stride(), dtype=value.dtype, device=value.device)
    whole = made.as_strided((made.untyped_storage().nbytes() // made.element_size(),), (1,))
    if value.is_floating_point():
        whole.normal_(generator=torch.Generator(value.device).manual_seed(seed), std=std)
    else:
        whole.zero_()
    return made


def _laid_out(node: fx.Node, real: Mapping[fx.Node, Any]) -> dict[fx.Node, Any]:
    """Return the tensors as Inductor hands them to either operator: images in channels-last memory."""
    if "convolution" not in str(node.target):
        return dict(real)
    return {
        arg: t.contiguous(memory_format=FORMATS[t.dim()]) if isinstance(t, torch.Tensor) and t.dim() in FORMATS else t
        for arg, t in real.items()
    }


def _first(found: Any) -> Any:
    return next(t for t in found if isinstance(t, torch.Tensor)) if isinstance(found, (tuple, list)) else found


def _on_cpu(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the time of each way, of calls in turn.

    Of a round counts the least time of a call, because compilers run beside it. A core that runs slower for a while
    does so for all ways of a round: they are compared round by round, with the first way, and its least time counts.
    """
    rounds: dict[str, list[float]] = {name: [] for name in ways}
    left = dict.fromkeys(ways, MAX_SECONDS)
    for call in ways.values():
        call()
    for _ in range(ROUNDS):
        for name, call in ways.items():
            if left[name] < 0.0:  # enough: what takes long has little noise
                continue
            least, started = math.inf, time.perf_counter()
            now = started
            while now - started < LEAST_SECONDS:
                began = now
                call()
                now = time.perf_counter()
                least = min(least, now - began)
            left[name] -= now - started
            rounds[name].append(least)
    first = next(iter(rounds.values()))
    return {
        name: min(first) * median(mine / one for mine, one in zip(found, first, strict=False))
        for name, found in rounds.items()
    }


def _on_gpu(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the least time of each way in a CUDA graph of several calls: without the time of Python."""
    graphs: dict[str, tuple[Any, int]] = {}
    for name, call in ways.items():
        side = cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                call()
            calls = CALLS if _between(call) < LEAST_SECONDS else 1
        torch.cuda.current_stream().wait_stream(side)
        graphs[name] = torch.cuda.CUDAGraph(), calls
        # Kernels that are built meanwhile are loaded by another thread.
        with cuda.graph(graphs[name][0], capture_error_mode="thread_local"):
            for _ in range(calls):
                call()
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, (graph, calls) in graphs.items():
            graph.replay()  # while it runs, the host launches what is timed
            best[name] = min(best[name], _between(graph.replay) / calls)
    return best


def _between(call: Callable[[], Any]) -> float:
    """Return the seconds of a call between two events of the current stream."""
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) * 1e-3
