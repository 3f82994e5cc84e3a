"""The facts themselves: against the public tables, against datasheets, and against each other."""

from __future__ import annotations

import itertools

import arch_upstream_tables as upstream
import pytest

from tilewright.arch import (
    check,
    get_arch,
    get_fmha_tiles,
    get_lds_limit,
    get_nominal_device,
    get_nominal_devices,
    get_preshuffle_warp_tile_combos,
    get_supported_archs,
    get_warp_tile_combos,
    get_wave_maps,
    load_archs,
    why_no_warp_tiles,
)
from tilewright.model.arch import FMHA_FAMILIES

AMD = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")
CLAIMS = [
    (table, arch, key, tile)
    for table, claims in (
        ("warp_tiles", upstream.WARP_TILES),
        ("preshuffle_warp_tiles", upstream.PRESHUFFLE_WARP_TILES),
    )
    for arch, keys in claims.items()
    for key, tiles in keys.items()
    for tile in tiles
]


def test_the_shipped_facts_are_sound():
    assert check() == []


def test_every_promised_arch_is_there():
    x86 = ("x86_64", "x86_64_v3", "x86_64_v4", "x86_64_vnni", "x86_64_amx")
    arm = ("aarch64", "aarch64_dot", "aarch64_mm", "aarch64_sve", "aarch64_sve512")
    assert get_supported_archs() == (*AMD, "sm_80", "sm_90", *x86, *arm, "generic")
    assert get_supported_archs("amd") == AMD
    assert get_supported_archs("x86") == x86
    assert get_supported_archs("arm") == arm
    assert get_supported_archs("generic") == ("generic",)


@pytest.mark.parametrize("arch", AMD)
def test_wave_maps_are_the_public_ones(arch):
    assert sorted(get_wave_maps(arch)) == sorted(upstream.WAVE_MAPS[arch])


@pytest.mark.parametrize("table", ["warp_tiles", "preshuffle_warp_tiles"])
def test_every_public_warp_tile_is_offered_or_withheld_with_a_reason(table):
    query = get_warp_tile_combos if table == "warp_tiles" else get_preshuffle_warp_tile_combos
    for _, arch, key, tile in (claim for claim in CLAIMS if claim[0] == table):
        ours = upstream.our_key(arch, key)
        if tile in query(arch, ours):
            continue
        withheld = get_arch(arch).withheld[ours]
        assert tile in getattr(withheld, table), (arch, key, tile)
        assert len(withheld.reason) > 40, "a reason says what the hardware does instead"


@pytest.mark.parametrize("table", ["warp_tiles", "preshuffle_warp_tiles"])
def test_no_warp_tile_is_offered_that_the_public_tables_lack(table):
    claimed = {(arch, upstream.our_key(arch, key), tile) for t, arch, key, tile in CLAIMS if t == table}
    offered = {(a, key, tile) for a in AMD for key, tiles in getattr(get_arch(a), table).items() for tile in tiles}
    assert offered <= claimed


def test_gfx90a_claims_no_8_bit_float():
    arch = get_arch("gfx90a")
    assert not {"fp8", "bf8", "fp8_fnuz", "bf8_fnuz"} & {*arch.dtypes}
    assert get_warp_tile_combos("gfx90a", "fp8_fp8_fp32") == ()
    assert "fp32 MFMA" in why_no_warp_tiles("gfx90a", "fp8_fp8_fp32")


@pytest.mark.parametrize(
    ("arch", "has", "lacks"),
    [("gfx950", "fp8", "fp8_fnuz"), ("gfx1201", "fp8", "fp8_fnuz")],
)
def test_each_arch_has_one_8_bit_encoding(arch, has, lacks):
    assert get_warp_tile_combos(arch, f"{has}_{has}_fp32")
    assert get_warp_tile_combos(arch, f"{lacks}_{lacks}_fp32") == ()
    assert lacks in why_no_warp_tiles(arch, f"{lacks}_{lacks}_fp32")
    assert why_no_warp_tiles(arch, f"{has}_{has}_fp32") is None


