"""Attention tensors on a GPU through torch: new random ones, and their values for the reference."""

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
    """Return new tensors of every role on the problem's device, in its layout and strides.

    They have the values of the NumPy arrays of this seed: lengths, pages and a backward pass's `out` and `lse` fit.
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
    """Return the tensors as NumPy arrays: indices unchanged, numbers in float64, which represents all our dtypes."""
    return {role: (x.double() if x.is_floating_point() else x).detach().cpu().numpy() for role, x in tensors.items()}
