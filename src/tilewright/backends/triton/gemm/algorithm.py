"""TritonGemm: how a GEMM kernel of the triton backend works, and what that means for its operands."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.tunable import tunable
from ....ops.gemm.signature import GemmSignature

# The folders of `pipelines`, in the order of their places. This line and the class are part of build keys.
PIPELINES = ("pointer", "tma_persistent", "hopper", "grouped")
# Multiples of 8; those that are neither a power of two nor 96, 160 or 192 are for hopper only (`is_narrowed`).
TILE_COLUMNS = (8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,
                192, 208, 224, 240, 256)  # fmt: skip
PACKED_FORMAT = "kblock128"  # B as [k / block, n, block], a block being 128 bytes along k
PACKED_BYTES = 128


@dataclass(frozen=True)
class TritonGemm:
    """The fields of one kernel; the traits after `consumers` say what it takes rather than how fast it is.

    >>> TritonGemm(tile_m=64, swap_ab=True).label()
    'pointer_64x128x64_w4s3_swap'
    """

    pipeline: str = tunable("pointer", PIPELINES, "how operands reach the matrix units")
    tile_m: int = tunable(128, (64, 128, 256), "rows of a tile (of the product as the kernel sees it)")
    tile_n: int = tunable(128, TILE_COLUMNS, "columns of a tile")
    tile_k: int = tunable(64, (16, 32, 64, 128, 256), "depth of one step")
    warps: int = tunable(4, (4, 8), "warps that multiply")
    stages: int = tunable(
        3, (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16), "steps in flight; hopper, 0: at most 8, all that fit"
    )
    consumers: int = tunable(1, (1, 2), "hopper: 1 cooperative warps, 2 groups that take turns (ping-pong)")
    split: bool = tunable(False, (False, True), "tiles may be shared along K (split-K, stream-K)")
    reduce: str = tunable("inside", ("inside", "after"), "who adds shared tiles: the last program, or another kernel")
    swap_ab: bool = tunable(False, (False, True), "compute the transposed product, for few rows")
    group: int = tunable(8, (1, 4, 8, 16), "rows of tiles walked together")
    cluster: int = tunable(1, (1, 2, 4), "hopper: programs above each other that share B: each copies a part for all")
    blocks_per_unit: int = tunable(1, (1, 2, 3, 4), "hopper: programs that share a multiprocessor")
    out_buffers: int = tunable(2, (1, 2), "hopper: shared-memory buffers of the store")
    accumulate: str = tunable("fast", ("fast", "promoted"), "fp8 sums: in the tensor core, or each step in fp32")
    precision: str = tunable("tf32", ("tf32", "ieee"), "fp32 products: rounded to tf32, or exact")
    even_k: bool = tunable(False, (False, True), "pointer: K is a multiple of tile_k, so no mask")
    vector_bytes: int = tunable(16, (1, 2, 4, 8, 16), "alignment in bytes of pointers and leading strides")
    unit: bool = tunable(True, (True, False), "pointer: each operand has one stride of 1")
    wide: bool = tunable(False, (False, True), "pointer: offsets inside a tile need 64 bits")
    store: str = tunable("tma", ("tma", "pointer"), "hopper: how the output is written")
    operands: str = tunable("direct", ("direct", "staged"), "staged: copied into aligned buffers first")
    order: str = tunable("shares", ("shares", "tiles", "abreast"), "hopper splits: which programs run side by side")
    pdl: bool = tunable(True, (False, True), "hopper: set up while the kernel before it in the stream still runs")
    one_block: bool = tunable(
        False, (False, True), "hopper: one instruction also for 96, 160 and 192 columns of a tile"
    )
    loose: bool = tunable(False, (False, True), "hopper: every 4 warps hand stages back without meeting the others")

    def label(self) -> str:
        """Return a short readable text; display only."""
        text = f"{self.pipeline}_{self.tile_m}x{self.tile_n}x{self.tile_k}_w{self.warps}s{self.stages}"
        flags = (
            ("pp", self.consumers == 2),
            ("split", self.split and self.reduce == "inside"),
            ("splitafter", self.split and self.reduce == "after"),
            (self.order, self.order != "shares"),
            (f"c{self.cluster}", self.cluster > 1),
            ("swap", self.swap_ab),
            (f"x{self.blocks_per_unit}", self.blocks_per_unit > 1),
            ("promoted", self.accumulate == "promoted"),
            ("ieee", self.precision == "ieee"),
            ("even", self.even_k),
            (f"v{self.vector_bytes}", self.vector_bytes < 16),
            ("any", not self.unit),
            ("wide", self.wide),
            ("ptrstore", self.store == "pointer"),
            ("staged", self.operands == "staged"),
            ("nopdl", self.pipeline == "hopper" and not self.pdl),
            ("one", self.one_block),
            ("loose", self.loose),
        )
        return "_".join([text, *(name for name, on in flags if on)])


@dataclass(frozen=True)
class KernelView:
    """The product as the kernel sees it: with `swap_ab` it computes out^T = B^T A^T.

    `a_k`, `b_k`: K is the contiguous dimension. `out_row`: columns are contiguous in the output.
    """

    a: str
    b: str
    a_k: bool
    b_k: bool
    out_row: bool
    scale_a: str
    scale_b: str
    d: tuple[str, ...]


_OTHER_BROADCAST = {"none": "none", "row": "col", "col": "row"}


def view_of(signature: GemmSignature, algorithm: TritonGemm) -> KernelView:
    """Return how `algorithm` sees a product of this signature.

    >>> view_of(GemmSignature("fp16", "fp16", "fp32", "fp16", "rcr"), TritonGemm(swap_ab=True)).out_row
    False
    """
    s = signature
    a_k, b_k, out_row = s.layout[0] == "r", s.layout[1] == "c", s.layout[2] == "r"
    if algorithm.operands == "staged":
        a_k = b_k = True
    b_k = b_k or s.b_format != "plain"
    d = tuple(x.broadcast for x in s.d)
    if not algorithm.swap_ab:
        return KernelView(s.dtype_a, s.dtype_b, a_k, b_k, out_row, s.scale_a, s.scale_b, d)
    swapped = tuple(_OTHER_BROADCAST[x] for x in d)
    return KernelView(s.dtype_b, s.dtype_a, b_k, a_k, not out_row, s.scale_b, s.scale_a, swapped)


def packed_block(dtype: str) -> int:
    """Elements of B along k that a packed block holds.

    >>> packed_block("fp16"), packed_block("fp8")
    (64, 128)
    """
    return int(PACKED_BYTES // get_dtype(dtype).bytes)


def column_blocks(algorithm: TritonGemm) -> tuple[int, int]:
    """hopper: a tile's columns as a power of two and a smaller rest; negative: the columns of the first to leave out.

    >>> [column_blocks(TritonGemm(tile_n=n)) for n in (192, 64, 136)]
    [(128, 64), (64, 0), (256, -120)]
    """
    columns = algorithm.tile_n
    first = 1 << (columns.bit_length() - 1)
    if is_narrowed(algorithm) and first < columns:
        first *= 2
    return first, columns - first


def is_narrowed(algorithm: TritonGemm) -> bool:
    """hopper: return whether a tile is the first columns of a power of two, multiplied by one instruction.

    >>> [n for n in TILE_COLUMNS if not is_narrowed(TritonGemm(tile_n=n))]
    [8, 16, 32, 64, 96, 128, 160, 192, 256]
    """
    columns = algorithm.tile_n
    if algorithm.one_block or algorithm.order == "abreast":
        return True
    return columns & (columns - 1) != 0 and columns not in (96, 160, 192)


def stage_contiguous(signature: GemmSignature) -> tuple[int, int]:
    """Return the contiguous dimension (1 row, 2 col) of A and B, seen with rows on M or N and columns on K."""
    return (2 if signature.layout[0] == "r" else 1, 2 if signature.layout[1] == "c" else 1)


def stage_block(signature: GemmSignature) -> tuple[int, int]:
    """Rows and columns that one program of the copy kernel moves: long runs along K, squares if it transposes."""
    return (8, 256) if stage_contiguous(signature) == (2, 2) else (64, 64)


def exact_int(signature: GemmSignature) -> bool:
    """Return whether the integer accumulator is the result, with nothing left to compute in floating point."""
    s = signature
    plain = s.scale_a == s.scale_b == "none" and not s.d and s.activation == "none"
    return plain and s.dtype_acc == s.dtype_out == "int32"


def shared_limit(arch: NvidiaArch, algorithm: TritonGemm) -> int:
    """Shared memory that one program may use if `blocks_per_unit` of them share a multiprocessor."""
    share = arch.smem_per_sm_bytes // algorithm.blocks_per_unit - arch.smem_reserved_per_block_bytes
    return min(arch.smem_per_block_bytes, share)
