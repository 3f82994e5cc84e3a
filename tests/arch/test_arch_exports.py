"""The static copies say exactly what the JSON says: every table and every query, in Python, C++ and JSON."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from tilewright import arch as facts
from tilewright.arch.catalog import build_catalog
from tilewright.cli.app import run
from tilewright.errors import ArchError
from tilewright.jit.compiler import find_compiler
from tilewright.model.arch import FMHA_FAMILIES
from tilewright.model.dtype import DTYPES

CATALOG = facts.load_archs()
ARCHS = facts.get_supported_archs()
AMD = facts.get_supported_archs("amd")
KEYS = sorted(CATALOG.dtype_keys)
TRAITS = [*itertools.product(CATALOG.pipelines, CATALOG.epilogues, CATALOG.schedulers)]


def lists(value):
    """Tuples as lists, as the exports have them."""
    return [lists(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    """The exported module, executed without anything of tilewright in its namespace."""
    namespace: dict = {"__name__": "exported"}
    exec(compile(facts.export("python"), "arch_specs.py", "exec"), namespace)
    return namespace


def test_the_python_export_needs_no_tilewright(tmp_path):
    path = tmp_path / "exported_archs.py"
    path.write_text(facts.export("python"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import exported_archs as e; "
        "assert not any(m.startswith('tilewright') for m in sys.modules); print(e.get_lds_limit('compv4', 'gfx950'))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "81920"


def test_every_query_of_the_python_export_answers_as_ours(module):
    assert module["get_supported_archs"]() == [*ARCHS]
    for arch in ARCHS:
        assert module["get_arch_family"](arch) == facts.get_arch_family(arch)
    for arch in (*AMD, "sm_80", "sm_90"):
        assert module["get_wave_size"](arch) == facts.get_wave_size(arch)
    for dtype in DTYPES:
        assert module["get_element_size"](dtype) == facts.get_element_size(dtype)
    for arch in AMD:
        assert module["get_wave_maps"](arch) == lists(facts.get_wave_maps(arch))
        for pipeline in CATALOG.pipelines:
            assert module["get_lds_limit"](pipeline, arch) == facts.get_lds_limit(pipeline, arch)
    assert module["get_warp_configs"] is module["get_wave_maps"]
    assert module["get_preshuffle_pipelines"]() == [*facts.get_preshuffle_pipelines()]
    assert module["get_valid_dtype_combos"]() == [*facts.get_valid_dtype_combos()]


@pytest.mark.parametrize("query", ["get_warp_tile_combos", "get_preshuffle_warp_tile_combos"])
def test_warp_tiles_of_the_python_export(query, module):
    for arch, key in itertools.product(AMD, KEYS):
        assert module[query](arch, key) == lists(getattr(facts, query)(arch, key))


def test_traits_and_dtypes_of_the_python_export(module):
    for traits in TRAITS:
        assert module["is_trait_combo_unsupported"](*traits) == facts.is_trait_combo_unsupported(*traits)
    for a, b in itertools.product(DTYPES, DTYPES):
        valid = facts.is_dtype_combo_valid(a, b)
        assert module["is_dtype_combo_valid"](a, b) == valid
        if valid:
            ours = facts.get_dtype_info(a, b)
            assert module["get_dtype_info"](a, b) == {"acc": ours.acc, "key": ours.key, "notes": ours.note}
        else:
            with pytest.raises(module["UnknownNameError"]):
                module["get_dtype_info"](a, b)


def test_attention_tiles_of_the_python_export(module):
    for arch, family, dtype in itertools.product(AMD, FMHA_FAMILIES, DTYPES):
        ours = [asdict(tile) for tile in facts.get_fmha_tiles(arch, family, dtype)]
        theirs = module["get_fmha_tiles"](arch, family, dtype)
        assert len(theirs) == len(ours)
        for their, our in zip(theirs, ours, strict=True):
            assert all(lists(our[field]) == value for field, value in their.items())


@pytest.mark.parametrize(
    ("ask", "near"),
    [
        (lambda m: m["get_arch_family"]("gfx9422"), "gfx942"),
        (lambda m: m["get_element_size"]("fp166"), "fp16"),
        (lambda m: m["get_warp_tile_combos"]("gfx942", "fp16_fp16"), "fp16_fp16_fp32"),
        (lambda m: m["get_lds_limit"]("compv33", "gfx942"), "compv3"),
        (lambda m: m["is_trait_combo_unsupported"]("mem", "cshufle", "default"), "cshuffle"),
        (lambda m: m["get_wave_maps"]("sm_90"), None),
    ],
)
def test_the_python_export_has_no_defaults_for_unknown_names(ask, near, module):
    with pytest.raises(module["UnknownNameError"], match=f"did you mean '{near}'" if near else "unknown AMD arch"):
        ask(module)


def test_the_python_export_has_the_names_of_cks_dispatcher(module):
    assert module["ARCH_FAMILY_MAP"]["gfx942"] == "cdna3"
    assert module["ELEMENT_SIZE_MAP"]["fp16"] == 2
    assert [2, 2, 1] in module["WARP_SUPPORTED_COMBINATIONS"]["gfx942"]
    assert [32, 32, 16] in module["WARP_TILE_SUPPORTED_COMBINATIONS"]["gfx942"]["fp16_fp16_fp32"]
    assert "gfx950" in module["PRESHUFFLE_WARP_TILE_SUPPORTED_COMBINATIONS"]
    assert module["LDS_CAPACITY_LIMITS"]["compv4"] == 32768 == module["get_lds_limit"]("compv4")
    assert module["LDS_CAPACITY_LIMITS"]["default"] == 65536
    assert ("compv3", "cshuffle", "interwave") in module["TRAIT_UNSUPPORTED_COMBINATIONS"]
    assert module["PRESHUFFLE_PIPELINES"] == ["preshufflev2"] or "preshufflev2" in module["PRESHUFFLE_PIPELINES"]


def test_the_python_export_ignores_case(module):
    assert module["get_arch_family"]("GFX942") == "cdna3"
    assert module["get_element_size"]("FP16") == 2
    assert module["get_warp_tile_combos"]("Gfx942", "FP16_FP16_FP32") == module["get_warp_tile_combos"](
        "gfx942", "fp16_fp16_fp32"
    )
    assert module["is_trait_combo_unsupported"]("CompV3", "CShuffle", "Interwave")
    assert module["get_dtype_info"]("FP16", "fp16")["acc"] == "fp32"


def test_the_python_export_has_cks_defaults_on_request():
    namespace: dict = {"__name__": "exported"}
    exec(compile(facts.export("python"), "arch_specs.py", "exec"), namespace)
    namespace["STRICT"] = False
    assert (namespace["get_arch_family"]("gfx1"), namespace["get_element_size"]("x")) == ("unknown", 2.0)
    assert namespace["get_warp_configs"]("gfx1") == namespace["get_warp_tile_combos"]("gfx1", "x") == []
    assert namespace["get_lds_limit"]("x") == 65536
    assert namespace["get_dtype_info"]("x", "y") == {"acc": "fp32", "notes": "unknown"}
    assert namespace["is_dtype_combo_valid"]("x", "y") is False


def test_the_arch_file_of_cks_dispatcher_is_refused_with_the_mapping(tmp_path):
    path = tmp_path / "arch_specs.json"
    path.write_text('{"architectures": {"gfx942": {"family": "cdna3", "warp_size": 64, "warp_configs": [[2, 2, 1]]}}}')
    with pytest.raises(ArchError, match="warp_configs -> wave_maps"):
        facts.load_archs(path)


CK_FILE = {
    "_version": "1",
    "architectures": {
        "gfx90a": {"family": "cdna2", "warp_size": 64, "lds_capacity_kb": 64, "warp_configs": [[2, 2, 1]],
                   "warp_tile_combos": {"fp16_fp16_fp32": [[32, 32, 8]], "fp8_fp8_fp32": [[32, 32, 16]]}},
        "gfx942": {"family": "cdna3", "warp_tile_combos": {"fp8_fp8_fp32": [[32, 32, 16], [16, 16, 32]]}, "vgprs": 512},
        "gfx951": {"family": "cdna4", "description": "the next one", "lds_capacity_kb": 160},
        "gfx2000": {"family": "udna"},
    },
    "preshuffle_warp_tile_combos": {"gfx942": {"bf8_bf8_fp32": [[32, 32, 16]]}},
    "element_sizes": {"fp16": 2},
}  # fmt: skip


def test_the_arch_file_of_cks_dispatcher_is_converted(tmp_path, capfd):
    (tmp_path / "arch_specs.json").write_text(json.dumps(CK_FILE))
    out = tmp_path / "mine.json"
    assert run(["arch", "convert", str(tmp_path / "arch_specs.json"), "--out", str(out)]) == 0
    told = capfd.readouterr().err
    assert "gfx90a: no tiles of fp8_fp8_fp32" in told
    assert "gfx942: not taken: vgprs" in told
    assert "gfx2000: no arch of family udna" in told
    assert "not taken: element_sizes" in told
    archs = facts.load_archs(out)
    assert archs["gfx90a"].warp_tiles["fp16_fp16_fp32"] == ((32, 32, 8),)
    assert archs["gfx942"].warp_tiles["fp8_fnuz_fp8_fnuz_fp32"] == ((32, 32, 16), (16, 16, 32))
    assert archs["gfx942"].preshuffle_warp_tiles["bf8_fnuz_bf8_fnuz_fp32"] == ((32, 32, 16),)
    assert (archs["gfx951"].parent, archs["gfx951"].lds_bytes) == ("gfx950", 160 << 10)

    assert run(["arch", "convert", str(tmp_path / "arch_specs.json"), "--json"]) == 0
    printed = capfd.readouterr()
    found = json.loads(printed.out)
    assert (found["overlay"], found["problems"], printed.err) == (json.loads(out.read_text()), [], "")
    assert all(f"note: {text}\n" in told for text in found["notes"])


def test_the_json_export_is_the_facts_with_parents_applied():
    document = json.loads(facts.export("json"))
    assert all("parent" not in entry for entry in document["archs"].values())
    again = build_catalog(document)
    assert dict(again.items()) == dict(CATALOG.items())
    assert again.digest == CATALOG.digest
    assert again.devices == CATALOG.devices


def test_exports_of_an_overlay_hold_its_archs(tmp_path):
    path = tmp_path / "more.json"
    path.write_text('{"schema_version": 1, "archs": {"gfx940": {"parent": "gfx942", "description": "x"}}}')
    for form in facts.FORMATS:
        assert "gfx940" in facts.export(form, facts.load_archs(path))


def test_exports_are_stable():
    for form in facts.FORMATS:
        assert facts.export(form) == facts.export(form)


# ---------------------------------------------------------------- C++

PROGRAM = r"""
#include "arch_specs.hpp"
#include <iostream>
using namespace tilewright::arch;

