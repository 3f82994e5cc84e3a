"""`check` finds what is wrong in corrupted copies of the file, and says where and what the limit is."""

from __future__ import annotations

import copy
import json

import pytest

from tilewright.arch import check
from tilewright.arch.catalog import SPECS, build_catalog, read_document
from tilewright.errors import ArchError

SHIPPED = read_document(SPECS)


def put(path, value):
    """A corruption: set the field at the dotted `path`; the value `...` removes it."""

    def corrupt(document):
        *parents, last = path.split(".")
        place = document
        for name in parents:
            place = place[int(name)] if isinstance(place, list) else place[name]
        last = int(last) if isinstance(place, list) else last
        if value is ...:
            del place[last]
        else:
            place[last] = value

    return corrupt


FP16 = "warp_tiles.fp16_fp16_fp32"
TILE = "fmha_tables.cdna_half_fwd.tiles.1"

CORRUPTIONS = [
    # structure
    (put("archs.gfx942.parent", "gfx90aa"), "archs.gfx942: unknown parent 'gfx90aa'; did you mean 'gfx90a'?"),
    (put("archs.gfx908.parent", "gfx950"), "its parents form a circle"),
    (put("archs.gfx941", {"parent": "gfx94l"}), "unknown parent 'gfx94l'; did you mean 'gfx942'?"),
    (put("archs.gfx942/x", {"parent": "gfx942", "description": "x"}), "archs.gfx942/x: a name consists of at most 64"),
    (put("archs.-gfx942", {"parent": "gfx942", "description": "x"}), "archs.-gfx942: a name consists of at most 64"),
    (put("archs.gfx942.kind", "nvidia"), "kind 'nvidia' differs from 'amd' of its parent gfx90a"),
    (put("archs.gfx908.kind", "intel"), "kind 'intel' is not one of amd, nvidia, x86, arm, generic"),
    (put("archs.gfx908.wave_size", ...), "field 'wave_size' is missing"),
    (put("archs.gfx908.wave_size", "64"), "archs.gfx908.wave_size: need a whole number >= 0, got '64'"),
    (put("archs.gfx908.wave_size", True), "archs.gfx908.wave_size: need a whole number >= 0, got True"),
    (put("archs.gfx908.lds_bytes", -1), "need a whole number >= 0, got -1"),
    (put("archs.gfx908.lds_bytes", 1 << 61), "need a whole number <= 1,152,921,504,606,846,976"),
    (put("archs.gfx908.wave_maps", [[1, 1 << 61, 1]]), "need a whole number <= 1,152,921,504,606,846,976"),
    (put("archs.gfx908.ops_per_cycle.fp16", 1e300), "ops_per_cycle.fp16: need a number <= 1,152,921,504,606,846,976"),
    (put("archs.gfx908.ops_per_cycle.fp16", 1e15), "got 1000000000000000.0; it must be > 0 and at most 1,000,000,000"),
    (put("archs.gfx908.ops_per_cycle.fp16", 0), "ops_per_cycle.fp16: got 0; it must be > 0"),
    (put("devices.MI100.clock_mhz", 1e12), "devices.MI100.clock_mhz: got 1000000000000.0; it must be between 0"),
    (put("devices.MI100.bandwidth_gbps", 1e17), "devices.MI100.bandwidth_gbps: got 1e+17; it must be between 0"),
    (put("archs.gfx908.lds_byte", 1), "unknown field 'lds_byte'; did you mean 'lds_bytes'?"),
    (put("archs.gfx908", []), "archs.gfx908: need an object"),
    (put("archs.gfx908.wave_maps", [[1, 4]]), "wave_maps[0]: need a list of 3"),
    (put("archs.gfx908.warp_tiles", []), "archs.gfx908.warp_tiles: need an object"),
    (put(f"archs.gfx908.{FP16}", [[32, 32, "8"]]), "fp16_fp16_fp32[0][2]: need a whole number"),
    (put("archs.sm_80.async_copy", 1), "async_copy: need true or false"),
    (put("archs.sm_90.tma", {"alignment_bytes": 16}), "field 'box_limit' is missing"),
    (put("archs.gfx942.fmha.families.fwd.fp8_fnuz", "cdna_fp9_fwd"), "did you mean 'cdna_fp8_fwd'?"),
    (put(f"{TILE}.pipeline", "qr"), "fmha_tables.cdna_half_fwd.tiles[1]: unknown field 'pipeline'; did you mean"),
    (put("fmha_tables", []), "fmha_tables: need an object"),
    (put("archs", 3), "archs: need an object"),
    (put("epilogues", ...), "document: field 'epilogues' is missing"),
    (put("devices.MI100.source", ...), "devices.MI100: need an object with a text field 'source'"),
    (put("devices.MI100.unit", 120), "unknown field 'unit'; did you mean 'units'?"),
    # contradictions
    (put("archs.gfx908.dtypes", ["fp32", "bf166"]), "unknown dtype 'bf166'; did you mean 'bf16'?"),
    (put("archs.gfx908.dtypes", ["fp32", "fp32"]), "archs.gfx908.dtypes: fp32 is listed twice"),
    (put("archs.gfx942.ops_per_cycle", {"fp8": 1}), "ops_per_cycle: unknown dtype 'fp8'"),
    (put("archs.gfx908.lds_bytes", 0), "archs.gfx908.lds_bytes: got 0; it must be > 0"),
    (put("archs.gfx908.pipelines", ["memm"]), "unknown pipeline 'memm'; did you mean 'mem'?"),
    (put("archs.gfx908.pipelines", ["preshufflev2"]), "pre-shuffle pipelines ['preshufflev2'] do not match 0"),
    (put("archs.gfx908.wave_maps", [[1, 4, 1], [1, 4, 1]]), "wave_maps: 1x4x1 is listed twice"),
    (put("archs.gfx908.wave_maps", []), "wave_maps: is empty"),
    (put("archs.gfx908.wave_maps", [[8, 4, 1]]), "8x4x1 is 32 waves; a block has 1 to 16"),
    (put("archs.gfx908.max_threads_per_block", 128), "2x2x1 is 256 threads; a block has at most 128"),
    (put(f"archs.gfx908.{FP16}", [[32, 32, 8], [32, 32, 8]]), f"archs.gfx908.{FP16}: 32x32x8 is listed twice"),
    (
        put(f"archs.gfx908.{FP16}", [[32, 32, 12]]),
        "32x32x12 is not a multiple along k of a matrix instruction (32x32x8",
    ),
    (put(f"archs.gfx908.{FP16}", [[24, 32, 8]]), "24x32x8 is not a multiple along k"),
    (put(f"archs.gfx908.{FP16}", [[0, 32, 8]]), "0x32x8 has an extent of 0"),
    (put("archs.gfx90a.warp_tiles.fp8_fp8_fp32", [[32, 32, 16]]), "gfx90a does not list fp8 among its dtypes"),
    (put("archs.gfx908.warp_tiles.fp16_fp16", [[32, 32, 8]]), "unknown dtype key 'fp16_fp16'; did you mean"),
    (put("archs.gfx908.warp_tiles.int8_int8_int32", [[32, 32, 16]]), "32x32x16 is offered and withheld at once"),
    (put("archs.gfx908.newer_than_ck_warp_tiles", {"fp16_fp16_fp32": [[32, 32, 64]]}), "is in no warp-tile table"),
    (put("archs.gfx1100.fmha.absent", {"bwd": "x"}), "batch_prefill is missing"),
    (put("archs.gfx1100.fmha.families.bwdd", {}), "unknown family 'bwdd'; did you mean 'bwd'?"),
    (put("archs.gfx1200.fmha.absent.fwd", "x"), "archs.gfx1200.fmha.fwd: is offered and absent at once"),
    (put("archs.gfx1100.fmha.families.fwd.fp8", "rdna4_fp8_fwd"), "fmha.fwd: unknown dtype 'fp8'"),
    (put(f"{TILE}.block", [96, 64, 32, 64, 32, 64]), "96x64x32 is not a multiple of waves x warp tile (128x32x16)"),
    (put(f"{TILE}.block", [128, 64, 32, 64]), "need 6 block extents"),
    (put(f"{TILE}.block", [128, 64, 32, 32, 32, 64]), "do not cover hdim 64x64"),
    (put(f"{TILE}.waves", [[4, 1, 1]]), "need waves for 2 products and 2 warp tiles"),
    (put(f"{TILE}.waves", [[4, 8, 1], [4, 1, 1]]), "waves 4x8x1 are 2048 threads; a block has 1 to 1024"),
    (put(f"{TILE}.warp_tiles", [[32, 32, 12], [32, 32, 16]]), "32x32x12 is not a multiple along k"),
    (put(f"{TILE}.pipelines", []), "names no pipeline"),
    (put(f"{TILE}.pipelines", ["qr_asink"]), "unknown pipeline 'qr_asink'; did you mean 'qr_async'?"),
    (put("fmha_tables.cdna_half_fwd.pipelines.qx", {}), "no tile runs in qx"),
    (
        put("archs.sm_80.smem_per_block_bytes", 167936),
        "shared memory per block (167936 B and 1024 B reserved) > per SM",
    ),
    (put("archs.sm_80.mma.fp8_fp8_fp32", [[16, 8, 32]]), "sm_80 does not list fp8"),
    (put("archs.x86_64_v3.vector_bits", 384), "vector_bits: got 384; the header library has 128, 256 and 512"),
    (put("archs.x86_64_v3.inners.fma", ["fp32", "pk_fp4"]), "inners.fma: unknown dtype 'pk_fp4'"),
    (put("archs.x86_64_amx.amx", ...), "has an amx inner loop but no amx tile geometry"),
    (put("archs.generic.cpu_flags", ["sse2"]), "needs CPU flags but names no machine"),
    (put("archs.x86_64_v4.cpu_flags", ["avx512f"]), "of its parent x86_64_v3, whose code it must run"),
    (
        put("archs.x86_64_v4.optional_features.fma", {"compiler_flags": []}),
        "optional_features.fma: is already required",
    ),
    (put("pipelines.mem.lds_fraction", 1.5), "pipelines.mem: lds_fraction 1.5 is not in (0, 1]"),
    (put("unsupported_traits.0", ["compv3", "cshuffle", "interwav"]), "unknown scheduler 'interwav'; did you mean"),
    (put("dtype_combinations.1.acc", "fp31"), "unknown dtype 'fp31'; did you mean 'fp32'?"),
    (
        put("dtype_combinations.1", {"a": "fp32", "b": "fp32", "acc": "fp32"}),
        "dtype_combinations: fp32_fp32 is listed twice",
    ),
    (put("devices.MI100.arch", "gfx9088"), "devices.MI100: unknown arch 'gfx9088'; did you mean 'gfx908'?"),
    (put("devices.MI100.units", 0), "devices.MI100.units: got 0; it must be > 0"),
]


