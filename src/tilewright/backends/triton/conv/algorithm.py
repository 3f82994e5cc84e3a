"""TritonConv: how a convolution kernel of the triton backend works, and what that means for its operands."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....model.kernel import KernelSpec, kept_by_kernel
from ....model.kernel_tree import seen_as
from ....model.tunable import tunable
from ....ops.conv.product import GEMM_LAYOUT, gemm_signature
from ..gemm.algorithm import TritonGemm
from .pipelines import PIPELINES, WHAT, pipeline_of


@dataclass(frozen=True)
class TritonConv(TritonGemm):
    """The fields of one kernel: those of a product (all of them with pipeline="gemm"), then those of a convolution.

    Tiles are rows (pixels; lines of pixels in windows; output channels in backward weight) x columns (channels that are
    written) x depth (channels that are read; pixels in backward weight).

    >>> TritonConv(pipeline="window", tile_m=64, tile_n=16, tile_k=16, span=4).label()
    'window_64x16x16_w4s3_f3_span4'
    """

    # Products only: convolutions have no such kernels.
    order: str = tunable("shares", ("shares", "tiles"), "hopper splits: which programs run side by side")
    one_block: bool = False
    loose: bool = False
    pipeline: str = tunable("implicit", PIPELINES, "; ".join(f"{name}: {what}" for name, what in WHAT.items()))
    inner: str = tunable("hopper", ("hopper", "pointer"), "gemm: the pipeline of the product")
    merge: bool = tunable(
        False, (False, True), "implicit: as many groups as fit share a tile; with fold: all filter rows are one run"
    )
    fold: bool = tunable(
        False,
        (False, True),
        "implicit, hopper: a filter row as one run of channels, or a block of pixels as one (few channels, one group)",
    )
    channels: int = tunable(0, (0, 1, 2, 4, 8, 16, 32), "window, strip: channels per group on both sides; 0: any")
    span: int = tunable(4, (1, 2, 4, 7, 8, 16, 32), "window, depthwise, strip: pixels along w that a program holds")
    filter_w: int = tunable(3, (1, 2, 3, 5, 7), "window, depthwise, strip: width of the filter")
    filter_h: int = tunable(
        0,
        (0, 1, 2, 3, 4, 5, 7),
        "height of the filter (strip, and backward weight by windows), or rows of a tile (hopper, backward weight)",
    )
    stride_w: int = tunable(1, (1, 2), "window, depthwise: stride along w; strip: along both axes")
    phase: int = tunable(0, (0, 1), "backward data by windows and strips: left padding modulo the stride")
    pair: int = tunable(
        1,
        (1, 2, 8, 16),
        "strip: pixels of one product on the matrix units; 2: two columns of 8 channels (backward weight), 8: eight "
        "columns of 2, 16: two rows of eight columns of one",
    )
    rows: int = tunable(1, (1, 2), "strip on the matrix units: steps down the image of one turn")
    sum: str = tunable("workspace", ("workspace", "atomic"), "backward weight: how shares meet")

    def label(self) -> str:
        """Return a short readable text; display only."""
        return pipeline_of(self).label(self)

    def flags(self, windows: bool) -> list[str]:
        """Return the parts of a label that any pipeline may have; `windows`: the filter is shown already."""
        flags = (
            (f"phase{self.phase}", self.phase > 0),
            (f"c{self.channels}", self.channels > 0),
            ("pair", self.pair == 2),
            (f"columns{self.pair}", self.pair == 8),
            ("planes", self.pair == 16),
            (f"rows{self.rows}", self.rows > 1),
            ("merge", self.merge),
            ("fold", self.fold),
            (f"rows{self.filter_h}", self.filter_h > 0 and not windows),
            ("atomic", self.sum == "atomic"),
            ("ieee", self.precision == "ieee"),
            ("even", self.even_k),
            (f"v{self.vector_bytes}", self.vector_bytes < 16),
            ("any", not self.unit),
            ("wide", self.wide),
        )
        return [name for name, on in flags if on]


def gemm_algorithm(algorithm: TritonConv) -> TritonGemm:
    """Return the algorithm of the product behind a gemm convolution.

    >>> gemm_algorithm(TritonConv(pipeline="gemm", inner="pointer")).pipeline
    'pointer'
    """
    return seen_as(algorithm, TritonGemm, {"pipeline": "inner"})


@kept_by_kernel
def gemm_spec(spec: KernelSpec) -> KernelSpec:
    """Return the gemm kernel behind a gemm convolution."""
    signature, algorithm = gemm_signature(spec.signature), gemm_algorithm(spec.algorithm)
    if is_turned(spec):
        signature, algorithm = replace(signature, layout=GEMM_LAYOUT["forward"]), replace(algorithm, vector_bytes=16)
    return KernelSpec("gemm", spec.backend, spec.arch, signature, algorithm)


def is_turned(spec: KernelSpec) -> bool:
    """Return whether the kernel computes backward data as a forward convolution, see `turning`."""
    return bool(spec.algorithm.fold and spec.signature.direction == "backward_data")


def gathers(algorithm: TritonConv) -> bool:
    """Return whether all taps of the implicit pipeline are one run of elements that are gathered one by one.

    >>> gathers(TritonConv(fold=True, merge=True)), gathers(TritonConv(fold=True))
    (True, False)
    """
    return bool(algorithm.fold and algorithm.merge and algorithm.pipeline == "implicit")


def is_weight(spec: KernelSpec) -> bool:
    """Return whether the kernel computes the gradient of the weights."""
    return bool(spec.signature.direction == "backward_weight")


def source_roles(direction: str) -> tuple[str, str]:
    """Return (the role whose pixels are gathered, the role on the other side: written, or the gradient that is read).

    >>> source_roles("backward_data")
    ('output', 'input')
    """
    return ("output", "input") if direction == "backward_data" else ("input", "output")


def finish_block(algorithm: TritonConv, splits: int) -> int:
    """Elements of a program that adds `splits` shares. Small gradients in many shares are read side by side.

    >>> finish_block(TritonConv(pipeline="strip"), 12), finish_block(TritonConv(pipeline="strip"), 500)
    (256, 16)
    """
    tiles = pipeline_of(algorithm).finish_tiles
    return next((block for block, at_once in tiles[:-1] if splits <= 2 * at_once), tiles[-1][0])
