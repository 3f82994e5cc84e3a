"""implicit: a matrix product over gathered pixels."""

from __future__ import annotations

from math import prod

from .....model.arch import Arch
from .....model.dtype import get_dtype
from .....model.kernel import KernelSpec, Launch
from .....model.rule import Broken, broken
from .....ops.conv.problem import ConvProblem
from ...gemm.operands import ceil_div
from ...gemm.set_parts import AMD, HOPPER, NVIDIA
from ...source import Source
from ..algorithm import TritonConv, gathers, is_weight
from ..cost_parts import Constants
from ..geometry import FINISH_TILES, Geometry, data_axes, folded, shares_geometry, sides
from ..kernels.config import ImplicitConfig
from ..pipeline import Pipeline, Traits
from ..set_parts import ALL, DATA, SIXTEEN, WEIGHT, conv_set, tiles_of
from ..source import FINISH, compiled, epilogue_config, finish_kernel, out_type, product_precision


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    conv = "kernels.weight:implicit_weight" if is_weight(spec) else "kernels.implicit:implicit_conv"
    return {"conv": "kernels.gather:gather_conv" if gathers(spec.algorithm) else conv, "finish": FINISH}


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    a, s = spec.algorithm, spec.signature
    config = ImplicitConfig(
        dims=s.dims, forward=s.direction != "backward_data", bm=a.tile_m, bn=a.tile_n, bk=a.tile_k, group=a.group,
        merge=a.merge, channels=a.channels, even_k=a.even_k, fold=a.fold, wide=a.wide, atomic=a.sum == "atomic",
        out=out_type(spec), precision=product_precision(spec), epilogue=epilogue_config(spec),
    )  # fmt: skip
    if gathers(a):
        return _gathered(spec, config)
    return compiled(kernels(spec)["conv"], spec, config, a.merge)


