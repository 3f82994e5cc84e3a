"""Host time of a shape that was never seen, of a signature whose kernels are built: the normal case in serving.

    python benchmarks/cpu/new_shape_cost.py                  # this CPU, and a nominal H200
    python benchmarks/cpu/new_shape_cost.py --where cuda --quiet    # the GPU of this machine, launches included
    python benchmarks/cpu/new_shape_cost.py --profile --only "gemm sm_90"

Each case has 60 values of one extent: M of a GEMM, the batch of a convolution, the sequence length of an attention.
They are shuffled. Kernels and the C form of the cost models are built before. Then all that is known of shapes is
forgotten, and a pass over 60 other values, which is not counted, makes the steady state of a running program: of the
values that count some share a decision with one of these (sizes are rounded for it), others do not.

`key` makes the problem and its key, `choose` finds its candidate, `plan` finds the kernel and lays out its
launch, `bind` prepares it on tensors. `call` is a whole call of the public function on new tensors, less the same call
repeated; the calls of `cold` come after other work, which makes random tensors and leaves nothing in the caches.
Medians in microseconds of CPU time (`--clock wall`: of wall time), with the 90th percentile. `unit` is the time of a
fixed piece of Python: how fast the machine is just then. With `--quiet`, calls run on CPUs that work for nobody else
(`tilewright/tune/measure/quiet.py`); values at which the CPU was shared all the same are left out and counted (`left
out`).

For a nominal H200 a driver that does nothing takes the launches: no GPU is needed, only Triton's compiler. The tensors
of its whole calls are torch's on the host, whose views say that they are on a GPU.
"""

from __future__ import annotations

import argparse
import cProfile
import ctypes
import pstats
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from json_rows import append_row

from tilewright.arch import get_nominal_devices
from tilewright.backends.gpu import cuda_driver
from tilewright.dispatcher import Dispatcher
from tilewright.frontends.call_template import CallTemplate
from tilewright.model import problem as problems_module
from tilewright.model.device import Device
from tilewright.model.problem import Problem, identity_of
from tilewright.model.tensor import TensorView
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import Plans
from tilewright.select import get_selector
from tilewright.select.scorer import wait_for_builds
from tilewright.settings import Settings
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.measure.quiet import MAX_THREADS, QuietCpus

VALUES = 60
UNCHECKED = MAX_THREADS + 1
GEMM = {"op": "gemm", "n": 512, "k": 512, "layout": "rcr"}
CONV = {"op": "grouped_conv", "direction": "forward", "g": 1, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3],
        "pad": [1, 1], "layout": "nhwgc"}  # fmt: skip
FMHA = {"op": "fmha", "family": "fwd", "batch": 1, "heads_q": 8, "heads_kv": 8, "hdim_q": 64, "hdim_v": 64,
        "mask": "causal_top_left"}  # fmt: skip
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], range]] = {  # fields, the varying ones, values
    "gemm": (GEMM, ("m",), range(1, 769)),
    "conv": (CONV, ("n",), range(1, 97)),
    "attention": (FMHA, ("seqlen_q", "seqlen_k"), range(16, 513)),
}
STEPS = ("key", "choose", "plan", "bind")


class NullDriver:
    """Takes what a driver takes and does nothing: the host's own work is left.

    The launcher in C calls `pthread_equal` of the C library instead: two different addresses, 0.
    """

    ordinal, ready = 0, "be ready"
    entries = (ctypes.cast(ctypes.CDLL(None).pthread_equal, ctypes.c_void_p).value,) * 3

    def load(self, *_: Any) -> int:
        return 1

    def launch(self, *_: Any) -> int:
        return 0

    def move_map(self, *_: Any) -> None:
        return None

    def encode(self, *_: Any, **__: Any) -> None:
        return None

    def attribute(self, _: str) -> int:
        return 132

    def allocate(self, _: int) -> int:
        return 1 << 20

    def free(self, _: int) -> None:
        return None


def problems(case: str, dtype: str, place: str, count: int, seed: int) -> list[Problem]:
    fields, varying, values = CASES[case]
    drawn = random.Random(seed).sample(values, count)
    return [problem_from_dict({**fields, **dict.fromkeys(varying, v), "dtype": dtype, "device": place}) for v in drawn]


def drawn(case: str, dtype: str, place: str) -> tuple[list[Problem], list[Problem]]:
    """Return the problems before those that count, and those: none is in both."""
    warm, count = (problems(case, dtype, place, VALUES, seed) for seed in (1, 2))
    known = {identity_of(p) for p in warm}
    return warm, [p for p in count if identity_of(p) not in known]


