"""window: pixels of few channels, read once per filter row, on the matrix units."""

from __future__ import annotations

from typing import Any

from .....model.arch import Arch
from .....model.kernel import KernelSpec, Launch
from .....model.rule import Broken, broken, rule
from .....ops.conv.problem import ConvProblem
from .....ops.conv.problem import ConvSubject as Subject
from .....ops.conv.shapes import three
from ...gemm.operands import ceil_div
from ...gemm.set_parts import NVIDIA
from ...source import Source
from ..algorithm import TritonConv, is_weight
from ..cost_parts import Constants
from ..geometry import Geometry, data_axes, shares_geometry
from ..kernels.config import WindowConfig
from ..pipeline import Pipeline, Traits
from ..set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set
from ..source import FINISH, compiled, epilogue_config, finish_kernel, out_type, product_precision


@rule("triton.conv.window", "problem", "windows: filter, stride, phase as the problem's; dilation 1 along w")
def window(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    stride = p.stride[-1]
    got = {"filter_w": p.filter[-1], "stride_w": stride}
    if is_weight(s.spec):
        got["filter_h"] = p.filter[-2] if p.dims > 1 else 1
    elif p.direction == "backward_data":
        got["phase"] = p.pad[-1][0] % stride
    other = [n for n, v in got.items() if getattr(a, n) != v]
    if other:
        text = ", ".join(f"{n} is {got[n]}, the kernel has {getattr(a, n)}" for n in other)
        return broken(text, "use a kernel for that filter, or implicit", **got)
    if p.dilation[-1] != 1 and p.filter[-1] > 1:
        return broken(f"dilation {p.dilation[-1]} along w", "use implicit", dilation=p.dilation[-1])
    return None


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


MAX_UNROLLED = 128  # products of a window's pixels and taps in one turn of its loop: bounds the time to compile


class Window(Pipeline):
    """Few channels per group on the matrix units; groups share a tile."""

    windows = True
    span_rows = True
    knows_channels = True
    most_sums = 160
    finish_tiles = FINISH_TILES
    first_rules = (window,)
    prices = {
        "window": Constants(3.818e-06, 0.6733, 23.3, 24.86, 67.3, 0.1093, 345.6, 3420.0),
        "window_weight": Constants(3.5e-06, 1.055, 13.02, 22.6, 74.16, 0.05836, 516.5, 21170.0),
    }
    rank = (3, 2)

    def shown(self, a: TritonConv) -> list[str]:
        """Return the filter, the span and the stride."""
        height = f"{a.filter_h}x" if a.filter_h else ""
        return [f"f{height}{a.filter_w}", f"span{a.span}", *([f"stride{a.stride_w}"] if a.stride_w > 1 else [])]

    def sums(self, spec: KernelSpec) -> int:
        """Return a sum per pixel and channel, or per tap and pair of channels."""
        a = spec.algorithm
        if not is_weight(spec):
            return int(a.span * a.tile_m * a.tile_n)
        return int(a.filter_h * a.filter_w * self.tap_sums(a))

    def tap_sums(self, a: TritonConv) -> int:
        """Sums of a tap in backward weight."""
        return a.tile_n * a.tile_k

    def shared_bytes(self, spec: KernelSpec, stages: int) -> int:
        """None: pixels stay in registers."""
        return 0

    def has_height(self, spec: KernelSpec) -> bool:
        """Return whether all rows of the filter are summed at once: in backward weight."""
        return is_weight(spec)

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only windows have."""
        a = spec.algorithm
        yield from super().traits(spec, arch)
        yield is_weight(spec) and a.filter_h < 1, "a window of backward weight without filter_h"
        unrolled = a.filter_w * max(1, a.filter_h) * a.span
        yield unrolled > MAX_UNROLLED, f"over {MAX_UNROLLED} unrolled products"

    def shares_tiles(self, a: TritonConv) -> bool:
        """Always."""
        return True

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per block of lines, or per share of them."""
        merged = self.merged_groups(p, a)
        parts = ceil_div(p.g, merged)
        if p.direction == "backward_weight":
            depth, height, width = three(p.output, 1)
            blocks = ceil_div(p.n * depth * height * ceil_div(width, a.span), a.tile_m)
            return shares_geometry(p, a, merged, three(p.filter, 1)[0], parts, blocks, launch.split_k)
        axes = data_axes(p)
        lines = p.n * axes.counts[0] * axes.counts[1] * ceil_div(axes.extents[2], a.span)
        classes = axes.stride[0] * axes.stride[1] if axes.back else 1
        return Geometry(merged, classes, ceil_div(lines, a.tile_m), parts, axes.taps[0] * axes.taps[1], 1, 0)

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        a = spec.algorithm
        loads, taps = window_loads(spec, a.tile_n)
        return loads, 2.0 * taps * a.tile_m * a.tile_n * a.tile_k, 1.0 * loads


PIPELINE = Window()


def window_loads(spec: KernelSpec, outputs: int) -> tuple[float, float]:
    """Return (elements loaded, taps that meet pixels) of a turn; a filter has `outputs` channels on the other side."""
    a, direction = spec.algorithm, spec.signature.direction
    wide = (a.span - 1) * a.stride_w + a.filter_w if direction != "backward_data" else (
        (a.span + a.filter_w - 1) / a.stride_w)  # fmt: skip
    rows = max(1, a.filter_h)
    taps = a.span * a.filter_w * rows / (a.stride_w if direction == "backward_data" else 1)
    pixels = a.tile_m * a.tile_k * (wide * rows + (a.span if is_weight(spec) else 0))
    return pixels + (0 if is_weight(spec) else a.filter_w * a.tile_k * outputs), taps


def windows_of(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (lines, channels, warps, span) each."""
    return tuple({"tile_m": m, "tile_n": c, "tile_k": c, "warps": w, "span": s, "stages": 1, **fields}
                 for m, c, w, s in tiles)  # fmt: skip


WINDOW = (
    (64, 16, 2, 4),
    (64, 16, 4, 4),
    (32, 16, 1, 4),
    (64, 16, 4, 2),
    (64, 32, 4, 4),
    (32, 32, 2, 4),
    (64, 32, 4, 2),
)
WINDOW_WIDE = ((64, 64, 4, 2), (64, 64, 8, 2), (64, 64, 4, 1))
WINDOW_WEIGHT = ((64, 16, 1, 2), (32, 16, 1, 4), (64, 16, 2, 4), (64, 32, 4, 2), (32, 32, 2, 2), (32, 32, 4, 4))
SPECIAL = {"filter_w": [1, 3], "stride_w": [1, 2], "phase": [0, 1]}

WINDOW_MAPS = (
    *windows_of(WINDOW, pipeline="window", channels=[0, 4, 8, 16], **SPECIAL),
    *windows_of(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 8], **SPECIAL),
    *windows_of(WINDOW_WIDE, pipeline="window", vector_bytes=[8, 16], channels=[0, 8, 16], **SPECIAL),
    *windows_of(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 16], wide=True, **SPECIAL),
)
WINDOW_WEIGHT_MAPS = (
    *windows_of(WINDOW_WEIGHT, pipeline="window", channels=[0, 4, 8, 16], filter_w=3, filter_h=3, stride_w=[1, 2],
              sum=["workspace", "atomic"]),
    *windows_of(((64, 16, 1, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=2, filter_w=[1, 3],
              filter_h=[1, 3], stride_w=[1, 2], wide=[False, True]),
    *windows_of(((64, 16, 1, 4), (64, 32, 2, 2), (64, 64, 4, 2)), pipeline="window", vector_bytes=[8, 16], filter_w=1,
              filter_h=1, stride_w=[1, 2]),
)  # fmt: skip

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    3: (
    conv_set("window", "few channels per group on the matrix units", NVIDIA, WINDOW_MAPS, direction=DATA, **SIXTEEN),
    conv_set("window_weight", "gradient of the weights, few channels per group", NVIDIA, WINDOW_WEIGHT_MAPS,
         direction=WEIGHT, **SIXTEEN),
    ),
}  # fmt: skip
