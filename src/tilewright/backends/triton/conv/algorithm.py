"""TritonConv: how a convolution kernel of the triton backend works, and what that means for its operands."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.kernel import KernelSpec, kept_by_kernel
from ....model.kernel_tree import seen_as
from ....model.tunable import tunable
from ....ops.conv.product import gemm_signature
from ..gemm.algorithm import TritonGemm

PIPELINES = ("implicit", "window", "depthwise", "strip", "gemm", "hopper", "thin")
WINDOWS = ("window", "depthwise")
WHAT = (
    "implicit: a matrix product over gathered pixels; window: pixels of few channels read once per filter row; "
    "depthwise: the same on vector units; strip: such pixels read once, rows wait in shared memory; "
    "gemm: 1x1 as a product of the gemm backend; hopper: a matrix product over boxes of pixels that TMA fetches; "
    "thin: 1x1 of few channels, each pixel read once past weights that stay"
)


@dataclass(frozen=True)
class TritonConv(TritonGemm):
    """The fields of one kernel: those of a product (all of them with pipeline="gemm"), then those of a convolution.

    Tiles are rows (pixels; lines of pixels in windows; output channels in backward weight) x columns (channels that are
    written) x depth (channels that are read; pixels in backward weight).

    >>> TritonConv(pipeline="window", tile_m=64, tile_n=16, tile_k=16, span=4).label()
    'window_64x16x16_w4s3_f3_span4'
    """

    pipeline: str = tunable("implicit", PIPELINES, WHAT)
    inner: str = tunable("hopper", ("hopper", "pointer"), "gemm: the pipeline of the product")
    merge: bool = tunable(False, (False, True), "implicit: as many groups as fit share a tile")
    fold: bool = tunable(
        False, (False, True), "implicit: a filter row as one run of channels (few channels, one group)"
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
        """A short readable text; display only."""
        if self.pipeline == "gemm":
            return f"gemm_{gemm_algorithm(self).label()}"
        text = f"{self.pipeline}_{self.tile_m}x{self.tile_n}x{self.tile_k}_w{self.warps}s{self.stages}"
        window = self.pipeline in (*WINDOWS, "strip")
        height = f"{self.filter_h}x" if self.filter_h else ""
        hopper = self.pipeline == "hopper"
        flags = (
            ("pp", hopper and self.consumers == 2),
            (f"x{self.blocks_per_unit}", self.pipeline in ("hopper", "thin") and self.blocks_per_unit > 1),
            ("split", hopper and self.split),
            ("tiles", hopper and self.order == "tiles"),
            ("ptrstore", hopper and self.store == "pointer"),
            (f"f{height}{self.filter_w}", window),
            (f"span{self.span}", window),
            (f"stride{self.stride_w}", window and self.stride_w > 1),
            (f"phase{self.phase}", self.phase > 0),
            (f"c{self.channels}", self.channels > 0),
            ("pair", self.pair == 2),
            (f"columns{self.pair}", self.pair == 8),
            ("planes", self.pair == 16),
            (f"rows{self.rows}", self.rows > 1),
            ("merge", self.merge),
            ("fold", self.fold),
            (f"rows{self.filter_h}", hopper and self.filter_h > 0),
            ("atomic", self.sum == "atomic"),
            ("ieee", self.precision == "ieee"),
            ("even", self.even_k),
            (f"v{self.vector_bytes}", self.vector_bytes < 16),
            ("any", not self.unit),
            ("wide", self.wide),
        )
        return "_".join([text, *(name for name, on in flags if on)])


def gemm_algorithm(algorithm: TritonConv) -> TritonGemm:
    """The algorithm of the product behind a gemm convolution.

    >>> gemm_algorithm(TritonConv(pipeline="gemm", inner="pointer")).pipeline
    'pointer'
    """
    return seen_as(algorithm, TritonGemm, {"pipeline": "inner"})


@kept_by_kernel
def gemm_spec(spec: KernelSpec) -> KernelSpec:
    """The gemm kernel behind a gemm convolution."""
    return KernelSpec("gemm", spec.backend, spec.arch, gemm_signature(spec.signature), gemm_algorithm(spec.algorithm))


def is_weight(spec: KernelSpec) -> bool:
    """Whether the kernel computes the gradient of the weights."""
    return bool(spec.signature.direction == "backward_weight")


def row_width(algorithm: TritonConv) -> int:
    """Columns that a filter row takes where `filter_h` of them share a tile of boxes.

    >>> row_width(TritonConv(pipeline="hopper", fold=True, filter_h=7, tile_n=256))
    32
    """
    rows = max(1, algorithm.filter_h)
    return algorithm.tile_n // (1 << (rows - 1).bit_length())


def sums_shares(spec: KernelSpec) -> bool:
    """Whether a second kernel adds shares: in backward weight, unless hopper programs sum all pixels of their tiles."""
    return is_weight(spec) and (spec.algorithm.pipeline != "hopper" or spec.algorithm.split)


def source_roles(direction: str) -> tuple[str, str]:
    """(the role whose pixels are gathered, the role on the other side: written, or the gradient that is read).

    >>> source_roles("backward_data")
    ('output', 'input')
    """
    return ("output", "input") if direction == "backward_data" else ("input", "output")


def finish_tiles(algorithm: TritonConv) -> tuple[tuple[int, int], ...]:
    """(elements, shares at once) of a program that adds the shares of backward weight, for more and more shares.

    Few channels have small gradients in many shares: those are read side by side.
    """
    if algorithm.pipeline == "strip":
        return (256, 8), (128, 32), (16, 256)
    return ((64, 64),) if algorithm.pipeline in WINDOWS else ((256, 8),)


def finish_block(algorithm: TritonConv, splits: int) -> int:
    """Elements of a program that adds `splits` shares.

    >>> finish_block(TritonConv(pipeline="strip"), 12), finish_block(TritonConv(pipeline="strip"), 500)
    (256, 16)
    """
    tiles = finish_tiles(algorithm)
    return next((block for block, at_once in tiles[:-1] if splits <= 2 * at_once), tiles[-1][0])
