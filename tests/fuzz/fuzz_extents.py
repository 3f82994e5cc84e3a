"""Fuzz targets for where tensors lie in memory: the definition in C, its twin in Python, products between canaries,
and the C++ dispatcher (`dispatcher_fuzz.cpp`)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_targets import AcceptedError

import tilewright
from tilewright.errors import TilewrightError
from tilewright.jit.launcher import launcher
from tilewright.model.tensor import TensorView, extent_of, extents_overlap, overlap_within

GUARD = 4096  # elements on both sides of a buffer
CANARY = np.float32(-12345.5)
SOURCE = Path(__file__).with_name("dispatcher_fuzz.cpp")
SIZES = (0, 1, 1, 2, 3, 4, 5, 8)
STEPS = (0, 1, 1, 2, 3, 4, 5, 8, 20, -1, -1, -2, -3, -8, -20)
HUGE = (2**31, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63))


def _layout(rng: Random, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = tuple(rng.choice(SIZES) for _ in range(rank))
    if rng.random() < 0.5:  # dense, perhaps with gaps, permuted, and each dimension in either direction
        strides, step = [0] * rank, 1
        for d in rng.sample(range(rank), rank):
            strides[d] = step * rng.choice((1, 1, -1))
            step *= max(1, shape[d]) + rng.choice((0, 0, 1, 3))
        return shape, tuple(strides)
    return shape, tuple(rng.choice(STEPS) for _ in range(rank))


def _places(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The place of every element, one by one."""
    return [sum(i * s for i, s in zip(at, strides, strict=True)) for at in product(*(range(n) for n in shape))]


