"""Rules of the kernel itself: family, stage, tile, pipeline and padding against the tables of the arch."""

from __future__ import annotations

from .....model.arch import AmdArch
from .....model.rule import Broken, broken, rule
from .....ops.fmha.problem import FmhaSubject as Subject
from ..algorithm import OWN_STAGES, STAGES, TABLED
from ..tables import COMBINE_WIDTH, ROWS_1D, plain_fields, table_of, tile_hdim, tiles_like

# What fails with the headers of CK 1.2.0, by family of archs.
WHY_NEWER = {
    "rdna3": ": there P goes from the first product to the second as it lies in registers, but gfx11 reads A in both "
    "halves of a wave (block_gemm_areg_bsmem_creg_v2.hpp, line 79, does not compile)",
}


@rule("ck_tile.fmha.family", "hardware", "the arch facts have a tile table for this family and dtype")
def _family(s: Subject) -> Broken | None:
    sig = s.signature
    if not isinstance(s.arch, AmdArch):
        return broken(f"{s.arch.name} is not an AMD arch", "use a gfx arch")
    families = s.arch.fmha.families
    if sig.family not in families:
        why = s.arch.fmha.absent.get(sig.family, "the arch facts do not have it")
        return broken(f"{sig.family} on {s.arch.name}: {why}", f"families here: {', '.join(families) or 'none'}")
    if sig.dtype not in families[sig.family]:
        known = ", ".join(families[sig.family])
        return broken(f"{sig.family} of {sig.dtype} on {s.arch.name}: no tile table", f"use one of {known}")
    return None


@rule("ck_tile.fmha.stage", "semantic", "the stage is one of its family's")
def _stage(s: Subject) -> Broken | None:
    family = s.signature.family
    stages = (*STAGES[family], *OWN_STAGES.get(family, ()))
    if s.algorithm.stage not in stages:
        return broken(f"stage {s.algorithm.stage} in {s.signature.family}", f"use one of {stages}")
    return None


