"""implicit: what is compiled."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ....source import Source
from ...algorithm import is_weight
from ...geometry import FINISH_TILES
from ...kernels.config import ImplicitConfig
from ...source import FINISH, compiled, epilogue_config, finish_kernel, out_type, product_precision


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    return {
        "conv": "kernels.weight:implicit_weight" if is_weight(spec) else "kernels.implicit:implicit_conv",
        "finish": FINISH,
    }


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    a, s = spec.algorithm, spec.signature
    config = ImplicitConfig(
        dims=s.dims, forward=s.direction != "backward_data", bm=a.tile_m, bn=a.tile_n, bk=a.tile_k, group=a.group,
        merge=a.merge, channels=a.channels, even_k=a.even_k, fold=a.fold, wide=a.wide, atomic=a.sum == "atomic",
        out=out_type(spec), precision=product_precision(spec), epilogue=epilogue_config(spec),
    )  # fmt: skip
    return compiled(kernels(spec)["conv"], spec, config, a.merge)


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    return finish_kernel(spec, FINISH_TILES)
