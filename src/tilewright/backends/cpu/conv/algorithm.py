"""CpuConv: how a CPU kernel loops, stages and multiplies a convolution, and the product of a 1x1 one."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.kernel import KernelSpec, kept_by_kernel
from ....model.kernel_tree import seen_as
from ....model.tunable import tunable
from ....ops.conv.planes import planes_signature
from ....ops.conv.product import gemm_signature
from ...product_rules import PRODUCTS
from ..gemm.algorithm import INNERS, CpuGemm

PIPELINES = ("direct", "lanes", "depthwise", "implicit", "gemm", "folded", "planes", "stencil")
WHAT = (
    "direct: register tiles of one group; lanes: several groups in one register; depthwise: one channel per group; "
    "implicit: pixels as a matrix; gemm: 1x1 as a product of the gemm backend; "
    "folded: a row of taps with its channels as one sum; planes: gemm for channels-first images; "
    "stencil: depthwise for channels-first images, pixels of a row in one register"
)


@dataclass(frozen=True)
class CpuConv(CpuGemm):
    """The fields of a CPU convolution kernel: those of a product (all of them if it is one), then its own.

    >>> CpuConv(mr=14, nr=32).label()
    'direct_fma_14x32_strip64'
    """

    pipeline: str = tunable("direct", PIPELINES, WHAT)
    inner: str = tunable(
        "fma", INNERS, "how products are formed: vector FMA, dot products (vnni, dot), AMX tiles, 2x2 blocks (mm)"
    )
    mr: int = tunable(
        14,
        (1, 4, 5, 6, 7, 8, 10, 12, 14, 16, 28, 32),
        "pixels of the tile (backward weight: channels; stencil: registers)",
    )
    nr: int = tunable(32, (4, 8, 16, 24, 32, 48, 64), "channels of the register tile")
    tall: int = tunable(1, (1, 2, 4), "rows of pixels of the register tile (depthwise, stencil, data)")
    merge: int = tunable(1, (1, 2, 4, 8, 16), "groups that share one register (lanes, forward and backward data)")
    strip_kb: int = tunable(64, (16, 32, 64, 256), "KiB of source rows kept as float32 (direct, lanes, folded)")
    stream: bool = tunable(False, (False, True), "write the result past the caches (depthwise, aligned, no epilogue)")
    kc: int = tunable(512, (0, 256, 512, 1024), "k block of the matrix product (implicit, gemm; 0: the launch decides)")
    rows: int = tunable(192, (96, 192, 384), "pixels that are copied into a matrix at a time (implicit)")

    def label(self) -> str:
        """Return a short readable text; display only."""
        text = f"{self.pipeline}_{self.inner}_{self.mr}x{self.nr}"
        if self.pipeline in PRODUCTS:
            return f"{self.pipeline}_{gemm_algorithm(self).label()}"
        if self.pipeline == "implicit":
            return f"{text}_kc{self.kc}_rows{self.rows}"
        if self.pipeline in ("depthwise", "stencil"):
            return text + "_tall" * (self.tall > 1) + "_stream" * self.stream
        merge = f"_merge{self.merge}" if self.pipeline == "lanes" else ""
        return f"{text}{merge}_strip{self.strip_kb}"


def gemm_algorithm(algorithm: CpuConv) -> CpuGemm:
    """Return the algorithm of the product of a gemm convolution.

    >>> gemm_algorithm(CpuConv(pipeline="gemm", mr=6, nr=64)).pipeline
    'tiled'
    """
    return seen_as(algorithm, CpuGemm, pipeline="tiled")


@kept_by_kernel
def gemm_spec(spec: KernelSpec) -> KernelSpec:
    """Return the gemm kernel of a gemm convolution."""
    planes = spec.algorithm.pipeline == "planes"
    signature = planes_signature(spec.signature) if planes else gemm_signature(spec.signature)
    return KernelSpec("gemm", spec.backend, spec.arch, signature, gemm_algorithm(spec.algorithm))
