"""Fused state: small random nets that change in random ways between calls, compared with torch each time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from fuzz_functions import small_dispatcher
from fuzz_targets import AcceptedError

from tilewright.frontends import default

MAX_CHANGES = 4
# These change what every later call of the process computes, or the form of the result.
LEFT_OUT = frozenset({"vmapped", "in_bfloat16", "in_float64", "made_in_inference_mode"})


@cache
def changes() -> Any:
    sys.path.append(str(Path(__file__).parents[1] / "support"))
    import_module("torch._dynamo")  # optimizers import it at their first step, which takes seconds
    import model_changes

    return model_changes


def random_net(rng: Random) -> Any:
    """Layers with what may come after them, in an order of their own, and the state of `Net`."""
    import torch
    from torch import nn

    net = changes().made()
    torch.manual_seed(rng.getrandbits(32))
    acts = (nn.ReLU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.GELU, nn.Identity, nn.Hardswish)
    net.act = rng.choice(acts)()
    net.first.bias = rng.choice((None, net.first.bias))
    net.norm = rng.choice((net.norm, nn.BatchNorm2d(4, affine=False), nn.Identity())).eval()
    layers: list[Any] = [nn.Linear(4, 64), rng.choice(acts)()]
    for _ in range(rng.randrange(3)):
        layers += [nn.Linear(64, 64), rng.choice(acts)()]
    net.tail = nn.Sequential(*layers, nn.Linear(64, 8)).eval()
    net.squares, net.config.power = rng.random() < 0.5, rng.choice((1.0, 0.5))
    return net


def fused_state(rng: Random) -> None:
    """A fused model answers as its own forward pass does after every change that `patch` does not list."""
    before, default.made = default.made, small_dispatcher()
    try:
        _change_often(rng)
    finally:
        default.made = before


def _change_often(rng: Random) -> None:
    import torch

    from tilewright.torch import patch

    net, x, ways = random_net(rng), changes().inputs(), dict(changes().WAYS)
    mode = rng.choice((True, True, "verify"))
    if mode == "verify":
        ways |= {name: changes().LISTED[name][0] for name in changes().MEMORY}
    names = [name for name in ways if name not in LEFT_OUT]
    done: list[str] = []
    with torch.no_grad(), patch(net, fuse=mode, only=()) as patched:
        _compare(patched, net, x, done)
        for _ in range(rng.randrange(1, MAX_CHANGES + 1)):
            done.append(rng.choice(names))
            try:
                run = ways[done[-1]](net) or net
                _own(patched, run, x)  # a change may not fit the net, or those before it: torch refuses it then
            except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
                return
            _compare(patched, run, x, done)
            if rng.random() < 0.2:
                done.append("refresh")
                patched.refresh()
                _compare(patched, run, x, done)


def _own(patched: Any, run: Any, x: Any) -> Any:
    """What torch computes."""
    patched.report.fuses = False
    try:
        return run(x.clone())
    finally:
        patched.report.fuses = True


def _compare(patched: Any, run: Any, x: Any, done: list[str]) -> None:
    import torch

    found, want = run(x.clone()), _own(patched, run, x)
    largest = float(want.abs().nan_to_num(0.0, 0.0, 0.0).max())
    if not torch.allclose(found, want, rtol=1e-2, atol=1e-2 * max(largest, 1e-3), equal_nan=True):
        raise AcceptedError(f"stale after {done}: off by {float((found - want).abs().max()):.3g}")


FUSED: dict[str, Callable[[Random], None]] = {"fused_state": fused_state} if find_spec("torch") is not None else {}
