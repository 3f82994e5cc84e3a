"""Which kernels an audit of the ck_tile rules compiles: inside the rules, and just outside each."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

from tilewright.arch import default_catalog, get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.conv.implicit import MAPPINGS
from tilewright.backends.ck_tile.conv.request import ConvRequest
from tilewright.backends.ck_tile.conv.request import requested as requested_convs
from tilewright.backends.ck_tile.conv.rules import turned_vector
from tilewright.backends.ck_tile.conv.sets import DTYPES as CONV_DTYPES
from tilewright.backends.ck_tile.conv.sets import LAYOUTS as CONV_DIMS
from tilewright.backends.ck_tile.fmha.request import FmhaRequest
from tilewright.backends.ck_tile.fmha.request import requested as requested_fmhas
from tilewright.backends.ck_tile.gemm import preselected_kernels, preselected_names
from tilewright.backends.ck_tile.gemm.algorithm import EMITTED, CkTileGemm
from tilewright.backends.ck_tile.gemm.geometry import WIDEST_BYTES, element_bytes, preshuffle_format
from tilewright.errors import ArchError, TilewrightError
from tilewright.model.kernel import KernelSpec
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.ops.gemm.signature import GemmSignature

ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
OPS = ("gemm", "conv", "fmha")
SIDES = ("inside", "outside")
LAYOUTS = ("rcr", "rrr", "crr", "ccr", "rcc", "crc")
BASES = 40  # legal kernels of an arch and op whose neighbours are looked at
FMHA_HDIMS = (64, 128)
OUTPUTS = ("fp32", "fp16", "bf16", "fp8", "fp8_fnuz", "bf8", "bf8_fnuz", "int32")
TRAITS = {
    "mem": {"scheduler": "interwave"},
    "compv4": {"double_smem_buffer": True},
    "comp_async": {"double_smem_buffer": True},
    "compv5": {"num_wave_groups": 2},
    "preshufflev2": {"double_smem_buffer": True},
}


@dataclass(frozen=True)
class Case:
    """One kernel to compile: `side` is inside or outside, `rule` the one that refuses it."""

    spec: KernelSpec
    side: str
    rule: str = ""

    @property
    def key(self) -> str:
        """What a result is found by."""
        return self.spec.digest

    def stratum(self) -> dict[str, str]:
        """What the case stands for; "layout" is the direction of a convolution and the family of an attention."""
        s, a = self.spec.signature, self.spec.algorithm
        if self.spec.op == "gemm":
            dtypes, layout = s.dtype_key, s.layout
        elif self.spec.op == "conv":
            dtypes, layout = "_".join(s.dtype_read), f"{s.direction}_{s.layout}"
        else:
            dtypes, layout = s.dtype, f"{s.family}_{a.stage}_{s.hdim_q}"
        found = {"op": self.spec.op, "arch": self.spec.arch, "dtypes": dtypes, "layout": layout}
        return {**found, "pipeline": str(getattr(a, "pipeline", ""))}


def order(text: str) -> str:
    """A fixed shuffle, so that every first part of the work is spread over everything."""
    return hashlib.sha256(text.encode()).hexdigest()


def signatures(arch: Any, layouts: Iterable[str], preshuffle: bool) -> Iterator[tuple[GemmSignature, Any]]:
    """Each signature of the arch with each of its warp tiles."""
    table = arch.preshuffle_warp_tiles if preshuffle else arch.warp_tiles
    for combination in default_catalog().dtype_combinations.values():
        out = "int32" if combination.acc == "int32" else combination.a if combination.a in ("bf16", "fp32") else "fp16"
        for tile in table.get(combination.key, ()):
            for layout in ("rcr",) if preshuffle else layouts:
                sig = GemmSignature(combination.a, combination.b, combination.acc, out, layout)
                yield sig, tile


def legal_gemms(arch_name: str) -> Iterator[KernelSpec]:
    """A small legal kernel for every dtype, pipeline, layout and warp tile of an arch."""
    arch: Any = get_arch(arch_name)
    op = get_backend_op("ck_tile", "gemm")
    for pipeline in EMITTED:
        for signature, tile in signatures(arch, LAYOUTS, pipeline == "preshufflev2"):
            legal = (s for s in small_gemms(arch, signature, tile, pipeline) if not op.check(s, arch))
            yield from islice(legal, 1)


def small_gemms(arch: Any, signature: GemmSignature, warp_tile: Any, pipeline: str) -> Iterator[KernelSpec]:
    """Kernels with few repeats of the warp tile, cheapest first."""
    wm, wn, wk = warp_tile
    for grow, deep in ((1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 2)):
        for m, n, k in ((1, 1, 2),) if pipeline == "compv5" else arch.wave_maps:
            shape = (m * wm * grow, n * wn * grow, k * wk * deep, m, n, k, wm, wn, wk)
            epilogue = "default" if signature.layout[2] == "c" or pipeline == "comp_async" else "cshuffle"
            a = CkTileGemm(*shape, pipeline=pipeline, epilogue=epilogue, **TRAITS.get(pipeline, {}))
            if pipeline == "preshufflev2":
                signature = replace(signature, b_format=preshuffle_format(a, signature.dtype_b, arch.wave_size))
            yield KernelSpec("gemm", "ck_tile", arch.name, signature, a)


def cost(spec: KernelSpec) -> tuple[int, str]:
    """How long a compile may take: code grows with what one wave computes."""
    a = spec.algorithm
    if hasattr(a, "tile_k"):
        return (a.tile_m * a.tile_n * a.tile_k // (a.waves_m * a.waves_n), order(spec.digest))
    return (a.tile_m0 * max(1, a.tile_n0) * max(a.tile_k0max, a.tile_n1) // max(1, a.waves0_m), order(spec.digest))


def legal_convs(arch: str) -> Iterator[KernelSpec]:
    """Every legal convolution of the shipped sets."""
    yield from requested_convs(ConvRequest(arch, tuple(CONV_DTYPES), tuple(DIRECTIONS), tuple(CONV_DIMS))).specs


def legal_fmhas(arch: str) -> Iterator[KernelSpec]:
    """The attention kernels of the default receipt with two head widths; none where the arch has no tables."""
    with contextlib.suppress(TilewrightError):
        yield from requested_fmhas(FmhaRequest(arch, ("all",), hdims=FMHA_HDIMS)).specs


LEGAL: dict[str, Callable[[str], Iterator[KernelSpec]]] = {
    "gemm": legal_gemms, "conv": legal_convs, "fmha": legal_fmhas
}  # fmt: skip


def outside(specs: list[KernelSpec], per_rule: int) -> list[Case]:
    """Legal kernels with one field changed so that one rule alone refuses them; some per arch, rule and field."""
    found: dict[tuple[str, str, str], list[Case]] = {}
    for spec in sorted(specs, key=lambda s: order(s.digest))[:BASES]:
        op = get_backend_op("ck_tile", spec.op)
        for neighbour, field in neighbours(spec, op):
            rejections = op.check(neighbour, get_arch(spec.arch))
            if len(rejections) == 1:
                rule = rejections[0].rule
                found.setdefault((spec.arch, rule, field), []).append(Case(neighbour, "outside", rule))
    chosen: list[Case] = []
    for _, cases in sorted(found.items()):
        chosen += sorted(cases, key=lambda c: cost(c.spec))[:per_rule]
    return chosen


def just_inside(specs: list[KernelSpec]) -> list[Case]:
    """Legal kernels with one field changed that stay legal and show an edge: the cheapest of each edge of an arch."""
    found: dict[tuple[Any, ...], Case] = {}
    for spec in sorted(specs, key=lambda s: order(s.digest))[:BASES]:
        op, arch = get_backend_op("ck_tile", spec.op), get_arch(spec.arch)
        for neighbour, field in neighbours(spec, op):
            shown = edge(neighbour, field)
            if shown and not op.check(neighbour, arch):
                case = Case(neighbour, "inside")
                found[shown] = min(found.get(shown, case), case, key=lambda c: cost(c.spec))
    return [found[shown] for shown in sorted(found, key=str)]


def edge(spec: KernelSpec, field: str) -> tuple[Any, ...]:
    """Where rules and compiler may part: a conversion of sums, wide vectors, vectors that CK does not turn in."""
    s, a, arch = spec.signature, spec.algorithm, get_arch(spec.arch)
    if field == "dtype_out":
        return (s.dtype_acc, s.dtype_out, a.epilogue)
    if spec.op != "conv":
        return ()
    if field in ("stored", "dtypes"):
        tensors = {role: s.dtype(getattr(MAPPINGS[s.direction], role)) for role in ("a", "b", "c")}
        bytes_ = {role: getattr(a, f"vector_{role}") * element_bytes(dtype) for role, dtype in tensors.items()}
        wide = tuple(role for role, size in bytes_.items() if size > WIDEST_BYTES)
        return (s.direction, field, *wide)
    if a.two_stage and a.vector_c * element_bytes(s.dtype_acc) > WIDEST_BYTES:
        return (s.direction, "added", a.vector_c)
    vectors = {role: (getattr(a, f"vector_{role}"), turned_vector(a, s, arch, role)) for role in ("a", "b")}
    other = tuple((role, *pair) for role, pair in vectors.items() if pair[1] not in (None, pair[0]))
    return (s.direction, *other) if other else ()


def in_turn(cases: Iterable[Case]) -> list[Case]:
    """One case of every rule, then a second one of each, and so on."""
    seen: dict[str, int] = {}
    turns = []
    for case in sorted(cases, key=lambda c: order(c.key)):
        turns.append((seen.setdefault(case.rule, 0), case))
        seen[case.rule] += 1
    return [case for _, case in sorted(turns, key=lambda t: t[0])]


def neighbours(spec: KernelSpec, op: Any) -> Iterator[tuple[KernelSpec, str]]:
    """The spec with one tunable, the layout, the output or the width of all dtypes changed."""
    for tunable in op.tunables():
        for value in tunable.choices:
            if value != getattr(spec.algorithm, tunable.name):
                with contextlib.suppress(TilewrightError):  # a value that is no kernel at all
                    yield spec.with_algorithm(**{tunable.name: value}), tunable.name
    if spec.op == "conv":
        stored, roles = MAPPINGS[spec.signature.direction].c, ("input", "weight", "output")
        for name, wide in (("stored", (stored,)), ("dtypes", roles)):
            dtypes = {f"dtype_{role}": "fp32" for role in wide}
            yield replace(spec, signature=replace(spec.signature, **dtypes)), name
    if spec.op != "gemm":
        return
    for name, values in (("layout", LAYOUTS), ("dtype_out", OUTPUTS)):
        for value in values:
            if value != getattr(spec.signature, name):
                yield replace(spec, signature=replace(spec.signature, **{name: value})), name


def preselected(arch: str) -> list[Case]:
    """Every kernel of the preselected sets on an arch, the cheapest first."""
    found: dict[str, KernelSpec] = {}
    for name in preselected_names():
        with contextlib.suppress(ArchError):  # a set that does not claim this arch
            found.update((s.digest, s) for s in preselected_kernels(name, arch))
    return [Case(spec, "inside") for spec in sorted(found.values(), key=cost)]


def spread(specs: list[KernelSpec]) -> list[Case]:
    """Small kernels that together show every pair of dtypes, pipeline and layout, and every warp tile of each dtype.

    Those that show a new pair of dtypes and pipeline come first.
    """
    seen: set[tuple[str, ...]] = set()
    rounds: tuple[list[Case], list[Case]] = ([], [])
    for spec in sorted(specs, key=cost):
        case = Case(spec, "inside")
        x = case.stratum()
        tile = str(getattr(spec.algorithm, "warp_tile", getattr(spec.algorithm, "warp_tiles", "")))
        main = ("main", x["dtypes"], x["pipeline"])
        others = {(x["pipeline"], x["layout"]), (x["dtypes"], x["layout"]), (x["dtypes"], "tile", tile)}
        if main not in seen:
            rounds[0].append(case)
        elif others - seen:
            rounds[1].append(case)
        else:
            continue
        seen |= {main, *others}
    return [*rounds[0], *rounds[1]]


def cases(archs: Iterable[str], ops: Iterable[str], per_rule: int) -> list[Case]:
    """All of the work, taken in turn from each arch, op and kind of case; equal kernels once."""
    queues: list[list[Case]] = []
    ops = list(ops)
    for arch in archs:
        for op in ops:
            legal = list(LEGAL[op](arch))
            queues += [in_turn(outside(legal, per_rule)), spread(legal), just_inside(legal)]
        if "gemm" in ops:
            queues.append(preselected(arch))
    turns = (case for turn in zip_longest(*queues) for case in turn if case is not None)
    return list({case.key: case for case in turns}.values())
