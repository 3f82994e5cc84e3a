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
from .registration import scripts_as
from .report import Entry, Report

Tensor = torch.Tensor
PATH = "torch.nn.functional.gelu, layer_norm"
torchs = functional.gelu
is_dynamo_compiling = torch.compiler.is_dynamo_compiling
empty_like = torch.empty_like
APPROXIMATIONS = {"none": False, "tanh": True}
_lock = new_lock()
_reports: list[Report] = []  # of the patches that are in force
unnoted: list[Report] = []  # those of them that do not say yet that such calls are taken


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
                if unnoted:
                    note_call()
                return known
    found: Tensor = torchs(input, approximate=approximate)
    return found


scripts_as(gelu, "aten::gelu")


@contextlib.contextmanager
def torchs_own() -> Iterator[None]:
    """Let torch's function be in its place meanwhile."""
    with _lock:
        replaced, functional.gelu = functional.gelu, torchs
        try:
            yield
        finally:
            functional.gelu = replaced


def note_call() -> None:
    """Record the first call in the time of each patch."""
    with _lock:
        while unnoted:
            unnoted.pop().entries.append(Entry(PATH, "few numbers", "rows"))


def install(report: Report) -> None:
    """Put `gelu` in the place of torch's function, for one more patch."""
    with _lock:
        _reports.append(report)
        unnoted.append(report)
        functional.gelu = gelu


def remove(report: Report) -> None:
    """Take `gelu` back for one patch; the last one restores torch's function."""
    with _lock:
        for reports in (_reports, unnoted):
            if report in reports:
                reports.remove(report)
        if not _reports:
            functional.gelu = torchs