static_assert(get_arch("gfx942").wave_size == 64);
static_assert(lds_limit("compv4", "gfx950") == 81920);
static_assert(has_warp_tile("gfx950", "pk_fp4_pk_fp4_fp32", {16, 16, 128}));
static_assert(!has_warp_tile("gfx90a", "fp8_fp8_fp32", {32, 32, 16}));
static_assert(accumulator("int8", "int8") == "int32");
static_assert(element_bits("pk_fp4") == 4);
static_assert(is_trait_combo_unsupported("compv3", "default", "interwave"));

template <class F> int refuses(F f) {
  try { f(); } catch (const std::invalid_argument&) { return 1; }
  return 0;
}

int main() {
  for (const auto& a : archs)
    std::cout << "arch " << a.name << ' ' << a.kind << ' ' << a.family << ' ' << a.wave_size << ' '
              << a.local_memory_bytes << ' ' << a.max_threads_per_block << ' ' << a.vector_bits << '\n';
  for (const auto& w : wave_maps)
    std::cout << "waves " << w.arch << ' ' << w.waves.m << ' ' << w.waves.n << ' ' << w.waves.k << ' '
              << has_wave_map(w.arch, w.waves) << '\n';
  for (const auto& w : warp_tiles)
    std::cout << "tile " << w.arch << ' ' << w.dtype_key << ' ' << w.preshuffle << ' ' << w.tile.m << ' ' << w.tile.n
              << ' ' << w.tile.k << ' ' << has_warp_tile(w.arch, w.dtype_key, w.tile, w.preshuffle) << '\n';
  for (const auto& d : dtypes) std::cout << "dtype " << d.name << ' ' << element_bits(d.name) << '\n';
  for (const auto& a : dtypes)
    for (const auto& b : dtypes)
      if (is_dtype_combo_valid(a.name, b.name))
        std::cout << "pair " << a.name << ' ' << b.name << ' ' << accumulator(a.name, b.name) << '\n';
  for (const auto& p : pipelines)
    for (const auto& a : archs)
      if (a.kind == "amd") std::cout << "lds " << p.name << ' ' << a.name << ' ' << lds_limit(p.name, a.name) << '\n';
  for (const auto& p : pipelines)
    for (auto e : epilogues)
      for (auto s : schedulers)
        std::cout << "traits " << p.name << ' ' << e << ' ' << s << ' '
                  << is_trait_combo_unsupported(p.name, e, s) << '\n';
  for (const auto& t : fmha_tiles) {
    std::cout << "fmha " << t.arch << ' ' << t.family << ' ' << t.dtype << ' ' << t.hdim_q << ' ' << t.hdim_v;
    for (int i = 0; i < t.block_length; ++i) std::cout << ' ' << t.block[static_cast<std::size_t>(i)];
    std::cout << ' ' << t.pipelines << '\n';
  }
  for (const auto& d : devices)
    std::cout << "device " << d.name << ' ' << d.arch << ' ' << d.units << ' ' << d.memory_bytes << '\n';
  std::cout << "refused " << refuses([] { get_arch("gfx924"); }) + refuses([] { lds_limit("compv33", "gfx942"); }) +
                                 refuses([] { lds_limit("mem", "sm_90"); }) + refuses([] { element_bits("fp61"); }) +
                                 refuses([] { has_warp_tile("gfx942", "fp16_fp16", {1, 1, 1}); }) +
                                 refuses([] { accumulator("fp16", "fp8"); }) +
                                 refuses([] { is_trait_combo_unsupported("mem", "x", "default"); })
            << '\n';
}
"""


def expected_lines():
    for name, a in CATALOG.items():
        if a.kind == "amd":
            numbers = (a.wave_size, a.lds_bytes, a.max_threads_per_block, 0)
        elif a.kind == "nvidia":
            numbers = (a.warp_size, a.smem_per_block_bytes, a.max_threads_per_block, 0)
        else:
            numbers = (0, 0, 0, a.vector_bits)
        yield ("arch", name, a.kind, a.family, *numbers)
    for arch in AMD:
        yield from (("waves", arch, *waves, 1) for waves in facts.get_wave_maps(arch))
        for key in KEYS:
            yield from (("tile", arch, key, 0, *t, 1) for t in facts.get_warp_tile_combos(arch, key))
            yield from (("tile", arch, key, 1, *t, 1) for t in facts.get_preshuffle_warp_tile_combos(arch, key))
        for family, dtype in itertools.product(FMHA_FAMILIES, DTYPES):
            for tile in facts.get_fmha_tiles(arch, family, dtype):
                yield ("fmha", arch, family, dtype, *tile.hdim, *tile.block, ",".join(tile.pipelines))
        yield from (("lds", p, arch, facts.get_lds_limit(p, arch)) for p in CATALOG.pipelines)
    yield from (("dtype", name, dtype.bits) for name, dtype in DTYPES.items())
    for a, b in itertools.product(DTYPES, DTYPES):
        if facts.is_dtype_combo_valid(a, b):
            yield ("pair", a, b, facts.get_dtype_info(a, b).acc)
    yield from (("traits", *traits, int(facts.is_trait_combo_unsupported(*traits))) for traits in TRAITS)
    yield from (("device", d.name, d.arch, d.units, d.memory_bytes) for d in CATALOG.devices.values())
    yield ("refused", 7)


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_the_cpp_export_says_what_ours_says(standard, tmp_path):
    (tmp_path / "arch_specs.hpp").write_text(facts.export("cpp"))
    (tmp_path / "main.cpp").write_text(PROGRAM)
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", str(tmp_path)]
    built = subprocess.run(
        [*find_compiler().argv, *flags, str(tmp_path / "main.cpp"), "-o", str(tmp_path / "main")],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.splitlines()) == sorted(" ".join(map(str, line)) for line in expected_lines())


def test_an_unknown_name_in_a_constant_expression_does_not_compile(tmp_path):
    (tmp_path / "arch_specs.hpp").write_text(facts.export("cpp"))
    bad = tmp_path / "bad.cpp"
    bad.write_text('#include "arch_specs.hpp"\nconstexpr int w = tilewright::arch::get_arch("gfx924").wave_size;\n')
    command = [*find_compiler().argv, "-std=c++17", "-fsyntax-only", "-I", str(tmp_path), str(bad)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode != 0
    assert "unknown arch" in built.stderr