def test_fp8_of_ck_is_the_encoding_that_gfx942_has():
    own = get_warp_tile_combos("gfx942", "fp8_fnuz_fp8_fnuz_fp32")
    assert own
    assert get_warp_tile_combos("gfx942", "fp8_fp8_fp32") == own


@pytest.mark.parametrize("arch", AMD)
@pytest.mark.parametrize("pipeline", upstream.LDS_LIMITS_64K)
def test_lds_limits_are_a_fraction_of_the_lds(pipeline, arch):
    scale = 160 / 64 if arch == "gfx950" else 1
    assert get_lds_limit(pipeline, arch) == upstream.LDS_LIMITS_64K[pipeline] * scale


def test_wave_sizes():
    assert {a: get_arch(a).wave_size for a in AMD} == {a: 64 if a.startswith("gfx9") else 32 for a in AMD}


# Peak dense rates of the datasheets, in TFLOP/s or TOP/s.
DATASHEET = [
    ("MI100", "fp16", 184.6),
    ("MI100", "bf16", 92.3),
    ("MI250X-GCD", "fp16", 191.5),
    ("MI250X-GCD", "fp64", 47.9),
    ("MI300X", "fp16", 1307.4),
    ("MI300X", "fp8_fnuz", 2614.9),
    ("MI300X", "fp32", 163.4),
    ("MI355X", "bf16", 2516.6),
    ("MI355X", "pk_fp4", 10066.3),
    ("RX-7900-XTX", "fp16", 122.8),
    ("RX-9070-XT", "fp16", 194.6),
    ("A100-80GB-SXM", "fp16", 311.9),
    ("A100-80GB-SXM", "tf32", 155.9),
    ("H100-SXM", "fp16", 989.4),
    ("H200-SXM", "fp8", 1978.9),
]


@pytest.mark.parametrize(("name", "dtype", "tera"), DATASHEET)
def test_peaks_of_nominal_devices_are_those_of_the_datasheets(name, dtype, tera):
    device = get_nominal_device(name)
    assert device.nominal
    peak = device.units * device.clock_mhz * 1e6 * get_arch(device.arch).ops_per_cycle[dtype] / 1e12
    assert peak == pytest.approx(tera, rel=0.005)


def test_every_arch_has_a_nominal_device_with_a_source():
    catalog = load_archs()
    for arch in get_supported_archs():
        assert get_nominal_devices(arch), arch
    assert get_nominal_devices("x86_64_v3")[0].threads == 2
    assert all(catalog.device_sources[name] for name in catalog.devices)


def test_nvidia_shared_memory_and_tma():
    assert get_arch("sm_80").smem_per_block_bytes == 163 * 1024
    assert get_arch("sm_90").smem_per_block_bytes == 227 * 1024
    assert get_arch("sm_80").tma is None
    assert get_arch("sm_90").tma.box_limit == 256


ATTENTION = [("gfx90a", "fp16"), ("gfx942", "bf16"), ("gfx950", "fp16"), ("gfx1100", "fp16"), ("gfx1201", "bf16")]


@pytest.mark.parametrize(("arch", "dtype"), ATTENTION)
def test_attention_forward_covers_the_common_head_dimensions(arch, dtype):
    hdims = {tile.hdim for tile in get_fmha_tiles(arch, "fwd", dtype)}
    assert {(32, 32), (64, 64), (128, 128), (192, 128), (256, 256)} <= hdims


@pytest.mark.parametrize("arch", AMD)
def test_every_attention_family_is_there_or_says_why_not(arch):
    fmha = get_arch(arch).fmha
    for family in FMHA_FAMILIES:
        assert (family in fmha.families) != (family in fmha.absent)


def test_transpose_load_pipelines_are_only_on_gfx950():
    with_transpose = {
        arch
        for arch in AMD
        for by_dtype in get_arch(arch).fmha.families.values()
        for table in by_dtype.values()
        for pipeline in table.pipelines.values()
        if pipeline.transpose_load
    }
    assert with_transpose == {"gfx950"}


def test_attention_tiles_of_an_unlisted_dtype_are_empty():
    for arch, family in itertools.product(AMD, FMHA_FAMILIES):
        assert get_fmha_tiles(arch, family, "int8") == ()