@rule("ck_tile.fmha.tile", "listed", "tile, waves and warp tiles are an entry of the arch's table for this family")
def _tile(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    if table_of(s.spec.arch, sig.family, sig.dtype) is None or a.stage not in TABLED or tiles_like(s.spec):
        return None
    return broken(
        f"{a.label()} is not a tile of {sig.family} {sig.dtype} on {s.arch.name}",
        f"see `tilewright arch show {s.arch.name}`",
        waves=a.waves,
        warp_tiles=a.warp_tiles,
    )


@rule("ck_tile.fmha.plain_tile", "semantic", "combine, dot_do_o and convert_dq have one fixed shape each")
def _plain_tile(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    if a.stage in TABLED or a.stage not in STAGES[sig.family]:
        return None
    hdim = sig.hdim_q if a.stage == "convert_dq" else sig.hdim_v
    width = a.tile_n1 if a.stage == "dot_do_o" else a.tile_k0max
    want = plain_fields(a.stage, width, a.tile_n0)
    wrong = [n for n in want if n not in ("stage",) and getattr(a, n) != want[n]]
    if a.stage == "combine" and (width % COMBINE_WIDTH or width < hdim):
        return broken(f"combine of hdim {hdim} with width {width}", f"a multiple of {COMBINE_WIDTH}, at least hdim_v")
    if wrong:
        got = ", ".join(f"{n} = {getattr(a, n)} (need {want[n]})" for n in wrong)
        return broken(f"{a.stage}: {got}", f"a block has {ROWS_1D} rows and no matrix products")
    return None


@rule("ck_tile.fmha.hdim", "known-miscompile", "heads are as wide as the tile, or narrower with pad_d / pad_dv")
def _hdim(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    if a.stage in TABLED:
        tiles = tiles_like(s.spec)
        if not tiles:
            return None
        wide_q, wide_v = tile_hdim(tiles[0], sig.family)
    else:
        wide_q = a.tile_k0max if a.stage == "convert_dq" else sig.hdim_q
        wide_v = {"dot_do_o": a.tile_n1, "combine": a.tile_k0max}.get(a.stage, sig.hdim_v)
    for name, hdim, wide, padded in (("q", sig.hdim_q, wide_q, a.pad_d), ("v", sig.hdim_v, wide_v, a.pad_dv)):
        if hdim > wide:
            return broken(f"hdim_{name} {hdim} in a tile of {wide}", _wider(s, hdim))
        if hdim < wide and not padded:
            return broken(f"hdim_{name} {hdim} in a tile of {wide}", "use the tile of that width, or pad the heads")
    return None


def _wider(s: Subject, hdim: int) -> str:
    """Return which tiles pad heads of `hdim` columns, if any is wide enough."""
    table = table_of(s.spec.arch, s.signature.family, s.signature.dtype)
    known = sorted({max(tile.hdim) for tile in table.tiles}) if table else []
    wider = [str(h) for h in known if h >= hdim][:2]
    if not wider:
        return f"no tile is that wide (at most {known[-1]}): use triton" if known else "use another backend"
    return f"use a tile of {' or '.join(wider)}; it pads narrower heads"


@rule("ck_tile.fmha.pipeline", "listed", "the pipeline is one of the tile's")
def _pipeline(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.stage not in TABLED:
        return None if a.pipeline == "none" else broken(f"pipeline {a.pipeline} in {a.stage}", "use none")
    tiles = tiles_like(s.spec)
    known = sorted({p for t in tiles for p in t.pipelines})
    if tiles and a.pipeline not in known:
        why = s.arch.fmha.absent.get(f"{s.signature.family}/{a.pipeline}", "") if isinstance(s.arch, AmdArch) else ""
        return broken(f"pipeline {a.pipeline} for this tile{': ' + why if why else ''}", f"use one of {known}")
    return None


@rule("ck_tile.fmha.release", "compile", "the CK release that is supported has the tile and the pipeline")
def _release(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    table = table_of(s.spec.arch, sig.family, sig.dtype)
    if table is None:
        return None
    if a.stage not in TABLED:
        newest = [t.newer_than_ck for t in table.tiles]
        return broken(f"{sig.family} on {s.arch.name} needs headers newer than CK {newest[0]}") if all(newest) else None
    newer = table.pipelines[a.pipeline].newer_than_ck if a.pipeline in table.pipelines else None
    tiles = tiles_like(s.spec)
    if newer is None and tiles and all(t.newer_than_ck for t in tiles):
        newer = tiles[0].newer_than_ck
    if newer is None:
        return None
    why = WHY_NEWER.get(s.arch.family, "")
    return broken(
        f"{a.pipeline} {a.tile_m0}x{a.tile_n0} on {s.arch.name} needs headers newer than CK {newer}{why}",
        "use another tile, or the triton backend",
    )


@rule("ck_tile.fmha.pads", "listed", "(pad_s, pad_sk, pad_d, pad_dv) is a combination of the pipeline's")
def _pads(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    table = table_of(s.spec.arch, sig.family, sig.dtype)
    if table is None or a.stage not in TABLED or a.pipeline not in table.pipelines:
        return None
    pads = table.pipelines[a.pipeline].pads
    if pads is None or a.pads in pads:
        return None
    allowed_pads = [" ".join(n for n, on in zip(("s", "sk", "d", "dv"), p, strict=True) if on) or "none" for p in pads]
    return broken(f"padding {a.pads} with {a.pipeline}", f"it pads {' or '.join(allowed_pads)}", pads=a.pads)


# stage -> the paddings that its template does not have
NO_PADS = {
    "combine": ("pad_sk", "pad_d"),
    "dot_do_o": ("pad_sk", "pad_d"),
    "dq_dk_dv": ("pad_s", "pad_sk"),
    "convert_dq": ("pad_sk", "pad_dv"),
}


@rule("ck_tile.fmha.no_pads", "semantic", "no padding that the stage does not have: two specs would be one kernel")
def _no_pads(s: Subject) -> Broken | None:
    a = s.algorithm
    given = [name for name in NO_PADS.get(a.stage, ()) if getattr(a, name)]
    return broken(f"{' and '.join(given)} in {a.stage}", "leave them off") if given else None


@rule("ck_tile.fmha.hdim_pads", "compile", "dq_dk_dv pads both heads or none: its padding is by 8 columns")
def _hdim_pads(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.stage == "dq_dk_dv" and a.pad_d != a.pad_dv:
        return broken(f"pad_d {a.pad_d} with pad_dv {a.pad_dv}", "pad both or none")
    return None


@rule("ck_tile.fmha.short_rows", "compile", "a kernel with max_seqlen_q is for batch mode without a mask")
def _short_rows(s: Subject) -> Broken | None:
    sig, limit = s.signature, s.algorithm.max_seqlen_q
    if limit and (sig.mode == "group" or sig.mask != "none"):
        return broken(f"max_seqlen_q {limit} in {sig.mode} mode with mask {sig.mask}", "use a tile without the limit")
    return None


@rule("ck_tile.fmha.group_pads", "known-miscompile", "group mode needs pad_s, and pad_sk if the kernel reads keys")
def _group_pads(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    if sig.mode != "group" or a.stage == "dq_dk_dv":
        return None
    needs_keys = a.stage == "attend"
    if not a.pad_s or (needs_keys and not a.pad_sk):
        return broken("group mode without padding of the rows", "set pad_s and pad_sk: lengths are not known")
    return None


@rule("ck_tile.fmha.bf8_product", "compile", "bf8 in attend: warp tiles 16x16x16; CK 1.2.0 has no 32x32x32 ones")
def _bf8_product(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    large = [tile for tile in a.warp_tiles if tile[0] == 32]
    if not sig.dtype.startswith("bf8") or a.stage != "attend" or not large:
        return None
    shape = "x".join(map(str, large[0]))
    return broken(f"{sig.dtype} products of {shape} with a transposed result are not in CK 1.2.0", "use fp8 or bf16")


@rule("ck_tile.fmha.splits", "semantic", "combine: log_max_splits 3..7; no other stage has it")
def _splits(s: Subject) -> Broken | None:
    a = s.algorithm
    if (a.stage == "combine") != (a.log_max_splits in range(3, 8)):
        return broken(f"log_max_splits {a.log_max_splits} in {a.stage}", "combine takes 8 to 128 splits: 3 to 7")
    return None


@rule("ck_tile.fmha.merge_groups", "compile", "merged groups only in fwd_splitkv, hdim 128, no mask, no bias")
def _merge_groups(s: Subject) -> Broken | None:
    sig, a = s.signature, s.algorithm
    fits = sig.family == "fwd_splitkv" and sig.hdim_q == 128
    if a.merge_groups and a.stage == "attend" and not (fits and sig.mask == "none" and sig.bias == "none"):
        return broken(f"merged groups in {sig.label()}", "leave merge_groups off")
    return None


@rule("ck_tile.fmha.merging_stage", "semantic", "merge_groups only in the stage attend: two specs would be one kernel")
def _merging_stage(s: Subject) -> Broken | None:
    a = s.algorithm
    if a.merge_groups and a.stage != "attend":
        return broken(f"merged groups in the stage {a.stage}, which has none", "leave merge_groups off")
    return None


SHAPE_RULES = (
    _family, _stage, _tile, _plain_tile, _hdim, _pipeline, _release, _pads, _no_pads, _hdim_pads, _short_rows,
    _group_pads, _bf8_product, _splits, _merge_groups, _merging_stage,
)  # fmt: skip
