"""thin: a 1x1 convolution of few channels; each pixel is read once past weights that stay."""

from __future__ import annotations

from math import prod
from typing import Any

from .....model.arch import Arch
from .....model.dtype import get_dtype
from .....model.kernel import KernelSpec, Launch
from .....model.rule import Broken, broken, rule
from .....model.tensor import Addresses
from .....ops.conv.problem import ConvProblem
from .....ops.conv.problem import ConvSubject as Subject
from .....ops.conv.product import not_a_product, pixel_row
from ...gemm.operands import ceil_div
from ...gemm.pipeline import INT32_LIMIT
from ...gemm.set_parts import NVIDIA
from ...source import Source, finish
from ...target import TRITON_DTYPE
from ..algorithm import TritonConv, is_weight, source_roles
from ..cost_parts import Constants
from ..geometry import Geometry, sides
from ..kernels.config import ThinConfig
from ..pipeline import Pipeline, Traits
from ..set_parts import DATA, SIXTEEN, Maps, conv_set, tiles_of
from ..source import STRIDES, epilogue_config, epilogue_types, function_of, out_type, product_precision


@rule("triton.conv.thin", "problem", "thin: 1x1, stride 1, one group unless merged; channels fit a tile")
def thin(s: Subject) -> Broken | None:
    a, p = s.algorithm, s.problem
    why = not_a_product(p)
    if why or (p.g > 1) != a.merge:
        return broken(f"no stream of pixels: {why or f'{p.g} groups'}", "use implicit", g=p.g)
    read, other = sides(p)
    if read > a.tile_k or other > a.tile_n:
        return broken(f"{read} -> {other} channels > a tile of {a.tile_k} -> {a.tile_n}", "use gemm", read=read)
    reach = p.reach("weight")
    if reach >= INT32_LIMIT:  # also if `wide`: these offsets have 32 bits
        return broken(f"weight reaches over {reach:,} elements >= 2**31", "use implicit", reach=reach)
    return None


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    return {"conv": "kernels.thin:thin_conv"}


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    a = spec.algorithm
    config = ThinConfig(
        a.tile_m,
        a.tile_n,
        a.tile_k,
        a.stages,
        a.merge,
        a.wide,
        out_type(spec),
        product_precision(spec),
        epilogue_config(spec),
    )
    source, far = (spec.signature.dtype(r) for r in source_roles(spec.signature.direction))
    given = {"src_ptr": "*" + TRITON_DTYPE[source], "wgt_ptr": "*" + TRITON_DTYPE[spec.signature.dtype_weight],
             "dst_ptr": "*" + TRITON_DTYPE[far], "src_row": "i64", "dst_row": "i64", "wgt_strides": STRIDES,
             "pixels": "i32", "cin": "i32", "cout": "i32", "epilogue": epilogue_types(spec)}  # fmt: skip
    function = function_of(kernels(spec)["conv"])
    names = function.arg_names
    hints: dict[tuple[int, ...], int] = {}
    reads: tuple[str, ...] = ("src_row", "cin")
    writes: tuple[str, ...] = ("dst_row", "cout")
    if a.merge:
        given |= dict.fromkeys(("parts", "merged", "src_block", "dst_block", "src_total", "dst_total"), "i32")
        reads, writes = ("src_row", "src_block", "src_total"), ("dst_row", "dst_block", "dst_total")
    for dtype, counts, pointer in ((source, reads, "src_ptr"), (far, writes, "dst_ptr")):
        elements = int(a.vector_bytes // get_dtype(dtype).bytes)
        if elements > 1:
            hints |= {(names.index(n),): elements for n in counts}
            hints[(names.index(pointer),)] = a.vector_bytes
    return finish(function, given, config, hints, num_warps=a.warps, num_stages=a.stages)


class Thin(Pipeline):
    """Each pixel is read once; the weights stay."""

    stays = True
    first_rules = (thin,)
    prices = {
        "thin": Constants(2.76e-06, 0.809, 382.7, 34.38, 27.7, 0.4094, 190.6, 213.4),
    }
    rank = (0, 3)

    def shown(self, a: TritonConv) -> list[str]:
        """Programs per multiprocessor."""
        return [f"x{a.blocks_per_unit}"] if a.blocks_per_unit > 1 else []

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile."""
        return True

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only this pipeline has."""
        yield from super().traits(spec, arch)
        yield (
            is_weight(spec) or any(d.broadcast == "none" for d in spec.signature.d),
            "backward weight or D operands of whole pixels in the thin pipeline",
        )

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a tile per block of pixels and part of the groups."""
        merged = self.merged_groups(p, a)
        return Geometry(merged, 1, ceil_div(p.n * prod(p.output), a.tile_m), ceil_div(p.g, merged), 1, 1, 0)

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Addresses) -> dict[str, Any]:
        """Pixels as rows of a matrix."""
        source, far = source_roles(p.direction)
        rows = {"src_row": pixel_row(p, source), "dst_row": pixel_row(p, far)}
        return {"pixels": p.n * prod(p.output), **rows, "parts": shape.cols}

    def family(self, spec: KernelSpec) -> str:
        """Return the name under which the prices are kept: one for every direction."""
        return "thin"

    def resident(self, spec: KernelSpec) -> int:
        """Programs that share a multiprocessor."""
        return int(spec.algorithm.blocks_per_unit)

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        a = spec.algorithm
        return a.tile_m * a.tile_k, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * a.tile_m * (a.tile_k + a.tile_n)


PIPELINE = Thin()

MERGED_THIN = ((128, 128, 32, 8, 3), (128, 32, 128, 8, 3))  # groups that widen, and their gradients


def _thin() -> Maps:
    """Tiles for 1x1 layers of few channels, of which several programs fit a multiprocessor."""
    found: list[dict[str, Any]] = []
    for n in (16, 32, 64, 128, 256):
        for k in (16, 32, 64, 128, 256):
            for m, warps, stages in ((64, 4, 3), (128, 4, 3), (128, 8, 3), (64, 4, 4), (64, 4, 2)):
                resident = min(4, (216 << 10) // (m * k * 2 * stages + k * n * 2), 16 // warps)
                if resident > 1 and m * n <= 128 * 128 and (stages > 2 or k == 256):
                    found += tiles_of("thin", ((m, n, k, warps, stages),), blocks_per_unit=resident)
    return tuple(found)


# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    2: (
    conv_set("thin", "1x1 of few channels, pixels streamed past the weights", NVIDIA, (
        *({**m, "vector_bytes": [2, 8, 16]} for m in _thin()),
        *tiles_of("thin", MERGED_THIN, vector_bytes=[8, 16], blocks_per_unit=2, merge=True)), direction=DATA,
        **SIXTEEN),
    ),
}  # fmt: skip
