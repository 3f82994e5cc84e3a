"""CpuConv: how a CPU kernel walks, stages and multiplies a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable

PIPELINES = ("direct", "lanes", "depthwise", "gemm")
INNERS = ("portable", "fma", "vnni", "amx", "amx_bf16x3")


@dataclass(frozen=True)
class CpuConv:
    """The fields of a CPU convolution kernel; each is a template parameter of the header library.

    >>> CpuConv(mr=14, nr=32).label()
    'direct_fma_14x32_strip64'
    """

    pipeline: str = tunable(
        "direct",
        PIPELINES,
        "direct: register tiles of one group; lanes: several groups in one register; gemm: pixels as a matrix",
    )
    inner: str = tunable("fma", INNERS, "how products are formed: vector FMA, 8-bit dot products, AMX tiles")
    mr: int = tunable(14, (1, 4, 6, 7, 8, 14, 16, 28, 32), "pixels of the register tile (backward weight: channels)")
    nr: int = tunable(32, (4, 8, 16, 32, 48, 64), "channels of the register tile")
    merge: int = tunable(1, (1, 2, 4, 8, 16), "groups that share one register (lanes, forward and backward data)")
    strip_kb: int = tunable(64, (16, 32, 64, 256), "KiB of source rows that are kept as float32 (direct, lanes)")
    stream: bool = tunable(False, (False, True), "write the result past the caches (depthwise, aligned, no epilogue)")
    kc: int = tunable(512, (256, 512, 1024), "k block of the matrix product (gemm)")
    rows: int = tunable(192, (96, 192, 384), "pixels that are laid out as a matrix at a time (gemm)")

    def label(self) -> str:
        """A short readable text; display only."""
        text = f"{self.pipeline}_{self.inner}_{self.mr}x{self.nr}"
        if self.pipeline == "gemm":
            return f"{text}_kc{self.kc}_rows{self.rows}"
        if self.pipeline == "depthwise":
            return text + "_stream" * self.stream
        merge = f"_merge{self.merge}" if self.pipeline == "lanes" else ""
        return f"{text}{merge}_strip{self.strip_kb}"
