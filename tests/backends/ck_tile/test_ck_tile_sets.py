"""Preselected sets hold legal kernels only, and the open space is complete, accounted for and quick."""

from __future__ import annotations

import time
from dataclasses import replace
from math import prod

import pytest
from ck_tile_specs import FP16, problem_of

from tilewright.arch import get_arch, get_supported_archs
from tilewright.backends.ck_tile.gemm import OP, preselected, preselected_kernels, preselected_names
from tilewright.backends.ck_tile.gemm.space import family_of
from tilewright.backends.expansion import signatures_of
from tilewright.errors import ArchError, SpecError, UnknownNameError
from tilewright.model.arch import AmdArch
from tilewright.model.kernel_set import KernelSet, expand, listed
from tilewright.ops.gemm.signature import GemmSignature

NAMES = {
    *(f"fp16_rcr_{n}" for n in ("compute", "memory", "latency", "multi_d", "preshuffle", "all", "essential")),
    *(f"{d}_rcr_essential" for d in ("bf16", "int8", "fp8")),
    "mixed_precision",
}


def expanded(kernel_set, arch, signature):
    return expand(kernel_set, get_arch(arch), signature, OP.algorithm, OP.tunables(), OP.rules)


def test_the_names_are_those_of_the_ck_dispatcher():
    assert set(preselected_names()) == NAMES
    names = [s.name for s in OP.kernel_sets()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kernel_set", OP.kernel_sets(), ids=lambda s: s.name)
def test_every_member_is_legal_on_every_arch_that_its_set_claims(kernel_set):
    assert kernel_set.archs
    for arch in kernel_set.archs:
        signatures = signatures_of(kernel_set)
        assert signatures
        for signature in signatures:
            assert kernel_set.takes(signature, arch)
            found = expanded(kernel_set, arch, signature)
            assert found.rejected == []
            assert len(found.specs) == len(kernel_set.algorithms)


def test_the_claims_are_what_they_should_be():
    claimed = {n: {a for s in preselected(n) for a in s.archs} for n in preselected_names()}
    both = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201"}
    assert claimed["fp16_rcr_essential"] == claimed["bf16_rcr_essential"] == both
    assert claimed["fp8_rcr_essential"] == {"gfx942", "gfx950", "gfx1200", "gfx1201"}
    assert "gfx90a" not in claimed["int8_rcr_essential"]
    assert claimed["fp16_rcr_preshuffle"] == {"gfx90a", "gfx942", "gfx950"}


def test_gfx942_gets_its_own_8_bit_floats():
    dtypes = {
        a: {s.signature.dtype_a for s in preselected_kernels("fp8_rcr_essential", a)} for a in ("gfx942", "gfx950")
    }
    assert dtypes == {"gfx942": {"fp8_fnuz"}, "gfx950": {"fp8"}}


def test_all_holds_every_kernel_of_its_parts():
    parts = ("compute", "memory", "latency", "multi_d", "preshuffle")
    for arch in ("gfx90a", "gfx942"):
        union = {k.digest for p in parts for k in preselected_kernels(f"fp16_rcr_{p}", arch)}
        assert {k.digest for k in preselected_kernels("fp16_rcr_all", arch)} == union


def test_an_arch_that_is_not_claimed_is_a_clear_error():
    with pytest.raises(ArchError, match=r"fp8_rcr_essential has no kernels for gfx90a; it has some for gfx950, gfx942"):
        preselected_kernels("fp8_rcr_essential", "gfx90a")
    with pytest.raises(UnknownNameError, match="did you mean 'fp16_rcr_essential'"):
        preselected_kernels("fp16_rcr_esential", "gfx942")
    with pytest.raises(UnknownNameError, match="did you mean 'gfx942'"):
        preselected_kernels("fp16_rcr_essential", "gfx924")


def test_a_wildcard_declares_no_signatures():
    with pytest.raises(SpecError, match="leaves layout, dtype_a, dtype_b, dtype_acc, dtype_out open"):
        signatures_of(KernelSet("x", "gemm", "ck_tile", ({},), {"layout": "*"}))


@pytest.mark.parametrize("arch", get_supported_archs("amd"))
def test_every_arch_and_dtype_has_an_open_space_of_reasonable_size(arch):
    facts = get_arch(arch)
    assert isinstance(facts, AmdArch)
    spaces = [s for s in OP.default_sets() if arch in s.archs]
    plain = [s for s in spaces if s.signature["b_format"] == "plain" and family_of(s) == "universal"]
    keys = [key for key in facts.warp_tiles if "pk_fp4" not in key]  # CK has no unscaled kernels for packed types
    assert len(plain) == 2 * len(keys)  # row-major outputs with cshuffle, column-major ones without
    for space in plain:
        sizes = [prod(len(listed(v, ())) for v in fields.values()) for fields in space.algorithms]
        assert 100 <= sum(sizes) <= 2000
        types = {k: v for k, v in space.signature.items() if k.startswith("dtype")}
        out = "int32" if types["dtype_acc"] == "int32" else "fp16"
        part = replace(space, algorithms=space.algorithms[:1])
        assert expanded(part, arch, GemmSignature(**types, dtype_out=out, layout=space.signature["layout"][0])).specs


def test_the_packed_formats_of_the_open_space_are_readable():
    for space in OP.default_sets():
        if space.signature["b_format"] == "plain" or "gfx942" not in space.archs:
            continue
        types = {k: v for k, v in space.signature.items() if k.startswith("dtype")}
        out = "int32" if types["dtype_acc"] == "int32" else "fp16"
        found = expanded(space, "gfx942", GemmSignature(**types, dtype_out=out, b_format=space.signature["b_format"]))
        assert found.specs
        assert not any("preshuffle_format" in rule for rule in found.counts())


@pytest.mark.timing
def test_the_open_space_of_gfx942_is_judged_in_time():
    space = next(s for s in OP.default_sets() if s.takes(FP16, "gfx942"))
    start = time.process_time()
    expanded(space, "gfx942", FP16)
    assert time.process_time() - start < 1.0


def test_the_open_space_of_gfx942_names_what_it_removed():
    space = next(s for s in OP.default_sets() if s.takes(FP16, "gfx942"))
    found = expanded(space, "gfx942", FP16)
    messages = [str(r) for _, rejections in found.rejected for r in rejections]
    assert any("LDS 65,536 B > 32,768 B (gfx942, compv4) (shrink tile_k to 32" in m for m in messages)
    problem = problem_of(n=1000)
    judged = [OP.check(s, get_arch("gfx942"), problem) for s in found.specs]
    assert any(not j for j in judged)
    assert any(j and "N = 1,000 % tile_n 256 = 232" in j[0].message for j in judged)