def extents(rng: Random) -> None:
    """Compare both definitions with each other and with a count of every element."""
    module = launcher().module
    shape, strides = _layout(rng, rng.randrange(5))
    bits = rng.choice((4, 8, 16, 32, 64))
    if strides and rng.random() < 0.1:
        strides = (rng.choice(HUGE), *strides[1:])
    found = extent_of(shape, strides, bits)
    places = _places(shape, strides)
    first, last = (min(places) * bits // 8, -(-(max(places) + 1) * bits // 8)) if places else (0, 0)
    if found != (first, last):
        raise AcceptedError(f"{shape} {strides} {bits}: {found}, counted {(first, last)}")
    itself = overlap_within(shape, strides)
    if itself != (len(set(places)) < len(places)):
        raise AcceptedError(f"{shape} {strides}: overlap {itself}")
    if module is None:
        return
    try:
        (low, high), overlaps = module.extent_of(shape, strides, bits)
    except OverflowError:
        sums = [s * max(0, n - 1) * bits for n, s in zip(shape, strides, strict=True)]
        if sum(map(abs, sums)) + bits < 2**63:
            raise AcceptedError(f"{shape} {strides} {bits} fits 64 bits, and C refuses it") from None
        return
    if (low, high) != found or (overlaps != itself and max(map(abs, strides), default=0) < 2**60):
        raise AcceptedError(f"{shape} {strides} {bits}: {found} {itself}, in C {(low, high)} {overlaps}")
    _placement(rng, module, shape, strides)


def _placement(rng: Random, module: Any, shape: Any, strides: Any) -> None:
    address = rng.choice((0, 1, 64, 4096, 2**47, 2**63 - 1, 2**63, 2**64 - 1))
    view = TensorView(address, "int8", shape, strides, "cpu", False)
    mine = view.misplaced is not None
    if (module.placement_of(address, view.extent, 1) != 0) != mine:
        raise AcceptedError(f"{view}: misplaced {mine}, in C {module.placement_of(address, view.extent, 1)}")
    other = (address + rng.randrange(-40, 40)) & (2**63 - 1)
    if not mine and 3 < other < 2**62:  # both have to be placed
        same = extents_overlap(address, view.extent, other, (-3, 5))
        if module.extents_meet(address, view.extent, other, (-3, 5)) != same:
            raise AcceptedError(f"{view.extent} at {address} and (-3, 5) at {other}: {same}")


def _guarded(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[Any, Any]:
    """Return a view with these strides, and the buffer around it, which is filled with canaries."""
    low, high = extent_of(shape, strides, 32)
    buffer = np.full((high - low) // 4 + 2 * GUARD, CANARY)
    first = GUARD - low // 4
    view = np.ndarray(shape, np.float32, buffer, first * 4, [s * 4 for s in strides])
    return view, buffer


def canaries(rng: Random) -> None:
    """A product into strided memory (planned, found by choices, by arguments): nothing but its elements may change."""
    m, n, k = (rng.choice((1, 2, 3, 5, 8)) for _ in range(3))
    (_, strides), a = _layout_of(rng, (m, n)), np.ones((m, k), np.float32)
    b = np.arange(k * n, dtype=np.float32).reshape(k, n)
    out, buffer = _guarded((m, n), strides)
    double = overlap_within((m, n), strides)
    if rng.random() < 0.2:  # an operand inside of the output's range
        a = np.ndarray((m, k), np.float32, buffer, GUARD * 4)
    for _ in range(3):
        try:
            tilewright.gemm(a, b, out=out)
        except TilewrightError:
            if not (buffer == CANARY).all():
                raise AcceptedError(f"out {out.shape} {strides}: refused, and written") from None
            raise
        if double:
            raise AcceptedError(f"out {out.shape} {strides}: elements share addresses")
        _check(out, buffer, a @ b, strides)


def _layout_of(rng: Random, shape: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if rng.random() < 0.6:
        wide = shape[1] + rng.choice((0, 1, 4))
        return shape, (wide * rng.choice((1, -1)), rng.choice((1, 1, -1)))
    return shape, (rng.choice(STEPS), rng.choice(STEPS))


def _check(out: Any, buffer: Any, wanted: Any, strides: tuple[int, ...]) -> None:
    if not np.array_equal(out, wanted):
        raise AcceptedError(f"out {out.shape} {strides}: a wrong product")
    left = int((buffer == CANARY).sum())
    if left != buffer.size - prod(out.shape):
        raise AcceptedError(f"out {out.shape} {strides}: {buffer.size - left} elements changed")


def build_dispatcher_fuzzer(bundle: Path, folder: Path, *flags: str, code: Sequence[str] = ()) -> Path:
    """Return the program of `dispatcher_fuzz.cpp` for a bundle; `code` links the bundle's source as compiled before."""
    program = folder / "dispatcher_fuzz"
    command = ["g++", "-std=c++17", "-O0", "-g1", "-Wall", "-Wextra", "-Werror", *flags, f"-I{bundle}/include"]
    linked = code or (f"{bundle}/src/tilewright.cpp", "-ldl", "-pthread")
    subprocess.run([*command, str(SOURCE), *linked, "-o", str(program)], check=True)
    return program


def small_bundle(folder: Path) -> Path:
    """Return a bundle with two kernels for small products."""
    from tilewright.backends.cpu.detect import host_device
    from tilewright.bundle import make_bundle
    from tilewright.ops import problem_from_dict
    from tilewright.registry import default_registry
    from tilewright.settings import Settings

    settings = Settings.from_env()
    problem = problem_from_dict({"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32", "layout": "rrr"})
    legal = default_registry(["cpu"]).legal(problem, host_device(settings))
    make_bundle([*{c.spec.digest: c.spec for c in legal}.values()][:2], folder / "bundle", settings=settings)
    return folder / "bundle"


@cache
def _served() -> subprocess.Popen[str]:
    """The C++ dispatcher in a process of its own: it is replaced if it dies, which is a crash."""
    folder = Path(tempfile.mkdtemp(prefix="tilewright-fuzz-cpp-"))
    bundle = small_bundle(folder)
    program = build_dispatcher_fuzzer(bundle, folder, "-fsanitize=undefined", "-fno-sanitize-recover=undefined")
    return subprocess.Popen([program, bundle, "rrr"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def dispatcher_cpp(rng: Random) -> None:
    """A product of the C++ dispatcher; `dispatcher_fuzz.cpp` says what is tried."""
    if shutil.which("g++") is None:
        return
    process, seed = _served(), rng.getrandbits(63)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{seed}\n")
    process.stdin.flush()
    said = process.stdout.readline()
    if not said.endswith("\n"):
        _served.cache_clear()
        raise RuntimeError(f"the C++ dispatcher died of seed {seed} with {process.wait()}")
    if said.startswith("accepted"):
        raise AcceptedError(f"{said.strip()} (seed {seed})")
    if said.startswith("refused"):
        if "internal error" in said:
            raise RuntimeError(said)
        raise TilewrightError(said.strip())


EXTENTS: dict[str, Callable[[Random], None]] = {f.__name__: f for f in (extents, canaries, dispatcher_cpp)}
