"""Attention tensors on a GPU through torch: fresh random ones, and what is there as the reference reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.device import memory_of
from ..gemm.on_device import drawn_on_device, torch_dtype, torch_module
from .problem import FmhaProblem
from .tensors import random_tensors as random_arrays


def random_tensors(p: FmhaProblem, seed: int) -> dict[str, Any]:
    """Fresh tensors of every role on the problem's device, in its layout and strides.

    They hold what the arrays of this seed do: lengths, pages and a backward pass's `out` and `lse` fit together.
    """
    arrays = random_arrays(replace(p, device="cpu"), seed)
    return drawn_on_device(p, seed, lambda p, role, _: _placed(p, role, arrays[role]))


def _placed(p: FmhaProblem, role: str, array: Any) -> Any:
    torch = torch_module("to make tensors on a GPU")
    values = torch.from_numpy(np.ascontiguousarray(array, np.int32 if p.dtype_of(role) == "int32" else np.float32))
    x = torch.empty_strided(
        p.shape(role), p.stride(role), dtype=torch_dtype(p.dtype_of(role)), device=memory_of(p.device)
    )
    return x.copy_(values)


def on_host(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The tensors as NumPy arrays: indices as they are, numbers in float64, which holds all of ours."""
    return {role: (x.double() if x.is_floating_point() else x).detach().cpu().numpy() for role, x in tensors.items()}
