"""TritonFmha: how an attention kernel of the triton backend works, and what that means for its blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....model.dtype import get_dtype
from ....model.tunable import tunable
from ....ops.fmha.signature import EIGHT_BIT, FmhaSignature

LEAST_HDIM = 16  # the depth of one matrix instruction
BARRIERS = 1024  # bytes of barriers, with what the compiler takes beside
HOPPER_SHARED = 232448  # bytes of shared memory of a program
HOPPER_ROWS = 64  # of one group of warps, the rows of one wgmma
COPY_ROWS = 16  # rows of one program where nothing is multiplied


@dataclass(frozen=True)
class TritonFmha:
    """The fields of one kernel. In a backward pass a block is `tile_m` rows by `tile_n` keys where dK and dV are
    computed, and the other way round where dQ is.

    >>> TritonFmha(tile_m=16, pack=True).label()
    '16x64_w4s2_pack'
    """

    tile_m: int = tunable(128, (16, 32, 64, 128, 192), "query rows of a block")
    tile_n: int = tunable(64, (16, 32, 64, 128), "keys of a block")
    warps: int = tunable(4, (4, 8, 12), "warps of a program; in the hopper pipeline those that multiply")
    stages: int = tunable(2, (1, 2, 3, 4), "blocks of keys in flight")
    pack: bool = tunable(False, (False, True), "a block holds the rows of all query heads of a key head")
    aligned: bool = tunable(True, (True, False), "pointers and strides are multiples of 16 bytes")
    pipeline: str = tunable(
        "pointer",
        ("pointer", "tma", "hopper"),
        "how keys are read: pointers, tensor maps, or tensor maps by a warp of their own",
    )
    precision: str = tunable("ieee", ("ieee", "tf32"), "fp32 products: exact, or rounded to tf32")
    turns: bool = tunable(False, (False, True), "hopper: groups of warps issue their products one after another")
    share: bool = tunable(False, (False, True), "hopper backward: programs share the walk of a block of keys")

    def label(self) -> str:
        """Return a short readable text; display only."""
        text = f"{self.tile_m}x{self.tile_n}_w{self.warps}s{self.stages}"
        flags = (
            (self.pipeline, self.pipeline != "pointer"),
            ("turns", self.turns),
            ("share", self.share),
            ("pack", self.pack),
            ("any", not self.aligned),
            ("tf32", self.precision == "tf32"),
        )
        return "_".join([text, *(name for name, on in flags if on)])


def padded(hdim: int) -> int:
    """Return the width of a head in a kernel: a power of two.

    >>> padded(8), padded(64), padded(80)
    (16, 64, 128)
    """
    return max(LEAST_HDIM, 1 << (hdim - 1).bit_length())


def is_narrow(hdim: int) -> bool:
    """Whether the Hopper forward pass multiplies 192 of the 256 columns of a tile.

    >>> is_narrow(192), is_narrow(200), is_narrow(128)
    (True, False, False)
    """
    return 128 < hdim <= 192


def second_operand(dtype: str) -> str:
    """The dtype of the probabilities in the second product: that of V, but 8-bit floats are widened (exactly, for V).

    >>> second_operand("bf16"), second_operand("fp8")
    ('bf16', 'fp16')
    """
    return "fp16" if dtype in EIGHT_BIT else dtype


def forward_shared_bytes(s: FmhaSignature, a: TritonFmha, stages: int) -> int:
    """Shared memory of a forward program: its rows, the blocks of keys, values and bias in flight, and results on their
    way, if these do not take the place of the rows."""
    dq, dv, size = padded(s.hdim_q), padded(s.hdim_v), get_dtype(s.dtype).bytes
    need = (a.tile_m * dq + stages * a.tile_n * (dq + dv)) * size
    if a.pipeline == "hopper":
        need += a.tile_m * a.tile_n * size * (s.bias != "none")
        if not replaces_rows(s, a):
            need += a.tile_m * dv * get_dtype(s.dtype_out).bytes
    return int(need) + (BARRIERS if a.pipeline != "pointer" else 0)


def query_stages(s: FmhaSignature, a: TritonFmha) -> int:
    """Tiles of queries that a program of the Hopper forward pass has in flight: two if they fit.

    >>> query_stages(FmhaSignature("fwd", "fp16", "fp16", 128, 128), TritonFmha(128, 128, 8, 2, pipeline="hopper"))
    2
    """
    room = HOPPER_SHARED - forward_shared_bytes(s, a, a.stages)
    return 2 if a.tile_m * padded(s.hdim_q) * get_dtype(s.dtype).bytes <= room else 1


def replaces_rows(s: FmhaSignature, a: TritonFmha) -> bool:
    """Whether the results of a tile of the Hopper forward pass take the place of its rows: both would not fit.

    >>> replaces_rows(FmhaSignature("fwd", "fp16", "fp16", 256, 256), TritonFmha(128, 64, 8, 2, pipeline="hopper"))
    True
    """
    dq, dv, size = padded(s.hdim_q), padded(s.hdim_v), get_dtype(s.dtype).bytes
    blocks = a.stages * a.tile_n * (dq + dv) + a.tile_m * a.tile_n * (s.bias != "none")
    fits = (a.tile_m * (dq + dv) + blocks) * size + BARRIERS <= HOPPER_SHARED
    return not fits and (dq, s.dtype) == (dv, s.dtype_out)


def bias_stages(s: FmhaSignature, a: TritonFmha) -> int:
    """Blocks of a bias that a program of the Hopper forward pass has in flight: two if they fit, none without a bias.

    >>> bias_stages(FmhaSignature("fwd", "fp16", "fp16", 64, 64), TritonFmha(128, 128, 8, 2, pipeline="hopper"))
    0
    """
    if s.bias == "none":
        return 0
    size = get_dtype(s.dtype).bytes
    rows = (query_stages(s, a) - 1) * a.tile_m * padded(s.hdim_q) * size
    room = HOPPER_SHARED - forward_shared_bytes(s, a, a.stages) - rows
    return 2 if a.tile_m * a.tile_n * size <= room else 1


def backward_shared_bytes(s: FmhaSignature, a: TritonFmha, stages: int) -> int:
    """Shared memory of the larger program, for dK and dV or for dQ: a resident block and those in flight."""
    dq, dv, size = padded(s.hdim_q), padded(s.hdim_v), get_dtype(s.dtype).bytes
    resident, moving = min(a.tile_m, a.tile_n), max(a.tile_m, a.tile_n)
    if stages == 1:
        resident, moving = moving, resident
    return int(((resident + stages * moving) * (dq + dv) + a.tile_m * a.tile_n) * size)


def hopper_backward_shared_bytes(s: FmhaSignature, a: TritonFmha, bias_stages: int = 1) -> int:
    """Shared memory of a program of the Hopper backward pass: K and V, the ring of Q, dO and their statistics, dS, the
    probabilities of wide heads, the share of dQ on its way to memory, and blocks of a bias in flight."""
    d, tile = backward_columns(s.hdim_q), 2 * a.tile_m * a.tile_n
    ring = a.stages * a.tile_m * 4 * (d + row_numbers(s))
    tiles = 1 + is_wide(s) + bias_stages * (s.bias != "none")
    share = 0 if adds_from_registers(s, a) else 4 * a.tile_m * d
    need = 4 * a.tile_n * d + ring + tiles * tile + share + 1024
    return need + share * (s.deterministic and need + share <= HOPPER_SHARED)


def shares_in_flight(s: FmhaSignature, a: TritonFmha) -> int:
    """Shares of dQ that a program of the deterministic Hopper backward pass has on their way: two if they fit, and one
    that is added from registers.

    >>> g = FmhaSignature("bwd", "fp16", "fp16", 128, 128, deterministic=True)
    >>> shares_in_flight(g, TritonFmha(64, 128, 8, 2, pipeline="hopper"))
    2
    """
    one = hopper_backward_shared_bytes(replace(s, deterministic=False), a)
    return (1 + (hopper_backward_shared_bytes(s, a) > one)) * s.deterministic


def backward_columns(hdim: int) -> int:
    """Return the width of a head in the Hopper backward pass.

    >>> backward_columns(32), backward_columns(96)
    (64, 128)
    """
    return max(64, padded(hdim))


def adds_from_registers(s: FmhaSignature, a: TritonFmha) -> bool:
    """Whether the Hopper backward pass adds shares of dQ from registers: those of wide heads would take the place of a
    second stage.

    >>> adds_from_registers(FmhaSignature("bwd", "fp16", "fp16", 256, 256), TritonFmha(64, 64, 8, 2, pipeline="hopper"))
    True
    """
    return is_wide(s) and a.stages > 1


def is_wide(s: FmhaSignature) -> bool:
    """Whether dK and dV of 128 keys are more than the registers hold in the Hopper backward pass.

    >>> is_wide(FmhaSignature("bwd", "fp16", "fp16", 256, 256)), is_wide(FmhaSignature("bwd", "fp16", "fp16", 96, 96))
    (True, False)
    """
    return padded(s.hdim_q) > 128


def row_numbers(s: FmhaSignature) -> int:
    """Numbers of each row that the Hopper backward pass reads: two; with a bias three, and room for one."""
    return 2 if s.bias == "none" else 4


def backward_bias_stages(s: FmhaSignature, a: TritonFmha) -> int:
    """Blocks of a bias that a program of the Hopper backward pass has in flight: two if they fit, none without a bias.

    >>> backward_bias_stages(FmhaSignature("bwd", "fp16", "fp16", 64, 64), TritonFmha(64, 128, 8, 2, pipeline="hopper"))
    0
    """
    if s.bias == "none":
        return 0
    return 2 if hopper_backward_shared_bytes(s, a, 2) <= HOPPER_SHARED else 1
