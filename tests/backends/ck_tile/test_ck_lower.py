"""Lowering is a pure function of the spec: complete, deterministic, and it says in C++ what the spec says."""

from __future__ import annotations

from dataclasses import replace

import jinja2
import pytest

from tilewright.arch import get_arch
from tilewright.backends.ck_tile import lower as lowering
from tilewright.backends.ck_tile.ck_revision import REFERENCE
from tilewright.backends.ck_tile.conv.request import ConvRequest
from tilewright.backends.ck_tile.conv.request import requested as conv_requested
from tilewright.backends.ck_tile.gemm import OP, preselected, preselected_kernels, preselected_names
from tilewright.backends.ck_tile.gemm.instances import instance_of, instances, prefetch_stages
from tilewright.backends.ck_tile.gemm.request import GemmRequest, requested
from tilewright.backends.ck_tile.lower import lower
from tilewright.errors import SpecError
from tilewright.model.kernel import KernelSpec

ESSENTIAL = preselected_kernels("fp16_rcr_essential", "gfx942")


@pytest.mark.parametrize("name", preselected_names())
def test_every_preselected_kernel_lowers_on_every_arch_of_its_set(name):
    for arch in dict.fromkeys(a for part in preselected(name) for a in part.archs):
        for spec in preselected_kernels(name, arch):
            source = lower(spec, REFERENCE)
            assert source == lower(replace(spec), REFERENCE)
            assert source.name.endswith(spec.digest[:8])
            assert "using namespace" not in source.header_text + source.wrapper_text
            assert source.header_text.count("static_assert") >= 8
            assert source.wrapper_text.count("template __global__ void ck_tile::kentry<") == len(source.instances)
            assert all(len(line) < 600 and not line.endswith(" ") for line in source.header_text.splitlines())


@pytest.mark.parametrize(
    ("variant", "dims"), [(v, d) for v in ("forward", "backward_data", "backward_weight") for d in (2, 3)]
)
@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_every_convolution_variant_lowers(arch, variant, dims):
    specs = conv_requested(ConvRequest(arch, variants=(variant,), dims=(dims,))).specs
    assert len(specs) > 50
    for spec in specs[::7]:
        source = lower(spec, REFERENCE)
        assert f"ConvTraits::NDimSpatial == {dims}" in source.header_text
        a = spec.algorithm
        added = any(name.endswith("_add") for name in source.instances)
        assert added == (variant == "backward_weight" and (a.two_stage or a.vector_c % 2 == 0))
        assert ("convert_weight" in source.instances) == a.two_stage


@pytest.mark.parametrize("layout", ["rcr", "rrr", "crr", "ccr", "rcc", "rrc", "crc", "ccc"])
def test_all_eight_layouts_lower(layout):
    spec = requested(GemmRequest("gfx942", layouts=(layout,))).specs[0]
    text = lower(spec, REFERENCE).header_text
    words = {"r": "RowMajor", "c": "ColumnMajor"}
    for role, letter in zip(("A", "B", "Out"), layout, strict=True):
        assert f"using Layout{role} = ck_tile::tensor_layout::gemm::{words[letter]};" in text
    assert ("DefaultGemm2DEpilogue" in text) == (layout[2] == "c")


@pytest.mark.parametrize(
    ("arch", "dtype", "words"),
    [
        ("gfx942", "fp8_fnuz", ["using A = ck_tile::fp8_t;", "CK_TILE_USE_OCP_FP8 == 0"]),
        ("gfx950", "fp8", ["using A = ck_tile::fp8_t;", "CK_TILE_USE_OCP_FP8 == 1"]),
        ("gfx950", "fp8xbf8", ["using A = ck_tile::fp8_t;", "using B = ck_tile::bf8_t;"]),
        ("gfx942", "int8", ["using Acc = ck_tile::int32_t;", "using Out = ck_tile::int32_t;"]),
        ("gfx942", "fp32", ["using A = float;"]),
        ("gfx942", "bf16", ["using Out = ck_tile::bf16_t;"]),
    ],
)
def test_dtypes_become_types_and_their_encoding_is_asserted(arch, dtype, words):
    text = lower(requested(GemmRequest(arch, datatypes=(dtype,))).specs[0], REFERENCE).header_text
    assert all(word in text for word in words)


def test_the_functor_of_a_fused_epilogue_is_ours():
    found = {s.signature.activation: s for s in preselected_kernels("fp16_rcr_multi_d", "gfx942")}
    text = lower(found["gelu_tanh"], REFERENCE).header_text
    assert "tilewright_ck::Fused<tilewright_ck::Combine::add, tilewright_ck::Activation::gelu_tanh>" in text
    assert "using LayoutDs = ck_tile::tuple<LayoutOut" in text


def test_each_number_of_steps_has_exactly_one_kernel():
    for spec in (*ESSENTIAL, *preselected_kernels("fp16_rcr_preshuffle", "gfx942")):
        a = spec.algorithm
        named = {i.name for i in instances(spec)}
        for steps in range(1, 40):
            chosen = instance_of(spec, steps * a.tile_k)
            assert chosen.name in named
            assert chosen.name.endswith("_set")
        splits = any(i.atomic for i in instances(spec))
        assert splits == (spec.signature.variant == "standard")
        if not splits:
            with pytest.raises(SpecError, match="cannot split K"):
                instance_of(spec, 4096, 2)


def test_the_memory_pipeline_loads_further_ahead_for_small_tiles():
    small = {s.algorithm.tile: s for s in preselected_kernels("fp16_rcr_memory", "gfx942")}
    stages = {tile: prefetch_stages(s.algorithm, s.signature, get_arch("gfx942")) for tile, s in small.items()}
    assert stages[32, 64, 64] == 3  # 12,288 bytes a step, 32,768 in flight
    assert stages[16, 32, 32] == 3  # one wave: four blocks share the bytes in flight
    assert stages[32, 128, 64] == 2


def test_a_template_that_names_an_unknown_value_is_an_error():
    environment = lowering._environment()
    assert environment.undefined is jinja2.StrictUndefined
    with pytest.raises(SpecError, match="cannot hold Undefined"):
        environment.from_string("{{ surely_not }}").render()


def test_kernels_of_other_backends_and_ops_are_refused():
    spec = ESSENTIAL[0]
    with pytest.raises(SpecError, match="not of ck_tile"):
        lower(replace(spec, backend="cpu"), REFERENCE)
    with pytest.raises(SpecError, match="no code for the op 'softmax'"):
        lower(KernelSpec("softmax", "ck_tile", "gfx942", spec.signature, spec.algorithm), REFERENCE)


def test_requests_count_what_rules_removed_and_are_legal():
    found = requested(GemmRequest("gfx942", datatypes=("fp16", "bf16"), variants=("standard", "preshuffle", "multi_d")))
    assert {s.signature.variant for s in found.specs} == {"standard", "preshuffle", "multi_d"}
    assert sum(found.counts().values()) >= len(found.rejected) > 0
    for spec in found.specs[::29]:
        assert OP.check(spec, get_arch("gfx942")) == ()
    wider = requested(GemmRequest("gfx942", space="open"))
    assert len(wider.specs) > len(requested(GemmRequest("gfx942")).specs)
