"""Public functions and commands with tensors and values of every kind. Nothing is compiled: kernels that are not built
yet are refused, which is an error of tilewright too."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzz_targets import AcceptedError, document, specs
from fuzz_tensors import any_tensor, number
from fuzz_values import TEXTS, bad_value, changed

import tilewright
from tilewright.errors import TilewrightError
from tilewright.model.tensor import PackedTensor
from tilewright.settings import Settings


@cache
def small_dispatcher() -> Any:
    """The reference only: an answer to every problem without a compiler."""
    registry = tilewright.Registry("the reference")
    for op in ("gemm", "conv", "fmha"):
        registry.declare(tilewright.KernelSet(f"reference.{op}", op, "reference", ({},)))
    return tilewright.Dispatcher(registry, "first_fit", Settings.from_env())


def _call(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a public function that is answered by the reference, so that no input can start a compiler."""
    return function(*args, dispatcher=small_dispatcher(), **options)


def _overlaps(out: Any) -> bool:
    addresses = np.zeros(1, np.int64)
    for n, step in zip(out.shape, out.strides, strict=True):
        addresses = (addresses[:, None] + np.arange(n) * step).reshape(-1)
    return len(np.unique(addresses)) < addresses.size


def _check_out(out: Any) -> None:
    if isinstance(out, np.ma.MaskedArray):
        raise AcceptedError("a masked array was written")
    if isinstance(out, np.ndarray) and out.size < 4096 and _overlaps(out):
        raise AcceptedError(f"out of shape {out.shape} and strides {out.strides} was written")


def gemm(rng: Random) -> None:
    m, n, k = (rng.choice((0, 1, 3, 4)) for _ in range(3))
    out = any_tensor(rng, (m, n)) if rng.random() < 0.5 else None
    options = {
        "d": any_tensor(rng, (n,)) if rng.random() < 0.2 else None,
        "combine": number(rng, "add", "multiply"),
        "activation": number(rng, "none", "relu"),
        "alpha": number(rng, 1.0, 2.0),
        "beta": number(rng, 1.0),
        "scale_a": any_tensor(rng, (1,)) if rng.random() < 0.2 else None,
        "out_dtype": number(rng, None, "fp32", np.float32),
        "device": number(rng, None, "cpu"),
        "split_k": number(rng, None, 1),
        "scale_block": number(rng, 128),
        "prologue_a": number(
            rng, (), ["relu"], [("add", any_tensor(rng, (m, k)))], [("multiply", any_tensor(rng, (k,)))]
        ),
    }
    result = _call(tilewright.gemm, any_tensor(rng, (m, k)), any_tensor(rng, (k, n)), out=out, **options)
    _check_out(result)


def contract(rng: Random) -> None:
    spec = number(rng, "xyk,kn->xyn", "xyk,kn->nxy", "xyk,k->xy", "xy,xy->")
    _check_out(_call(tilewright.contract, spec, any_tensor(rng, (2, 3, 4)), any_tensor(rng, (4, 3))))


def packed(rng: Random) -> None:
    shape = rng.choice(((8, 8), (8, 64), (2**40, 2**40), (8,), [8, 8], (8, True), "ab", None))
    made = PackedTensor(
        number(rng, "cpu.v1.fma.fp32.nr16", "kblock128"), number(rng, "fp32"), shape, any_tensor(rng, (64,))
    )
    _call(tilewright.gemm, any_tensor(rng, (2, 8)), made)


def pack_weights(rng: Random) -> None:
    _call(tilewright.pack_weights, any_tensor(rng, (8, 8)), m_hint=number(rng, 16), dtype_a=number(rng, None, "fp32"))


def conv(rng: Random) -> None:
    out = any_tensor(rng, (1, 2, 3, 3)) if rng.random() < 0.4 else None
    options = {
        "stride": number(rng, 1, 2, (1, 1)),
        "padding": number(rng, 0, 1),
        "dilation": number(rng, 1),
        "groups": number(rng, 1, 2),
        "alpha": number(rng, 1.0),
        "activation": number(rng, "none", "relu"),
        "layout": number(rng, None, "nhwgc"),
    }
    x, w = any_tensor(rng, (1, 2, 3, 3)), any_tensor(rng, (2, 2, 1, 1))
    _check_out(_call(tilewright.conv, x, w, out=out, **options))


def conv_backward(rng: Random) -> None:
    out = any_tensor(rng, (1, 2, 3, 3)) if rng.random() < 0.3 else None
    y, w = any_tensor(rng, (1, 2, 3, 3)), any_tensor(rng, (2, 2, 1, 1))
    if rng.random() < 0.5:
        size = number(rng, (3, 3), (3, 3, 3), (1, 2, 3, 3))
        _check_out(_call(tilewright.conv_backward_data, y, w, size, out=out, stride=number(rng, 1, 2)))
    else:
        _call(
            tilewright.conv_backward_weight,
            y,
            y,
            number(rng, (1, 1)),
            groups=number(rng, 1),
            split_k=number(rng, None, 2),
        )