def forget(dispatcher: Dispatcher) -> None:
    """Forget all that is known of shapes: plans, calls, decisions, tensor maps; kernels and C forms stay loaded."""
    wait_for_builds()
    dispatcher.selector = get_selector("chain", dispatcher.settings)
    dispatcher._plans = Plans()
    dispatcher._decisions.clear()
    dispatcher.forget_calls()
    problems_module._shape_classes.clear()
    for driver in cuda_driver._DRIVERS.values():
        driver._maps.clear()


class Nominal(Dispatcher):
    """A dispatcher for a device that is not there; a driver that does nothing launches its kernels."""

    def __init__(self, device: Device, settings: Settings) -> None:
        super().__init__(settings=settings)
        self._nominal = device

    def device_for(self, problem: Problem, arch: str | None = None) -> Device:
        return self._nominal


def views_of(problem: Problem, real: bool) -> dict[str, TensorView]:
    """Views of tensors; of a GPU that is not there, on memory that nobody reads."""
    from tilewright.jit.arrays import view_of

    tensors = get_op(problem.op).random_tensors(problem if real else replace(problem, device="cpu"), 0)
    views = {role: view_of(tensor, role) for role, tensor in tensors.items()}
    if real:
        return views
    places = enumerate(views.items(), 1)
    return {role: replace(view, device=problem.device, address=i << 32) for i, (role, view) in places}


def steps_of(dispatcher: Dispatcher, problem: Problem, views: Any, clock: Callable[[], float]) -> Iterator[float]:
    """Seconds of each of `STEPS`."""
    begin = clock()
    asked = replace(problem)
    _ = identity_of(asked)
    yield clock() - begin
    begin = clock()
    ranked = dispatcher._decisions_of(asked).rank(asked)
    _ = ranked[0]
    yield clock() - begin
    begin = clock()
    plan = dispatcher._first_usable(asked, ranked)
    yield clock() - begin
    begin = clock()
    call = plan.prepared_call(views)
    if call is None:
        plan.bind(views)(0)
    elif asked.device != "cpu":  # there a launch takes as long as its kernel
        call.run_pointers(*(view.address for view in views.values()))
    yield clock() - begin


def row_of(name: str, times: dict[str, list[float]]) -> dict[str, Any]:
    row: dict[str, Any] = {"case": name}
    for step, found in times.items():
        row[step] = 1e6 * median(found)
        row[f"{step} p90"] = 1e6 * quantiles(found, n=10)[-1]
    return row


def staged(case: str, dtype: str, device: Device, place: str, real: bool, args: argparse.Namespace) -> dict[str, Any]:
    """Return the times of the steps of one case."""
    settings = Settings.from_env(data_dir=tempfile.mkdtemp())  # no measurements, no models of the user's own
    dispatcher = Nominal(device, settings)
    warm, count = drawn(case, dtype, place)
    for problem in (*warm, *count):  # to build what they need
        _ = [*steps_of(dispatcher, problem, views_of(problem, real), args.time)]
    forget(dispatcher)
    for problem in warm:
        _ = [*steps_of(dispatcher, problem, views_of(problem, real), args.time)]
    times: dict[str, list[float]] = {step: [] for step in (*STEPS, "all")}
    profile = cProfile.Profile()
    for problem in count:
        views = views_of(problem, real)
        args.cpus.settle()
        if args.profile:
            profile.enable()
        found = [*steps_of(dispatcher, problem, views, args.time)]
        profile.disable()
        if not args.cpus.quiet():
            continue
        for step, seconds in zip((*STEPS, "all"), (*found, sum(found)), strict=True):
            times[step].append(seconds)
    if args.profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(75)
    return row_of(f"{case} {dtype} {device.arch}", times)


def called(case: str, dtype: str, place: str, dispatcher: Dispatcher, args: argparse.Namespace) -> dict[str, Any]:
    """Time of a whole call on a new shape, less that of the same call repeated."""
    warm, count = drawn(case, dtype, place)
    for problem in (*warm, *count):
        call_of(case, problem, dispatcher)()
    new, again = timed_calls(dispatcher, warm, [call_of(case, p, dispatcher) for p in count], case, args, warmed=True)
    cold, _ = timed_calls(dispatcher, warm, (call_of(case, p, dispatcher) for p in count), case, args, warmed=False)
    row = row_of(f"{case} {dtype} {place} (whole call)", {"call": new, "cold": cold, "again": again})
    row["unit"] = row["unit p90"] = unit()
    row["left out"] = row["left out p90"] = len(count) - len(new)
    row["templates"] = row["templates p90"] = sum(
        isinstance(template, CallTemplate)
        for known in dispatcher.calls.templates.values()
        for template in known._known.values()
    )
    return row


