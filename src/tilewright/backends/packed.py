"""Weights in packed formats: tensors as a kernel reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..jit.arrays import view_of
from ..model.kernel import KernelSpec
from ..model.tensor import Tensors
from . import get_backend_op


def stored(spec: KernelSpec, tensors: Tensors, kernel: Callable[[], Any]) -> Mapping[str, Any]:
    """Return the tensors as a kernel reads them: B in the packed format of its signature, all others as they are.

    `kernel` returns the loaded kernel; see `BackendOp.pack`.
    """
    if getattr(spec.signature, "b_format", "plain") == "plain":
        return tensors
    packed = get_backend_op(spec.backend, spec.op).pack(spec, view_of(tensors["b"], "b"), kernel)
    return {**tensors, "b": packed}
