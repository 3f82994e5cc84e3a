"""`gelu`: the signature of `torch.nn.functional.gelu`, and its replacement in that module, for few numbers on the CPU.

The function belongs to no model: while any patch with GELU is in force, all calls of the process through
`torch.nn.functional`, and so those of `nn.GELU`, reach it. The way to torch's kernel takes longer than that kernel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from torch.nn import functional

from ..frontends import default
from ..model.locks import new_lock
from .op_sdpa import is_invariant

Tensor = torch.Tensor
PATH = "torch.nn.functional.gelu"
torchs = functional.gelu
is_dynamo_compiling = torch.compiler.is_dynamo_compiling
empty_like = torch.empty_like
APPROXIMATIONS = {"none": False, "tanh": True}
_lock = new_lock()
_patches = 0  # that are in force


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return what torch's function returns; by torch's own unless they are few fp32 numbers on the CPU.

    >>> gelu(torch.tensor([-1.0, 0.0, 3.0]), "tanh")
    tensor([-0.1588,  0.0000,  2.9964])
    """
    made = default.made
    if not is_dynamo_compiling() and made is not None and not is_invariant():
        in_c, by_tanh = made.calls.in_c, APPROXIMATIONS.get(approximate)
        if in_c is not None and by_tanh is not None:
            known: Tensor | None = in_c.run_gelu(input, by_tanh, empty_like)
            if known is not None:
                return known
    found: Tensor = torchs(input, approximate=approximate)
    return found


@contextlib.contextmanager
def torchs_own() -> Iterator[None]:
    """Let torch's function be in its place meanwhile."""
    with _lock:
        replaced, functional.gelu = functional.gelu, torchs
        try:
            yield
        finally:
            functional.gelu = replaced


def install() -> None:
    """Put `gelu` in the place of torch's function, for one more patch."""
    global _patches
    with _lock:
        _patches += 1
        functional.gelu = gelu


def remove() -> None:
    """Take `gelu` back for one patch; the last one restores torch's function."""
    global _patches
    with _lock:
        _patches -= 1
        if not _patches:
            functional.gelu = torchs
