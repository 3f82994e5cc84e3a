"""Arch values: what a GPU or CPU architecture can do. Pure data; `tilewright.arch` reads the facts.

Every class is frozen, hashable and picklable. `Arch` has the fields of all kinds; `AmdArch`, `NvidiaArch` and `CpuArch`
add those of their kind. "Waves" count wavefronts per block; a "warp tile" is the m, n, k of one matrix instruction
group. The two never share a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Tile = tuple[int, int, int]
FMHA_FAMILIES = ("fwd", "fwd_splitkv", "fwd_pagedkv", "fwd_appendkv", "batch_prefill", "bwd")
V = TypeVar("V")


class Table(Mapping[str, V], Generic[V]):
    """An immutable mapping that can be hashed and pickled, so that it may be a field of a frozen value.

    If it is given a function instead of items, it calls the function at the first use.

    >>> Table({"fp16": 2})["fp16"]
    2
    """

    __slots__ = ("_source",)
    _source: dict[str, V] | Callable[[], Mapping[str, V]]

    def __init__(self, items: Mapping[str, V] | Callable[[], Mapping[str, V]] | None = None) -> None:
        object.__setattr__(self, "_source", items if callable(items) else dict(items or {}))

    @property
    def _items(self) -> dict[str, V]:
        if callable(self._source):
            object.__setattr__(self, "_source", dict(self._source()))
        assert isinstance(self._source, dict)
        return self._source

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Table is immutable; cannot set {name!r}")

    def __getitem__(self, key: str) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __reduce__(self) -> tuple[type[Table[V]], tuple[dict[str, V]]]:
        return (type(self), (self._items,))

    def __repr__(self) -> str:
        return f"Table({self._items!r})"


@dataclass(frozen=True)
class DtypeCombination:
    """The accumulator of operands of dtype `a` and `b`.

    >>> DtypeCombination("fp8", "bf8", "fp32", "mixed 8-bit floats").key
    'fp8_bf8_fp32'
    """

    a: str
    b: str
    acc: str
    note: str = ""

    @property
    def pair(self) -> str:
        """`A_B`, the key of the table of valid combinations."""
        return f"{self.a}_{self.b}"

    @property
    def key(self) -> str:
        """`A_B_Acc`, the key of the warp-tile tables. It is looked up, never parsed: dtype names contain `_`."""
        return f"{self.a}_{self.b}_{self.acc}"


@dataclass(frozen=True)
class GemmPipeline:
    """A CK Tile GEMM pipeline: the share of the LDS for its A and B tiles, and whether it reads pre-shuffled B."""

    name: str
    lds_fraction: float
    preshuffle: bool = False


@dataclass(frozen=True)
class Withheld:
    """Warp tiles that other tables claim for this arch and that tilewright does not offer, with the reason."""

    reason: str
    warp_tiles: tuple[Tile, ...] = ()
    preshuffle_warp_tiles: tuple[Tile, ...] = ()


@dataclass(frozen=True)
class FmhaTile:
    """One attention tile.

    `hdim` is (q, v). `block` holds, for the forward families, bm0, bn0, bk0, bn1, bk1, bk0max (q rows, k rows, step of
    the first product, v columns, step of the second, whole q depth); for `bwd` bm0, bn0, bk0..bk4, hdim_q, hdim_v; for
    `fwd_appendkv` q rows, k rows, hdim_q, hdim_v. `waves` and `warp_tiles` have one entry per product; in `bwd` the
    third product reuses the first warp tile. `pipelines` names what can run it; `outs` the output dtypes ("same": that
    of the operands). `max_seqlen_q` and `max_blocks_per_unit` (of its own grid) limit the problems it is offered for.
    `newer_than_ck` is the CK release whose headers are still too old for it, if there is one.
    """

    hdim: tuple[int, int]
    block: tuple[int, ...]
    pipelines: tuple[str, ...]
    waves: tuple[Tile, ...] = ()
    warp_tiles: tuple[Tile, ...] = ()
    outs: tuple[str, ...] = ("same",)
    block_per_cu: int | None = None
    max_seqlen_q: int | None = None
    max_blocks_per_unit: float | None = None
    newer_than_ck: str | None = None


@dataclass(frozen=True)
class FmhaPipeline:
    """The limits of an attention pipeline; None means no limit.

    `pads` lists the legal (pad_s, pad_sk, pad_d, pad_dv) combinations.
    """

    pads: tuple[tuple[bool, ...], ...] | None = None
    bias: tuple[str, ...] | None = None
    masks: tuple[str, ...] | None = None
    hdims: tuple[tuple[int, int], ...] | None = None
    rope: tuple[str, ...] | None = None
    soft_cap: bool = True
    dropout: bool = True
    lse: bool = True
    paged: bool = True
    transpose_load: bool = False
    newer_than_ck: str | None = None


@dataclass(frozen=True)
class FmhaTable:
    """The pipelines and tiles of one attention family for one dtype."""

    pipelines: Table[FmhaPipeline]
    tiles: tuple[FmhaTile, ...]


@dataclass(frozen=True)
class Fmha:
    """Attention facts of an AMD arch: family -> dtype -> table. `absent` has the reason why a known family (or
    `family/pipeline`) is not offered."""

    families: Table[Table[FmhaTable]] = field(default_factory=Table)
    absent: Table[str] = field(default_factory=Table)


@dataclass(frozen=True)
class Wgmma:
    """Shapes of one warp-group matrix instruction: m and k are fixed, n is one of a list."""

    m: int
    n: tuple[int, ...]
    k: int


@dataclass(frozen=True)
class Tma:
    """Limits of the tensor memory accelerator."""

    alignment_bytes: int
    box_limit: int
    max_rank: int


@dataclass(frozen=True)
class Amx:
    """Geometry of the AMX tile registers, and the arch_prctl feature that a process requests before their first use."""

    tiles: int
    rows: int
    bytes_per_row: int
    permission: int


@dataclass(frozen=True)
class OptionalFeature:
    """An optional CPU feature of a level: what it adds and the compiler flags that enable it."""

    compiler_flags: tuple[str, ...]
    inners: Table[tuple[str, ...]] = field(default_factory=Table)
    ops_per_cycle: Table[float] = field(default_factory=Table)


@dataclass(frozen=True, kw_only=True)
class Arch:
    """The fields of every architecture. `dtypes` are the operand dtypes it computes with; `ops_per_cycle` is the peak
    (multiply and add counted as two) of one unit (compute unit, SM or core) per clock and operand dtype."""

    name: str
    kind: str
    family: str
    description: str
    dtypes: tuple[str, ...]
    ops_per_cycle: Table[float] = field(hash=False)
    parent: str | None = None

    def has_dtype(self, dtype: str) -> bool:
        """Return whether the arch computes with operands of this dtype."""
        return dtype in self.dtypes


@dataclass(frozen=True, kw_only=True)
class AmdArch(Arch):
    """A GPU that CK Tile or Triton compile for. `matrix_instructions` are the native shapes per `A_B_Acc` (m and n as
    one instruction covers them over all its blocks); a warp tile is one of them or several along k.
    `newer_than_ck_warp_tiles` are those that CK 1.2.0 headers do not dispatch yet."""

    target_family: str
    isa_version: int
    matrix_isa: str
    wave_size: int
    lds_bytes: int
    lds_banks: int
    simds_per_unit: int
    max_waves_per_simd: int
    max_vgprs_per_thread: int
    max_threads_per_block: int
    pipelines: tuple[str, ...]
    wave_maps: tuple[Tile, ...]
    matrix_instructions: Table[tuple[Tile, ...]] = field(hash=False)
    warp_tiles: Table[tuple[Tile, ...]] = field(hash=False)
    compile_definitions: tuple[str, ...] = ()
    preshuffle_warp_tiles: Table[tuple[Tile, ...]] = field(default_factory=Table, hash=False)
    newer_than_ck_warp_tiles: Table[tuple[Tile, ...]] = field(default_factory=Table, hash=False)
    withheld: Table[Withheld] = field(default_factory=Table, hash=False)
    fmha: Fmha = field(default_factory=Fmha, hash=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class NvidiaArch(Arch):
    """A CUDA compute capability. `mma` are the warp-level shapes per `A_B_Acc`; if `fp32_mma` is "tf32", the fp32
    entry is the tf32 instruction, which rounds its operands. Without `tma` there is no tensor memory accelerator."""

    compute_capability: tuple[int, int]
    ptx_target: str
    warp_size: int
    smem_per_block_bytes: int
    smem_per_sm_bytes: int
    smem_reserved_per_block_bytes: int
    registers_per_sm: int
    max_registers_per_thread: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    max_cluster_blocks: int
    async_copy: bool
    fp32_mma: str
    mma: Table[tuple[Tile, ...]] = field(hash=False)
    wgmma: Table[Wgmma] = field(default_factory=Table, hash=False)
    tma: Tma | None = None


@dataclass(frozen=True, kw_only=True)
class CpuArch(Arch):
    """A level of CPUs: those that support one set of instructions.

    `machines` are the machine names as `uname -m` prints them; an arch without any runs on every machine.
    `cpu_flags` are the required features, spelt as in /proc/cpuinfo; `level` orders the archs that one CPU can run.
    `inners` are the innermost loops of the cpu backend that it runs, each with its operand dtypes; `converted_dtypes`
    are widened to fp32 before they are multiplied. `fma_ports` is the number of vector multiplies that start per clock;
    with `broadcast_operands` one of them may read a broadcast element from memory without a register.
    """

    machines: tuple[str, ...] = ()
    level: int
    vector_bits: int
    vector_registers: int
    fma_ports: int
    has_fma: bool
    cpu_flags: tuple[str, ...]
    compiler_flags: Table[tuple[str, ...]] = field(hash=False)
    inners: Table[tuple[str, ...]] = field(hash=False)
    converted_dtypes: tuple[str, ...] = ()
    optional_features: Table[OptionalFeature] = field(default_factory=Table, hash=False)
    amx: Amx | None = None
    broadcast_operands: bool = False

    @property
    def lanes(self) -> int:
        """The number of 4-byte elements of one vector register."""
        return self.vector_bits // 32

    def runs_on(self, machine: str, cpu_flags: Iterable[str]) -> bool:
        """Return whether a CPU of `machine` with these flags runs code built for this level."""
        return self.is_for(machine) and set(cpu_flags).issuperset(self.cpu_flags)

    def is_for(self, machine: str) -> bool:
        """Return whether code for this level is code for `machine`, independent of flags."""
        return not self.machines or machine in self.machines

    def runs_code_of(self, other: CpuArch) -> bool:
        """Return whether every CPU of this level runs code built for the level `other`."""
        return set(other.machines) <= set(self.machines) and set(other.cpu_flags) <= set(self.cpu_flags)