def timed_calls(
    dispatcher: Dispatcher,
    warm: list[Problem],
    calls: Iterable[Callable[[], Any]],
    case: str,
    args: argparse.Namespace,
    warmed: bool,
) -> tuple[list[float], list[float]]:
    """Return the seconds of first calls, less the same call repeated, and those of repeated ones."""
    forget(dispatcher)
    for problem in warm:
        call_of(case, problem, dispatcher)()
    new, again = [], []
    profile = cProfile.Profile()
    before: Callable[[], Any] | None = None
    for call in calls:
        args.cpus.settle()
        for _ in range(5 if before else 0):  # a CPU that it moved to has nothing in its caches
            before()
        if args.profile:
            profile.enable()
        first = elapsed(call, args.time)
        profile.disable()
        repeated = min(elapsed(call, args.time) for _ in range(5))
        if args.cpus.quiet():
            new.append(first - repeated)
            again.append(repeated)
        before = call if warmed else None
    if args.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(90)
    return new, again


def unit() -> float:
    """CPU microseconds of a fixed piece of Python: how fast this machine is just now."""

    def work() -> None:
        held = {}
        for i in range(100):
            held[(i, str(i))] = [i]

    return 1e6 * min(elapsed(work, time.process_time) for _ in range(50))


def elapsed(call: Callable[[], Any], clock: Callable[[], float]) -> float:
    begin = clock()
    call()
    return clock() - begin


def call_of(case: str, problem: Any, dispatcher: Dispatcher) -> Callable[[], Any]:
    import tilewright as tw

    tensors = tensors_of(problem, isinstance(dispatcher, Nominal))
    if case == "gemm":
        return lambda: tw.gemm(tensors["a"], tensors["b"], dispatcher=dispatcher)
    if case == "conv":
        return lambda: tw.conv(tensors["input"], tensors["weight"], padding=1, dispatcher=dispatcher)
    return lambda: tw.attention(tensors["q"], tensors["k"], tensors["v"], causal=True, dispatcher=dispatcher)


def tensors_of(problem: Any, nominal: bool) -> dict[str, Any]:
    if not nominal:
        return get_op(problem.op).random_tensors(problem, 0)
    import torch

    arrays = get_op(problem.op).random_tensors(replace(problem, device="cpu"), 0)
    return {role: torch.from_numpy(array) for role, array in arrays.items()}


def use_null_driver() -> None:
    from tilewright.backends.gpu import launch_template, stage

    driver = NullDriver()
    stage.driver_for = launch_template.driver_for = lambda kernels, place: driver


def put_on_gpu() -> None:
    """Let the views of host tensors say that they are on a GPU, as if torch had one."""
    import torch

    from tilewright.frontends import attention_options, call, gemm
    from tilewright.jit.arrays import view_at

    def on_gpu(tensor: Any, role: str, place: str | None) -> TensorView:
        return replace(view_at(tensor, role, place), device="cuda:0")

    for module in (attention_options, call, gemm):
        module.view_at = on_gpu
    torch.cuda.is_initialized, torch.cuda.is_current_stream_capturing = (lambda: True), (lambda: False)
    torch._C._cuda_getCurrentRawStream = lambda ordinal: 0


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--where", default="cpu,sm_90", help="of cpu, sm_90 (nominal) and cuda")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--calls", action="store_true", help="whole calls only, not their steps")
    parser.add_argument("--quiet", action="store_true", help="on a CPU that works for nobody else")
    parser.add_argument("--out", type=Path, help="also as JSON lines")
    args = parser.parse_args()
    args.time = time.thread_time if args.clock == "cpu" else time.perf_counter
    args.cpus = QuietCpus(1 if args.quiet else UNCHECKED)
    for where, case in ((w, c) for w in args.where.split(",") for c in CASES if args.only in f"{c} {w}"):
        for row in rows_of(where, case, args):
            show(row)
            if args.out:
                append_row(row, args.out)


def rows_of(where: str, case: str, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the rows of a case: its steps, and whole calls."""
    dtype, place = ("fp32", "cpu") if where == "cpu" else ("fp16", "cuda:0")
    settings = Settings.from_env(data_dir=tempfile.mkdtemp())
    if where == "sm_90":
        use_null_driver()
        h200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
        device = replace(h200, nominal=False)
        if not args.calls:
            yield staged(case, dtype, device, place, False, args)
        put_on_gpu()
        dispatcher: Dispatcher = Nominal(device, settings)
    else:
        dispatcher = Dispatcher(settings=settings)
        if not args.calls:
            device = Dispatcher().device_for(problems(case, dtype, place, 1, 1)[0])
            yield staged(case, dtype, device, place, True, args)
    yield called(case, dtype, place, dispatcher, args)


def show(row: dict[str, Any]) -> None:
    cells = (f"{k} {v:.0f} ({row[f'{k} p90']:.0f})" for k, v in row.items() if k != "case" and "p90" not in k)
    print(f"{row['case']:36}", "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
