"""Executes compiled AMD kernels in the emulator: the preselected sets, and a sample of the spaces of both backends.

    python benchmarks/ck_tile/ck_tile_audit.py --execute --budget 2h       # goes on where the last run stopped
    python benchmarks/ck_tile/ck_tile_audit.py --execute --counts FILE     # also counts what each kernel does

Kernels of CK Tile that have one arch and op are compiled together; those of Triton are built one by one. Every kernel
runs on the small problems of `tilewright build --verify`. One JSON line per kernel. With `--counts`, kernels that FILE
has no counts of are compiled, too, and counted (`tilewright.tune.verify.count`).
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import product, zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from ck_tile_batch import compile_batch
from ck_tile_cases import LEGAL, cost, preselected, spread
from ck_tile_executed_page import ARCHS, known
from json_rows import append_row

from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.compile import PACKER, PACKER_OBJECT, request_of
from tilewright.backends.ck_tile.conv.launch import instance_of as conv_instance
from tilewright.backends.ck_tile.fmha.launch_backward import companions
from tilewright.backends.ck_tile.fmha.launch_split import combiner
from tilewright.backends.ck_tile.fmha.trials import APPEND, MAIN
from tilewright.backends.ck_tile.gemm.instances import instance_of as gemm_instance
from tilewright.backends.ck_tile.inspect import ARGUMENTS, ASSEMBLY, CODE
from tilewright.backends.ck_tile.toolchain import Toolchain, find_toolchain
from tilewright.errors import TilewrightError
from tilewright.jit.artifact import Artifact
from tilewright.jit.cache import Cache
from tilewright.jit.compiler import find_compiler
from tilewright.jit.pool import build_one
from tilewright.model.kernel import KernelSpec
from tilewright.model.trial import Trial
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.geometry import implicit_gemm
from tilewright.registry import default_registry
from tilewright.settings import Settings
from tilewright.tune.verify.count import add_counts, count_kernel
from tilewright.tune.verify.execute import Executed, execute, shortened
from tilewright.tune.verify.record import emulator_digest

OPS = ("gemm", "conv", "fmha")
HEADER = b"\x7fELF\x02\x01\x01\x40\x03" + bytes(9) + b"\xe0" + bytes(45)  # of a code object of version 5, EM_AMDGPU
BATCH = {"gemm": 6, "conv": 4, "fmha": 3}
CPU_LIMIT = 400.0  # seconds per kernel, with all of its device kernels
CHEAP = 5  # kernels of Triton in one turn
PER_PROBLEM = 3  # kernels of Triton for each problem and arch
SEED = 17
WHOLE_PREFIX = 8  # hex digits that name one kernel
CONV = {"op": "grouped_conv", "n": 8, "c": 64, "k": 64, "input": [14, 14], "filter": [3, 3], "pad": [1, 1]}
FMHA = {"op": "fmha", "batch": 2, "heads_q": 4, "seqlen_q": 256, "hdim_q": 64}
PROBLEMS: tuple[dict[str, Any], ...] = (
    *({"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": d} for d in ("fp16", "bf16", "int8", "fp32")),
    *({"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": d, "dtype_out": "bf16"} for d in ("fp8", "fp8_fnuz")),
    {"op": "gemm", "m": 16, "n": 512, "k": 2048, "dtype": "bf16", "layout": "rrr"},
    {"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": "bf16", "epilogue": "Gelu",
     "d": [{"dtype": "bf16", "broadcast": "row"}]},
    *({**CONV, "direction": x, "dtype": d} for x in ("forward", "backward_data", "backward_weight")
      for d in ("fp16", "bf16")),
    *({**CONV, "direction": x, "dtype": "fp16", "g": 64} for x in ("forward", "backward_data", "backward_weight")),
    *({**FMHA, "family": f, "dtype": d, "mask": m, **more} for f, d, m, more in (
        ("fwd", "fp16", "causal_top_left", {"lse": True}), ("fwd", "bf16", "window", {"window_left": 40,
                                                                                       "window_right": 0}),
        ("fwd", "fp16", "none", {"mode": "group"}), ("bwd", "fp16", "causal_top_left", {}), ("bwd", "bf16", "none", {}),
        ("fwd_splitkv", "bf16", "causal_bottom_right", {"seqlen_q": 1, "seqlen_k": 512, "heads_kv": 1}),
        ("fwd_splitkv", "fp16", "none", {"seqlen_q": 1, "seqlen_k": 512, "page_size": 16, "heads_kv": 2}))),
)  # fmt: skip


def ck_kernels(arch: str, op: str, asked: tuple[str, ...] = ()) -> tuple[list[KernelSpec], set[str]]:
    """The kernels of an arch and op: the preselected sets, the cheapest first, then a sample; digests of the former.

    Kernels whose digest begins with one of `asked` are taken, too.
    """
    named = [case.spec for case in preselected(arch)] if op == "gemm" else []
    legal = list(LEGAL[op](arch))
    if op == "fmha":
        legal = [s for s in legal if launched(s)]
    more = [s for s in legal if asked and s.digest.startswith(asked)]
    every = [*sorted(named, key=cost), *(case.spec for case in spread(legal)), *more]
    return list({s.digest: s for s in every}.values()), {s.digest for s in named}


def launched(spec: KernelSpec) -> bool:
    """Whether an attention kernel is the main one of its pass, and the problem rules leave it a problem."""
    s, a = spec.signature, spec.algorithm
    pages_of_varlen = s.page_size and s.mode == "group" and s.family != "batch_prefill"
    if pages_of_varlen:
        return False  # `ck_tile.fmha.launch`
    if s.page_size and not a.pad_sk:
        return False  # lengths of pages are per sequence: `ck_tile.fmha.keys`
    if s.family == "fwd_splitkv" and s.mode == "group" and not a.uneven_splits:
        return False  # `ck_tile.fmha.even_splits`
    return a.stage in (*MAIN, APPEND)


def triton_kernels(arch: str, op: str) -> list[KernelSpec]:
    """A seeded sample of the legal kernels of Triton for some problems."""
    registry, found = default_registry(("triton",)), dict[str, KernelSpec]()
    for described in PROBLEMS:
        with contextlib.suppress(TilewrightError):
            problem = problem_from_dict({**described, "device": f"emu:{arch}"})
            if problem.op != op:
                continue
            device = get_backend("triton").device_at(problem.device, Settings())
            legal = sorted({c.spec.digest: c.spec for c in registry.consider(problem, device).legal}.items())
            rng = random.Random(f"{SEED} {arch} {problem.label()}")
            found.update(rng.sample(legal, min(PER_PROBLEM, len(legal))))
    return list(found.values())


def row_of(spec: KernelSpec, named: bool, compiled: dict[str, Any], executed: Executed | None) -> dict[str, Any]:
    """One line of the results."""
    s = spec.signature
    family = {"gemm": lambda: _gemm_family(spec), "conv": lambda: s.direction, "fmha": lambda: s.family}[spec.op]()
    row = {"backend": spec.backend, "op": spec.op, "arch": spec.arch, "family": family, "digest": spec.digest,
           "name": spec.name, "named": named, "spec": spec.to_dict(), **compiled}  # fmt: skip
    if executed is None:
        return row
    runs = [{"path": o.path, "problem": o.problem, "launch": o.launch, "state": o.state,
             **({"findings": list(o.findings)} if o.findings else {}), **({"message": o.message} if o.message else {})}
            for o in executed.outcomes]  # fmt: skip
    seconds = round(sum(o.seconds for o in executed.outcomes), 1)
    told = {"why": executed.why} if executed.why else {}
    return {**row, "emulator": emulator_digest(), "executed": executed.state, **told, "runs": runs, "ran": seconds}


def _gemm_family(spec: KernelSpec) -> str:
    """CK's kernel if it is not the universal one, else the dispatcher's variant."""
    own = getattr(spec.algorithm, "family", "universal")
    return str(spec.signature.variant if own == "universal" else own)


def execute_ck(
    batch: Batch, settings: Settings, tools: Toolchain, main_only: bool, want: Wanted
) -> Iterator[dict[str, Any]]:
    """Compile kernels of one arch and op together, with the other kernels of their passes; execute and count each."""
    specs, named = batch.specs, batch.named
    others = {k.digest: k for s in specs for k in others_of(s)}
    together = [*specs, *(k for k in others.values() if k not in specs)]
    with tempfile.TemporaryDirectory(prefix="ck_executed_") as name:
        root = Path(name)
        packers = pack_arguments(specs, settings, tools, root) if specs[0].op == "conv" else {}
        outcomes = dict(compile_batch(together, settings, tools, CPU_LIMIT, main_only, keep_text=True))
        opened = {s.digest: opened_kernels(s, found, root, packers) for s, found in outcomes.items() if found["good"]}
        for spec in specs:
            outcome = outcomes[spec]
            told = {"compiled": outcome["outcome"], "seconds": outcome["seconds"], "toolchain": tools.identity,
                    "instances": "main" if main_only and spec.op != "fmha" else "all"}  # fmt: skip
            if not outcome["good"]:
                if not want.executes(spec):
                    continue
                yield row_of(spec, spec.digest in named, {**told, "why": outcome["reason"]}, None)
                continue
            kernels = opened[spec.digest]
            with passes_of(opened):
                yield from counted_row(spec, kernels, settings, want, tools.identity)
                done = execute(spec, kernels, settings, takes(spec, kernels)) if want.executes(spec) else None
            if done is not None:
                keep_text(kernels, done)
                yield row_of(spec, spec.digest in named, told, done)


def counted_row(
    spec: KernelSpec, kernels: Any, settings: Settings, want: Wanted, toolchain: str = ""
) -> Iterator[dict[str, Any]]:
    """The counts of a kernel, if they are wanted; one that cannot be counted is reported."""
    if not want.counts(spec):
        return
    try:
        found = count_kernel(spec, kernels, settings)
    except TilewrightError as error:
        found = None
        print(f"not counted: {spec.name}: {shortened(str(error))}", flush=True)
    if found is not None:
        yield {**found, "toolchain": toolchain} if toolchain else found


def keep_text(kernels: CkKernels, done: Executed) -> None:
    """Keep the files of a kernel that is not right in the folder that CK_TILE_KEEP names, to look into."""
    root = os.environ.get("CK_TILE_KEEP")
    if root and done.outcomes and done.state != "right":
        Path(root).mkdir(parents=True, exist_ok=True)
        with tarfile.open(Path(root) / f"{kernels.spec.digest[:8]}.tar.gz", "w:gz") as archive:
            for path in kernels.folder.iterdir():
                archive.add(path, path.name)


def others_of(spec: KernelSpec) -> list[KernelSpec]:
    """The kernels that the pass of an attention kernel needs besides it."""
    if spec.op != "fmha":
        return []
    return [combiner(spec, 2)] if spec.signature.family == "fwd_splitkv" else list(companions(spec).values())


def opened_kernels(spec: KernelSpec, outcome: dict[str, Any], root: Path, packers: dict[KernelSpec, Path]) -> CkKernels:
    """The kernels of a batch as a build leaves them."""
    folder = root / spec.digest[:16]
    folder.mkdir(exist_ok=True)
    (folder / CODE).write_bytes(HEADER)  # the emulator executes the text beside it
    (folder / ASSEMBLY).write_text(outcome["assembly"])
    if spec in packers:
        packers[spec].rename(folder / ARGUMENTS)
    return CkKernels(spec, folder, outcome["symbols"])


@contextlib.contextmanager
def passes_of(opened: dict[str, CkKernels]) -> Iterator[None]:
    """Let passes of attention find their other kernels in the batch instead of building them one by one."""
    kind: Any = type(get_backend_op("ck_tile", "fmha"))
    build = kind._loaded
    kind._loaded = lambda self, spec, settings: opened.get(spec.digest) or build(self, spec, settings)
    try:
        yield
    finally:
        kind._loaded = build


def takes(spec: KernelSpec, kernels: CkKernels) -> Callable[[Trial], bool]:
    """Whether the device kernel of a trial was compiled."""

    def wanted(trial: Trial) -> bool:
        problem: Any = trial.problem
        if spec.op == "gemm":
            return gemm_instance(spec, problem.k, trial.launch.split_k).name in kernels.symbols
        return spec.op != "conv" or (
            conv_instance(spec, implicit_gemm(problem).k, trial.launch.split_k) in kernels.symbols
        )

    return wanted


def pack_arguments(
    specs: Iterable[KernelSpec], settings: Settings, tools: Toolchain, root: Path
) -> dict[KernelSpec, Path]:
    """The libraries that make the arguments of convolutions, by one compilation; empty if it fails."""
    requests = {spec: request_of(spec, settings, toolchain=tools) for spec in specs}
    lines = []
    for i, (spec, request) in enumerate(requests.items()):
        (root / f"{i}_{PACKER}").write_text(request.inputs[PACKER])
        (root / f"{spec.name}.hpp").write_text(request.inputs[f"{spec.name}.hpp"])
        lines += [f"#define tw_arguments tw_arguments_{i}", f'#include "{i}_{PACKER}"', "#undef tw_arguments"]
    (root / PACKER).write_text("\n".join(lines) + "\n")
    compile_ = next(iter(requests.values())).commands[-2]
    if subprocess.run(compile_, cwd=root, capture_output=True, check=False).returncode:
        return {}
    found = {}
    for i, spec in enumerate(requests):
        made = root / f"{i}.elf"
        link = [*find_compiler(settings).argv, "-shared", f"-Wl,--defsym=tw_arguments=tw_arguments_{i}"]
        subprocess.run([*link, PACKER_OBJECT, "-o", str(made)], cwd=root, check=True)
        found[spec] = made
    return found


def execute_triton(spec: KernelSpec, settings: Settings, cache: Cache, want: Wanted) -> Iterator[dict[str, Any]]:
    """Build one kernel of Triton, count it and execute it."""
    op, start = get_backend_op("triton", spec.op), time.monotonic()
    try:
        built: Artifact = build_one(op.request(spec, settings), cache)
    except TilewrightError as error:
        told = {"compiled": "error", "seconds": round(time.monotonic() - start, 1), "why": str(error)[:300]}
        yield row_of(spec, False, told, None)
        return
    kernel = op.load(spec, built)
    yield from counted_row(spec, kernel, settings, want)
    if want.executes(spec):
        told = {"compiled": "ok", "seconds": round(built.seconds, 1)}
        yield row_of(spec, False, told, execute(spec, kernel, settings))


@dataclass(frozen=True)
class Wanted:
    """Which kernels are to be executed, and which to be counted: those that are not among the digests."""

    executed: frozenset[str]
    counted: frozenset[str] | None = None  # None: none is counted
    only: tuple[str, ...] = ("",)  # how digests begin; such kernels are compiled one by one
    names: tuple[str, ...] = ("",)  # one of them is in the kernel's name

    def chooses(self, spec: KernelSpec) -> bool:
        """Whether the kernel is one of those that were asked for, and something is not known of it."""
        asked = spec.digest.startswith(self.only) and any(name in spec.name for name in self.names)
        return asked and (self.executes(spec) or self.counts(spec))

    def executes(self, spec: KernelSpec) -> bool:
        """Whether the kernel has no row yet."""
        return spec.digest not in self.executed

    def counts(self, spec: KernelSpec) -> bool:
        """Whether its counts are wanted and not known."""
        return self.counted is not None and spec.digest not in self.counted


@dataclass(frozen=True)
class Batch:
    """Kernels of one backend, arch and op that are compiled together; `named` are digests of the preselected sets."""

    backend: str
    specs: tuple[KernelSpec, ...]
    named: frozenset[str]


def planned(backend: str, arch: str, op: str, want: Wanted) -> list[Batch]:
    """The batches of one backend, arch and op; none if the arch has no kernels of the op."""
    try:
        asked = tuple(digest for digest in want.only if len(digest) >= WHOLE_PREFIX)
        specs, named = (triton_kernels(arch, op), set[str]()) if backend == "triton" else ck_kernels(arch, op, asked)
    except TilewrightError:
        return []
    size = CHEAP if backend == "triton" else BATCH[op]
    left = [s for s in specs if want.chooses(s)]
    if want.only != ("",):
        return [Batch(backend, (s,), frozenset(named)) for s in left]
    alike = [[s for s in left if two_stage(s) == two and (s.digest in named) == own]
             for own in (True, False) for two in (False, True)]  # fmt: skip
    return [Batch(backend, tuple(g[i : i + size]), frozenset(named)) for g in alike for i in range(0, len(g), size)]


def two_stage(spec: KernelSpec) -> bool:
    """Whether the kernel for long K alone computes nothing: its sums are converted by another one."""
    return bool(getattr(spec.algorithm, "two_stage", False))


def executed_batch(batch: Batch, main_only: bool, want: Wanted) -> list[dict[str, Any]]:
    """Compile and execute the kernels of a batch; what a worker process does."""
    settings = Settings.from_env()
    if batch.backend == "triton":
        cache = Cache.from_settings(settings)
        return [row for spec in batch.specs for row in execute_triton(spec, settings, cache, want)]
    main_only = main_only and not two_stage(batch.specs[0])
    return list(execute_ck(batch, settings, find_toolchain(settings), main_only, want))


def run(options: Any) -> None:
    """Execute until the budget is spent; the rows of a batch are written as soon as it is done.

    What is under way at the end of the budget is dropped.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of the reference; processes share the cores already
    into = options.into or options.executed
    rows = [*known(options.executed), *(known(into) if options.into else ())]
    counted = frozenset(row["digest"] for row in known(options.counts)) if options.counts else None
    known_rows = frozenset(row["digest"] for row in rows)
    want = Wanted(known_rows, counted, tuple(options.only) or ("",), tuple(options.name) or ("",))
    end = time.monotonic() + options.budget if options.budget else float("inf")
    places = product(options.backend or ("triton", "ck_tile"), options.op or OPS, options.arch or ARCHS)
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        plans = [pool.submit(planned, backend, arch, op, want) for backend, op, arch in places]
        waiting = deque(by_need([plan.result() for plan in plans], Counter(row["arch"] for row in rows)))
        running: set[Future[list[dict[str, Any]]]] = set()
        while (waiting or running) and time.monotonic() < end:
            while waiting and len(running) < options.jobs:
                running.add(pool.submit(executed_batch, waiting.popleft(), options.main_only, want))
            finished, running = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for row in (row for future in finished for row in rows_of(future)):
                if "loop" in row:
                    add_counts(options.counts, [row])
                    continue
                append_row(row, into, sort_keys=True)
                said = row.get("executed", row["compiled"])
                print(said, row["name"], row["seconds"], row.get("ran", ""), row.get("why", "")[:200], flush=True)
        for process in (pool._processes or {}).values() if running else ():
            process.terminate()


def by_need(plans: Sequence[Sequence[Batch]], executed: Mapping[str, int]) -> list[Batch]:
    """The batches in the order of what matters: preselected kernels first, then samples of archs with few rows.

    Within each of both, the first batches of every backend, op and arch come before the second ones.
    """
    turns = [batch for turn in zip_longest(*plans) for batch in turn if batch is not None]
    own = [batch for batch in turns if batch.specs[0].digest in batch.named]
    planned = Counter(executed) + Counter({b.specs[0].arch: len(b.specs) for b in own})
    order = []
    for at, batch in enumerate(batch for batch in turns if batch.specs[0].digest not in batch.named):
        arch = batch.specs[0].arch
        order.append((planned[arch], at, batch))
        planned[arch] += len(batch.specs)
    return [*own, *(batch for *_, batch in sorted(order, key=lambda x: x[:2]))]


def rows_of(future: Future[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of a batch; a batch that failed as a whole is reported and leaves none."""
    try:
        return future.result()
    except Exception as error:
        print(f"a batch failed: {error!r:.500}", flush=True)
        return []
