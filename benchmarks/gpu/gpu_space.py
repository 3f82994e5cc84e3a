"""What the GPU benchmarks share: problems, the nominal H200, candidates, builds, and workers that may die."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

from places import HERE  # first, for the path to the package

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.jit import BuildFailure, Cache
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.select import get_selector
from tilewright.settings import Settings
from tilewright.tune.measure.candidates import ranked_for

ARCH = "sm_90"


def load_problems(name, device="cuda:0"):
    """The problems of a file, or of benchmarks/problems by its name, on the GPU."""
    path = name if isinstance(name, Path) else HERE / "problems" / f"{name}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return [problem_from_dict({**line, "device": device}) for line in lines]


def nominal_h200():
    return next(d for d in get_nominal_devices(ARCH) if d.name.startswith("H200"))


@cache
def selector_of(name):
    """The selector of that name, which knows the shipped models and no measurements."""
    return get_selector(name, Settings.from_env(data_dir=tempfile.mkdtemp(), ledger=False))


def ranked(problem, selector="analytical", device=None):
    """Candidates of a problem by a selector, best first."""
    return ranked_for(problem, device or nominal_h200(), selector_of(selector), default_registry())


def dispatcher_of(folder, workers=0):
    """A dispatcher whose kernels are kept in `folder`."""
    settings = Settings.from_env(cache_dir=str(folder), build_workers=workers, ledger=False)
    return Dispatcher(settings=settings)


def is_built(dispatcher, spec):
    """Whether the kernel is in the dispatcher's cache."""
    request = get_backend_op(spec.backend, spec.op).request(spec, dispatcher.settings)
    return dispatcher.cache.find(request.build_key) is not None


def build(specs, folder, workers, seconds=3600.0):
    """Compile what is not in the cache `folder` yet, for at most `seconds`; the specs that are there afterwards."""
    begin, late = time.time(), threading.Event()
    specs = list({s.digest: s for s in specs}.values())
    settings = dispatcher_of(folder, workers).settings
    watch = threading.Timer(seconds, late.set)
    watch.daemon = True
    watch.start()
    made = Registry().build(workers, specs=specs, cache=Cache.from_settings(settings), settings=settings, cancel=late)
    watch.cancel()
    for spec, failure in zip(specs, made, strict=True):
        if isinstance(failure, BuildFailure) and not late.is_set():
            print("not built:", spec.name, failure.reason[-300:], flush=True)
    good = [s for s, a in zip(specs, made, strict=True) if not isinstance(a, BuildFailure)]
    print(f"built {len(good)} of {len(specs)} in {time.time() - begin:.1f} s, {workers} workers", flush=True)
    return good


def in_workers(work, items, args, until, patience=120.0):
    """Run `work(item, *args)` for each item in a worker process; yield each item with what was returned.

    Where the process dies or hangs, that item is left out with a line that says so, and a new process goes on.
    """
    context, left = multiprocessing.get_context("spawn"), list(items)
    while left and time.time() < until:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(work, left, args, until, theirs), daemon=True)
        process.start()
        theirs.close()
        done = 0
        try:
            while ours.poll(patience):
                answer = ours.recv()
                yield left[done], answer
                done += 1
        except EOFError:  # it ended
            process.join(5)
        if process.exitcode == 0:
            return
        process.kill()
        process.join()
        lost = str(left[done])[:120] if done < len(left) else "nothing"
        print(f"left out {lost}: the worker ended with {process.exitcode}", flush=True)
        left = left[done + 1 :]


def _serve(work, items, args, until, pipe):
    for item in items:
        if time.time() > until:
            return
        pipe.send(work(item, *args))