def _gathered(spec: KernelSpec, config: ImplicitConfig) -> Source:
    """Return the kernel that gathers elements: nothing is promised of what is read, vectors are written."""
    a, s = spec.algorithm, spec.signature
    source = compiled(kernels(spec)["conv"], spec.with_algorithm(vector_bytes=1), config, merging=False)
    elements = int(a.vector_bytes // get_dtype(s.dtype_output).bytes)
    if elements > 1:
        names = source.function.arg_names
        at = names.index("dst_strides")
        source.hints.update({(names.index("dst_ptr"),): a.vector_bytes, (names.index("cout"),): elements})
        source.hints.update({(at, i): elements for i in (0, 1, 3, 4, 5)})
    return source


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    return finish_kernel(spec, FINISH_TILES)


MAX_GATHERED = 8  # channels
MAX_RUN = 4096  # elements of all taps
INSTRUCTIONS = 14.0  # for an element that is gathered: its address and its bounds


def _reaches(dims: int) -> tuple[int, ...]:
    """Return how far an axis may reach, with its padding, if positions along all axes are packed into one number."""
    return (512, 1024, 1024) if dims == 3 else (16384,) * dims


class Implicit(Pipeline):
    """Pixels are gathered tap by tap; any problem."""

    folds = True
    prices = {
        "implicit": Constants(1.798e-06, 1.01, 381.1, 24.13, 78.68, 1.191, 400.3, 10900.0),
        "implicit_weight": Constants(6.908e-06, 1.868, 392.4, 29.33, 120.5, 0.4548, 708.0, 6630.0),
        "implicit_gather": Constants(6.0e-07, 0.3, 381.1, 24.13, 30.0, 0.6, 200.0, 3500.0),
    }
    rank = (2, 5)  # among pipelines by rules of thumb: of many channels per group, and of few

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile."""
        return True

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only this pipeline has."""
        a = spec.algorithm
        yield from super().traits(spec, arch)
        yield (
            a.fold and not gathers(a) and a.vector_bytes > get_dtype(spec.signature.dtype_input).bytes,
            "fold in vectors: the pixels of a row begin anywhere",
        )
        yield gathers(a) and spec.signature.direction != "forward", "all filter rows as one run outside forward"
        yield (a.fold or a.merge) and not a.unit, "one run of channels that are not side by side"

    def shares_tiles(self, a: TritonConv) -> bool:
        """Return whether groups share a tile, not filter rows a run."""
        return bool(a.merge and not a.fold)

    def fold(self, p: ConvProblem, a: TritonConv) -> Broken | None:
        """All filter rows as one run: few channels, a filter that is one, vectors that are written."""
        if not gathers(a):
            return super().fold(p, a)
        if p.g > 1 or p.c_group > MAX_GATHERED or prod(p.filter) == 1:
            got = f"{p.g} groups of {p.c_group} channels, filter {p.filter}"
            return broken(got, "use fold=False", channels=p.c_group)
        far = [n + max(pad) for n, pad in zip(p.input, p.pad, strict=True)]
        if p.c_group * prod(p.filter) >= MAX_RUN or any(x > m for x, m in zip(far, _reaches(p.dims), strict=True)):
            got = f"filter {p.filter} over {p.input}: more positions than one number packs"
            return broken(got, "use merge=False", channels=p.c_group)
        step, strides, extents = p.c_group, p.stride_of("weight"), p.extents("weight")
        for axis in reversed(range(3, len(extents))):
            if extents[axis] > 1 and strides[axis] != step:
                return broken(f"weight has strides {strides}: its taps are no run", "use merge=False", role="weight")
            step *= extents[axis]
        size = int(get_dtype(p.dtype_output).bytes)
        pairs = enumerate(zip(p.stride_of("output"), p.extents("output"), strict=True))
        written = [x * size for i, (x, n) in pairs if n > 1 and i != 2]
        if any(x % a.vector_bytes for x in (*written, p.k * size)) or p.alignment.get("output", 16) < a.vector_bytes:
            return broken(f"output has strides {p.stride_of('output')} of {size} bytes", "use fewer vector_bytes")
        return None

    def family(self, spec: KernelSpec) -> str:
        """Return the name under which the prices of a kernel are kept."""
        return "implicit_gather" if gathers(spec.algorithm) else super().family(spec)

    def tile_channels(self, a: TritonConv, weight: bool) -> tuple[int, int]:
        """Channels of a tile; rows and columns in backward weight, whose depth is pixels."""
        return (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per tile of pixels and channels, or per tile of the weight and share of the pixels."""
        merged, run = self.merged_groups(p, a), folded(p, a)
        parts = ceil_div(p.g, merged)
        if p.direction == "backward_weight":
            tiles = 1 if a.merge else ceil_div(p.k_group, a.tile_m) * ceil_div(p.c_group * run, a.tile_n)
            blocks = ceil_div(p.n * prod(p.output), a.tile_k)
            return shares_geometry(p, a, merged, prod(p.filter) // run, parts * tiles, blocks, launch.split_k)
        axes, (read, other) = data_axes(p), sides(p)
        if gathers(a):
            steps = ceil_div(read * prod(axes.taps), a.tile_k)
            return Geometry(1, 1, ceil_div(p.n * prod(axes.counts), a.tile_m), ceil_div(other, a.tile_n), steps, 1, 0)
        cols = parts if a.merge else p.g * ceil_div(other, a.tile_n)
        steps = prod(axes.taps) // run * (1 if a.merge else ceil_div(read * run, a.tile_k))
        rows = ceil_div(p.n * prod(axes.counts), a.tile_m)
        return Geometry(merged, prod(axes.stride) if axes.back else 1, rows, cols, steps, 1, 0)

    def resident(self, spec: KernelSpec) -> int:
        """Programs that share a multiprocessor, by registers and the shared memory of their stages."""
        a, size = spec.algorithm, get_dtype(spec.signature.dtype_read[0]).bytes
        room = int(227 * 1024 // max(1, (a.tile_m + a.tile_n) * a.tile_k * size * a.stages))
        return max(1, min(super().resident(spec), room))

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        a = spec.algorithm
        gathered = a.tile_m * a.tile_k
        if gathers(a):
            return a.tile_n * a.tile_k, 2.0 * gathered * a.tile_n, INSTRUCTIONS * gathered
        loads = (a.tile_m + a.tile_n) * a.tile_k
        return loads, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * loads


PIPELINE = Implicit()

# Large tiles for many channels, narrow ones for few.
IMPLICIT = ((128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 64, 64, 4, 4),
            (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (128, 64, 32, 4, 4), (128, 32, 32, 4, 4),
            (128, 16, 16, 4, 4))  # fmt: skip
MERGED = ((128, 64, 64, 4, 3), (128, 32, 32, 4, 3))
WIDE = ((128, 128, 64, 8, 3), (64, 64, 32, 4, 3))
# Rows and columns are channels here, the depth is pixels.
IMPLICIT_WEIGHT = ((128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 256, 64, 8, 3), (64, 128, 64, 4, 3),
                   (128, 64, 64, 4, 3), (64, 64, 64, 4, 4), (64, 32, 64, 4, 4), (32, 64, 64, 4, 4),
                   (32, 32, 64, 2, 4), (64, 16, 64, 4, 4), (16, 64, 64, 4, 4))  # fmt: skip
MERGED_WEIGHT = ((64, 64, 64, 4, 3), (32, 32, 128, 2, 3))
FOLDED = ((128, 64, 32, 4, 3), (128, 64, 32, 8, 3), (128, 128, 32, 8, 3), (64, 64, 32, 4, 4))
FOLDED_WEIGHT = ((64, 32, 64, 4, 3), (128, 32, 64, 4, 3), (64, 16, 64, 4, 3))
GATHERED = ((128, 64, 32, 8, 1), (64, 64, 32, 4, 1), (128, 128, 32, 8, 1), (64, 32, 32, 4, 1), (128, 64, 16, 8, 1))
EXACT = ((64, 64, 32, 4, 3), (128, 64, 16, 8, 3), (32, 32, 32, 4, 3))
AMD_TILES = ((128, 128, 32, 4, 2), (64, 64, 32, 4, 2), (64, 32, 32, 4, 2))
VECTORS = [2, 4, 8, 16]
ANY = tiles_of("implicit", ((64, 64, 32, 4, 3), (64, 16, 16, 4, 3)), unit=False, wide=True, vector_bytes=1)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    0: (
    conv_set("implicit", "pixels gathered as a matrix", NVIDIA, (
        *tiles_of("implicit", IMPLICIT, vector_bytes=VECTORS, even_k=[False, True]),
        *tiles_of("implicit", MERGED, vector_bytes=[8, 16], merge=True),
        *tiles_of("implicit", FOLDED, vector_bytes=2, fold=True, wide=[False, True]),
        *tiles_of("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=DATA, **SIXTEEN),
    conv_set("gathered", "few channels, all taps as one run", NVIDIA, (
        *tiles_of("implicit", GATHERED, vector_bytes=[2, 16], fold=True, merge=True),
        *tiles_of("implicit", GATHERED[1:2], vector_bytes=2, fold=True, merge=True, wide=True)), direction="forward",
        **SIXTEEN),
    conv_set("implicit_weight", "gradient of the weights, gathered pixels as depth", NVIDIA, (
        *tiles_of("implicit", IMPLICIT_WEIGHT, vector_bytes=VECTORS, sum=["workspace", "atomic"]),
        *tiles_of("implicit", MERGED_WEIGHT, vector_bytes=[8, 16], merge=True),
        *tiles_of("implicit", FOLDED_WEIGHT, vector_bytes=2, fold=True, wide=[False, True]),
        *tiles_of("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=WEIGHT, **SIXTEEN),
    ),
    6: (
    conv_set("fp32", "exact fp32 products", ALL, tiles_of("implicit", EXACT, vector_bytes=[4, 16], precision="ieee"),
         dtype_input="fp32"),
    conv_set("amd", "pointer kernels", AMD, (
        *tiles_of("implicit", AMD_TILES, vector_bytes=[2, 8, 16]),
        *tiles_of("implicit", ((64, 32, 32, 4, 2),), vector_bytes=[8, 16], merge=True)), **SIXTEEN),
    conv_set("any_strides", "any strides, channels-first too", ALL, ANY, **SIXTEEN),
    conv_set("any_strides_fp32", "any strides, channels-first too", ALL, tuple({**m, "precision": "ieee"} for m in ANY),
         dtype_input="fp32"),
    ),
}  # fmt: skip
# Offered by name only.
NAMED = {
    0: (
    conv_set("tf32", "fp32 operands rounded to tf32", (HOPPER,),
         tiles_of("implicit", ((128, 128, 32, 8, 3), (64, 64, 32, 4, 4)), vector_bytes=[4, 16]), dtype_input="fp32"),
    ),
}  # fmt: skip