@pytest.mark.parametrize(("corrupt", "says"), CORRUPTIONS, ids=[says[:60] for _, says in CORRUPTIONS])
def test_a_corrupted_copy_is_found_out(corrupt, says, tmp_path):
    document = copy.deepcopy(SHIPPED)
    corrupt(document)
    path = tmp_path / "specs.json"
    path.write_text(json.dumps(document))
    problems = check(base=path)
    assert any(says in problem for problem in problems), problems


def test_an_untouched_copy_is_sound(tmp_path):
    path = tmp_path / "specs.json"
    path.write_text(json.dumps(SHIPPED))
    assert check(base=path) == []


def test_loading_a_broken_structure_names_every_mistake():
    document = copy.deepcopy(SHIPPED)
    put("archs.sm_80.warp_size", "32")(document)
    put("archs.gfx908.wave_size", ...)(document)
    with pytest.raises(ArchError) as caught:
        build_catalog(document)
    assert "sm_80.warp_size" in str(caught.value)
    assert "gfx908: field 'wave_size' is missing" in str(caught.value)
    assert "Fix:" in str(caught.value)


def test_a_broken_attention_table_is_an_error_where_it_is_used():
    document = copy.deepcopy(SHIPPED)
    put(f"{TILE}.hdim", [64])(document)
    families = build_catalog(document)["gfx942"].fmha.families
    with pytest.raises(ArchError, match=r"cdna_half_fwd\.tiles\[1\]\.hdim: need a list of 2"):
        families["fwd"]["fp16"]


def test_a_mistake_of_a_parent_is_told_once():
    document = copy.deepcopy(SHIPPED)
    put("archs.gfx90a.parent", "gfx9088")(document)
    with pytest.raises(ArchError) as caught:
        build_catalog(document)
    assert str(caught.value).count("unknown parent") == 1


def test_check_reads_an_overlay_too(tmp_path, monkeypatch):
    path = tmp_path / "more.json"
    path.write_text('{"schema_version": 1, "archs": {"gfx942": {"wave_maps": []}}}')
    assert any("wave_maps: is empty" in problem for problem in check(path))
    monkeypatch.setenv("TILEWRIGHT_ARCH_FILE", str(path))
    assert check() == check(path)
