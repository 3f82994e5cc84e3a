"""strip: what is compiled."""

from __future__ import annotations

from dataclasses import replace

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ....source import Source
from ...algorithm import is_weight
from ...source import FINISH, compiled, epilogue_config, finish_kernel, out_type
from .course import early, strip_config

# Few channels have small gradients in many shares: those are read side by side.
FINISH_TILES = ((256, 8), (128, 32), (16, 256))


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    config = strip_config(spec)
    found = ("kernels.strip:strip_conv", "kernels.strip_weight:strip_weight")
    if config.planes:
        found = ("kernels.strip_channels:strip_channels", "kernels.strip_planes:strip_planes")
    elif config.pair == 8:
        found = ("kernels.strip_columns:strip_columns", "kernels.strip_weight:strip_weight")
    elif not config.dot:
        found = ("kernels.strip_depthwise:strip_depthwise", "kernels.strip_weight:strip_depthwise_weight")
    return {"conv": found[is_weight(spec)], "finish": FINISH}


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    config = strip_config(spec, out=out_type(spec), epilogue=epilogue_config(spec))
    more = {"launch_pdl": True} if early(spec) else {}
    # Neighbours read the rest of a line soon.
    return replace(compiled(kernels(spec)["conv"], spec, config, **more), lines=not is_weight(spec))


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    even = int(spec.algorithm.vector_bytes // get_dtype(spec.signature.dtype_input).bytes)
    dot = strip_config(spec).dot
    return finish_kernel(spec, FINISH_TILES, even=even, taps_first=dot, pdl=early(spec))
