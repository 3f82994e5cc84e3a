"""depthwise: what is compiled."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ....source import Source
from ..window.source import finish, kernels, window_source

__all__ = ["conv", "finish", "kernels"]


def conv(spec: KernelSpec) -> Source:
    """Return the convolution, without the matrix units."""
    return window_source(spec, dot=False)