def attention(rng: Random) -> None:
    shape = (1, 4, 2, 8)
    q, k, v = (any_tensor(rng, shape) for _ in range(3))
    options = {
        "out": any_tensor(rng, shape) if rng.random() < 0.3 else None,
        "causal": number(rng, False, True),
        "align": number(rng, "bottom_right", "top_left"),
        "window": number(rng, (-1, -1), (2, 0), (1,), (1, 2, 3), ("a", 1)),
        "sink_tokens": number(rng, 0, 1),
        "scale": number(rng, None, 0.5),
        "soft_cap": number(rng, 0.0, 30.0),
        "dropout": number(rng, 0.0, 0.1),
        "rng": number(rng, None, (1, 2, 3)),
        "return_lse": number(rng, False, True),
        "layout": number(rng, "bshd", "bhsd"),
        "seqlens_k": any_tensor(rng, (1,)) if rng.random() < 0.1 else None,
        "scales": number(rng, None, None, None, (1,)),
        "bias": any_tensor(rng, (1, 2, 4, 4)) if rng.random() < 0.1 else None,
        "alibi_slopes": any_tensor(rng, (1, 2)) if rng.random() < 0.1 else None,
    }
    _call(tilewright.attention, q, k, v, **options)


def attention_of_caches(rng: Random) -> None:
    q, cache = any_tensor(rng, (2, 1, 2, 8)), any_tensor(rng, (4, 4, 2, 8))
    lengths = np.array([rng.choice((0, 1, 3, 4, 9, -1, 2**31 - 1)) for _ in range(2)], np.int32)
    pages = np.array([[rng.choice((0, 1, 2, 3, 4, -1))] * 2 for _ in range(2)], np.int32)
    table = {"page_table": rng.choice((None, pages, pages[0], any_tensor(rng)))}
    which = rng.randrange(4)
    if which == 0:
        _call(tilewright.attention_decode, q, cache, cache, lengths, **table, num_splits=number(rng, None, 1, 2))
    elif which == 1:
        ends = np.array([0, rng.choice((1, 2, 9, -1)), 4], np.int32)
        flat = any_tensor(rng, (4, 2, 8))
        most = number(rng, 4, 2)
        _call(tilewright.attention_varlen, flat, flat, flat, ends, ends, most, most, causal=number(rng, False))
    elif which == 2:
        ends, flat = np.array([0, 1, 2], np.int32), any_tensor(rng, (2, 2, 8))
        _call(tilewright.attention_prefill, flat, cache, cache, ends, number(rng, 1), lengths, **table)
    else:
        new = any_tensor(rng, (2, 1, 2, 8))
        _call(tilewright.append_kv, cache, any_tensor(rng, (4, 4, 2, 8)), new, new, lengths, **table)


def attention_backward(rng: Random) -> None:
    shape = (1, 4, 2, 8)
    tensors = [any_tensor(rng, shape) for _ in range(5)]
    _call(tilewright.attention_backward, *tensors, any_tensor(rng, (1, 2, 4)), causal=number(rng, False))


def dispatcher(rng: Random) -> None:
    problem = tilewright.problem_from_dict(changed(rng.choice(document("problems.json")), rng))
    if max(problem.flops, problem.bytes) > 1e6:
        return
    small_dispatcher().run(problem, **{role: any_tensor(rng, (4, 4)) for role in ("a", "b", "out", "q")})


def select(rng: Random) -> None:
    """Select a kernel for any sizes: rules and cost models are evaluated."""
    from tilewright.dispatcher import nominal_device

    problem = tilewright.problem_from_dict(changed(rng.choice(document("problems.json")), rng))
    device = nominal_device(rng.choice(("x86_64_v3", "sm_90", "gfx942")))
    tilewright.default_registry().select(problem, device=device)


def commands(rng: Random) -> None:
    from tilewright.cli.app import run

    problem = json.dumps(changed(rng.choice(document("problems.json")), rng))
    arguments = rng.choice(
        (
            ["select", problem],
            ["explain", problem],
            ["select", rng.choice(TEXTS)],
            ["arch", "show", rng.choice(TEXTS)],
            ["select", problem, "--threads", str(bad_value(rng))],
            ["build", "--spec", json.dumps(changed(rng.choice(specs()), rng)), "--dry-run"],
            ["support", "--arch", rng.choice(TEXTS[2:])],
            ["explain", problem, "--arch", rng.choice((*TEXTS, "gfx942"))],
            ["data", "show", rng.choice(TEXTS)],
            ["show", rng.choice(TEXTS)],
            ["codegen", "gemm", "--arch", rng.choice(TEXTS)],
        )
    )
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        run([a.replace("\0", "0") for a in arguments])  # no argument of a process can hold a NUL
    if "internal error" in said.getvalue():
        raise AcceptedError(f"{arguments}: {said.getvalue()[:300]}")


def odd_environment(rng: Random) -> None:
    from tilewright.jit import find_compiler

    env = {
        "TILEWRIGHT_CXX_FLAGS": rng.choice(("'", '"', "-O2 'x", "\\")),
        "TILEWRIGHT_CXX": rng.choice((*TEXTS, "/bin/false")),
    }
    find_compiler(Settings.from_env({k: v for k, v in env.items() if "\0" not in v}))


def builder(rng: Random) -> None:
    made = tilewright.FmhaBuilder()
    names = [n for n in dir(made) if not n.startswith("_")]
    for _ in range(3):
        step = getattr(made, rng.choice(names))
        if callable(step):
            with contextlib.suppress(TilewrightError):
                arguments = [bad_value(rng)] * rng.choice((0, 1, 2))
                with contextlib.suppress(TypeError):  # a wrong number of arguments is Python's to tell
                    step(*arguments)


FUNCTIONS: dict[str, Callable[[Random], None]] = {
    f.__name__: f
    for f in (
        gemm,
        contract,
        packed,
        pack_weights,
        conv,
        conv_backward,
        attention,
        attention_of_caches,
        attention_backward,
        dispatcher,
        select,
        commands,
        odd_environment,
        builder,
    )
}
assert os.environ.get("TILEWRIGHT_CACHE_DIR"), "run it under the tests, or by make fuzz"
