"""window: what is compiled."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ....source import Source
from ...algorithm import is_weight
from ...kernels.config import WindowConfig
from ...source import FINISH, compiled, epilogue_config, finish_kernel, out_type, product_precision

FINISH_TILES = ((64, 64),)  # of the kernel that adds shares


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    return {
        "conv": "kernels.weight:window_weight" if is_weight(spec) else "kernels.window:window_conv",
        "finish": FINISH,
    }


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    return window_source(spec, dot=True)


def window_source(spec: KernelSpec, dot: bool) -> Source:
    """Return the convolution by windows, with `dot` on the matrix units."""
    a, s = spec.algorithm, spec.signature
    config = WindowConfig(
        dims=s.dims, forward=s.direction != "backward_data", dot=dot, bl=a.tile_m, bc=a.tile_k,
        bn=a.tile_n, span=a.span, fh=a.filter_h, fw=a.filter_w, stride=a.stride_w, phase=a.phase,
        channels=a.channels if dot else 1, wide=a.wide, atomic=a.sum == "atomic",
        out=out_type(spec), precision=product_precision(spec), epilogue=epilogue_config(spec),
    )  # fmt: skip
    return compiled(kernels(spec)["conv"], spec, config)


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    return finish_kernel(spec, FINISH_TILES)
