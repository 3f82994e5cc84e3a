"""Kernel sets declared in C++ sources: ours and those of the CK dispatcher."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tilewright.backends.expansion import expansion_of
from tilewright.cli.app import app
from tilewright.cpp.declared import Declared, read_declared
from tilewright.errors import SchemaError
from tilewright.model.kernel_set import Range

OWN = """
// The kernels of my program. TW_KERNEL_SET(commented).add(mr(1));
#define TW_KERNEL_SET(name) nothing
TW_KERNEL_SET(my_gemm)
    .op("gemm").backend("cpu").arch("x86_64_v3").signature(layout("rcr", "rrr"), dtype_a("fp32"))
    .priority(3).description("say \\"hi\\"")
    .add(inner("fma"), mr(4, 6), nr(16), kc(0), mc(range(96, 192, 96)), pack_a(ANY))  /* two */
    .add(pipeline("skinny"), mr(1), nr(4));
int main() { return 0; }
"""
CK = """
#include "ck_tile/dispatcher.hpp"
DECL_KERNEL_SET(full,
    .add(Signature().dtype("fp16", "fp16", "fp16", "fp32").layout("row", "col", "row").elementwise("MultiDAdd", 2),
         Algorithm().tile(256, 128, 32).wave(2, 2, 1).warp(32, 32, 16).pipeline("compv4").scheduler("intrawave")
             .epilogue("cshuffle").pad(true, true, true), "gfx942"));
DECL_KERNEL_SET(short_form, .add("fp16", "rcr", 256, 256, 64));
DECL_KERNEL_SET(wild, .add(Signature().dtype("fp16").layout("rcr"),
    Algorithm().tile(128, 128, 32).wave(ANY_INT, ANY_INT, 1).pipeline("compv3").scheduler(ANY), "gfx942"));
DECL_KERNEL_SET(wrong_waves, .add(Signature().dtype("fp16"),
    Algorithm().tile(128, 128, 32).wave(3, 2, 1).pipeline("compv3").scheduler("intrawave"), "gfx942"));
DECL_GROUPED_CONV_KERNEL_SET(convs, .add("fp16", "nhwc", "forward", 128, 128, 32));
DECL_FMHA_KERNEL_SET(attention, .add(
    FmhaSignature().family("fwd").dtype("fp16").mode("batch").vlayout("r").hdim(128, 128).mask("no").receipt(0),
    FmhaAlgorithm().tile_m0(128).tile_n0(128).tile_k0(32).tile_n1(128).tile_k1(32).tile_k0max(128)
        .wave_m0(4).wave_n0(1).wave_k0(1).wave_m1(4).wave_n1(1).wave_k1(1)
        .warp_m0(32).warp_n0(32).warp_k0(16).warp_m1(32).warp_n1(32).warp_k1(16)
        .pipeline("qr").padding(true, true, true, true), "gfx942"));
"""

# The forms that the examples of CK's dispatcher use: GEMM 02, grouped convolution 02, FMHA 02 and others.
EXAMPLES = """
using GroupedConvSig = grouped_conv_decl::GroupedConvSignature;
DECL_KERNEL_SET(explicit_and_any,
    .add(Signature().dtype("fp16").layout("rcr"),
         Algorithm().tile(64, 64, 32).wave(2, 2, 1).warp(16, 16, 32).pipeline("compv3").scheduler("intrawave"),
         "gfx942")
    .add(Signature().dtype("fp16").layout("rcr"),
         Algorithm().tile(64, 64, 64).wave(ANY_INT, -1, 1).warp(32, 32, -1).pipeline("*").scheduler("*"), "gfx942"));
DECL_GROUPED_CONV_KERNEL_SET(forward,
    .add(GroupedConvSig().dtype("fp16").layout("nhwgc").conv_type("forward").dims(2).spec("default"),
         GroupedConvAlgo().tile(1, 128, 64).vector_sizes(4, 8, 8), "gfx950"));
DECL_GROUPED_CONV_KERNEL_SET(weight,
    .add(GroupedConvSig().dtype("fp16").dtype_workspace("fp32").layout("nhwgc").conv_type("bwd_weight").dims(2),
         GroupedConvAlgo().tile(1, 128, 128).pipeline("compv3").memory_op("atomic_add").vector_sizes(4, 8, 8),
         "gfx950"));
DECL_GROUPED_CONV_KERNEL_SET(five, .add("fp16", "nhwc", "forward", 128, 64));
DECL_GROUPED_CONV_KERNEL_SET(five_and_arch, .add("fp16", "nhwc", "forward", 128, 64, "gfx950"));
DECL_FMHA_KERNEL_SET(bulk, .add(FmhaSignature().lse(), FmhaAlgorithm().tile(128, 128, 32, 128, 32, 128)
    .wave(4, 1, 1, 4, 1, 1).warp(32, 32, 16, 32, 32, 16).alignments(128, 128).selection_rank(1), "gfx942"));
DECL_FMHA_KERNEL_SET(splits, .add(
    FmhaSignature().family("fwd_splitkv").mask("no_mask").bias("no_bias").qscale("no_scale").lse(true).paged_kv(false),
    FmhaAlgorithm().tile_m0(64).tile_n0(128).tile_k0(32).tile_n1(128).tile_k1(32).tile_k0max(128)
        .wave(4, 1, 1, 4, 1, 1).warp(16, 16, 16, 16, 16, 16).padding(true, true, true, true).max_splits_log2(6),
    "gfx950")
    .add(FmhaSignature().family("fwd_splitkv_combine").lse(true),
    FmhaAlgorithm().tile(64, 128, 32, 32, 32, 128).wave(4, 1, 1).warp(16, 16, 16).max_splits_log2(6), "gfx950"));
"""


@pytest.fixture(scope="module")
def of_ck() -> Declared:
    return read_declared("ck.cpp", CK)


def test_our_own_form() -> None:
    (found,) = read_declared("x.cpp", OWN).sets
    assert (found.name, found.op, found.backend, found.archs, found.priority) == (
        "my_gemm", "gemm", "cpu", ("x86_64_v3",), 3,
    )  # fmt: skip
    assert found.description == 'say "hi"'
    assert found.signature == {"layout": ["rcr", "rrr"], "dtype_a": "fp32"}
    assert found.algorithms[0] == {
        "inner": "fma", "mr": [4, 6], "nr": 16, "kc": 0, "mc": Range(96, 192, 96), "pack_a": "*",
    }  # fmt: skip
    assert found.algorithms[1] == {"pipeline": "skinny", "mr": 1, "nr": 4}


def test_sets_of_the_ck_dispatcher(of_ck: Declared) -> None:
    found = {s.name: s for s in of_ck.sets}
    assert list(found) == ["full", "short_form", "wild", "wrong_waves", "convs", "attention"]
    full = found["full"]
    assert full.signature["layout"] == "rcr"
    assert len(full.signature["d"]) == 2
    assert full.algorithms[0]["tile_n"] == 128
    assert full.algorithms[0]["pad_m"] is True
    for made in found.values():
        assert expansion_of(made, "gfx942").specs, made.name
    assert len(expansion_of(found["wild"], "gfx942").specs) > 1
    assert found["convs"].op == "conv"
    assert found["attention"].signature["hdim_v"] == 128


def test_nothing_is_filled_in_silently(of_ck: Declared) -> None:
    told = [str(n) for n in of_ck.notes]
    assert not any("full" in text for text in told)  # every field was given
    assert any("ck.cpp:7:30: filled in: short_form: arch gfx942" in text for text in told)
    for field in ("wave 2,2,1", "warp 32,32,16", "epilogue cshuffle", "pad false,false,false"):
        assert any(f"filled in: short_form: {field}" in text for text in told), field
    assert any("removed: wild:" in text and "ck_tile.gemm.wave_map" in text for text in told)
    assert any("corrected: wrong_waves: waves_m 3 -> 2" in text for text in told)
    assert any("not used: attention: receipt" in text for text in told)


def test_the_examples_of_the_ck_dispatcher_are_read_as_they_are() -> None:
    read = read_declared("examples.cpp", EXAMPLES)
    found = {s.name: s for s in read.sets}
    specs = {name: expansion_of(made, made.archs[0]).specs for name, made in found.items()}
    assert all(specs.values())
    assert len(specs["explicit_and_any.2"]) > 1
    tile = ("tile_m", "tile_n", "tile_k", "pipeline")
    assert [found["forward"].algorithms[0][name] for name in tile] == [128, 64, 32, "compv4"]
    for name in ("five", "five_and_arch"):
        assert [found[name].algorithms[0][field] for field in tile] == [128, 64, 32, "compv4"]
    assert found["five_and_arch"].archs == ("gfx950",)
    (bulk,) = specs["bulk"]
    assert bulk.algorithm.pads == (True,) * 4
    assert bulk.signature.lse
    (combine,) = specs["splits.2"]
    assert (combine.algorithm.stage, combine.algorithm.log_max_splits, combine.algorithm.tile_n1) == ("combine", 6, 32)
    told = "\n".join(str(n) for n in read.notes)
    for text in ("tile k = 32", "padding true,true,true,true", "alignments 128,128", "hdim 128"):
        assert text in told


# The kernels of a backward pass, of appending and of pages, in the words of the original: six sizes for every stage.
STAGES = """
DECL_FMHA_KERNEL_SET(backward,
    .add(FmhaSignature().family("bwd_dot_do_o").hdim(128).mask("top_left").deterministic(true).store_randval(false),
         FmhaAlgorithm().tile_m0(64).tile_n0(128).tile_k0(32).tile_n1(0).tile_k1(0).tile_k0max(0), "gfx950")
    .add(FmhaSignature().family("bwd_dq_dk_dv").hdim(128).mask("top_left").bias("no").dropout(false).dbias(false),
         FmhaAlgorithm().tile(16, 128, 128, 16, 128, 32).wave(1, 4, 1, 4, 1, 1, 1, 4, 1)
             .warp(16, 16, 32, 16, 16, 16, 16, 16, 16).padding(true, true, true, true), "gfx950")
    .add(FmhaSignature().family("bwd_convert_dq").hdim(128).mask("top_left").deterministic(false),
         FmhaAlgorithm().tile_m0(64).tile_n0(0).tile_k0max(0), "gfx950"));
DECL_FMHA_KERNEL_SET(append,
    .add(FmhaSignature().family("fwd_appendkv").hdim(128).rope("inter").paged_kv(true)
             .kv_cache("vectorized", "sglang", 16),
         FmhaAlgorithm().tile(64, 64, 128, 128, 0, 0).pipeline("appendkv").padding(true, true, true, true), "gfx950"));
DECL_FMHA_KERNEL_SET(pages,
    .add(FmhaSignature().family("fwd_pagedkv").hdim(128).paged_kv(true).kv_cache("vectorized", "sglang", 16),
         FmhaAlgorithm().tile(128, 128, 32, 128, 32, 128).wave(4, 1, 1, 4, 1, 1).warp(32, 32, 16, 32, 32, 16)
             .pipeline("qr_pagedkv").padding(true, true, true, true), "gfx950"));
DECL_FMHA_KERNEL_SET(odd_tile,
    .add(FmhaSignature().family("bwd_dq_dk_dv").hdim(128),
         FmhaAlgorithm().tile(24, 128, 128, 16, 128, 32).wave(1, 4, 1, 4, 1, 1, 1, 4, 1)
             .warp(16, 16, 32, 16, 16, 16), "gfx950"));
DECL_GROUPED_CONV_KERNEL_SET(large, .add(GroupedConvSig().dtype("fp16").layout("nhwc").conv_type("forward").dims(2),
    GroupedConvAlgo().tile(1, 256, 256).pipeline("compv4").vector_sizes(4, 8, 8), "gfx950"));
"""


def test_every_stage_of_attention_is_read_in_the_words_of_the_original() -> None:
    read = read_declared("stages.cpp", STAGES)
    specs = {s.name: expansion_of(s, s.archs[0]).specs for s in read.sets}
    assert all(len(found) == 1 for found in specs.values()), specs
    stages = {name: found[0].algorithm.stage for name, found in specs.items() if found[0].op == "fmha"}
    assert stages == {"backward.1": "dot_do_o", "backward.2": "dq_dk_dv", "backward.3": "convert_dq",
                      "append": "append", "pages": "attend", "odd_tile": "dq_dk_dv"}  # fmt: skip
    main = specs["backward.2"][0].algorithm
    assert (main.tile_k1, main.tile_k4, main.tile_k0max, main.tile_n1) == (16, 32, 128, 128)
    assert specs["append"][0].signature.lookup == "vllm"
    told = [str(n) for n in read.notes]
    assert not [n for n in told if "corrected: backward" in n or "corrected: append" in n or "corrected: large" in n]
    assert [n for n in told if "corrected: odd_tile: tile_m0 24 -> 16" in n]


def test_fp8_is_that_of_the_arch() -> None:
    read = read_declared("x.cpp", 'DECL_KERNEL_SET(a, .add("fp8", "rcr", 128, 128, 64, "gfx942"));')
    assert read.sets[0].signature["dtype_a"] == "fp8_fnuz"
    assert any("dtype_a fp8_fnuz: the 8-bit floats of gfx942" in str(n) for n in read.notes)


WRONG = [
    ("TW_KERNEL_SET(a).add(mrr(4));", "x.cpp:1:22: unknown algorithm field 'mrr'"),
    ("TW_KERNEL_SET(a)\n  .addd(mr(4));", "x.cpp:2:4: unknown setter 'addd'"),
    ('TW_KERNEL_SET(a).op("gem").add(mr(4));', "x.cpp:1:1: unknown op 'gem'; did you mean 'gemm'"),
    ('TW_KERNEL_SET(a).add(mr(4), inner("fmaa"));', "x.cpp:1:29: unknown algorithm inner 'fmaa'; did you mean 'fma'"),
    ('TW_KERNEL_SET(a).arch("gfx99").add(mr(4));', "x.cpp:1:18: unknown arch 'gfx99'"),
    ("TW_KERNEL_SET(a).add(mr(4)", "x.cpp:1:27: 'the end' was found where"),
    ("TW_KERNEL_SET(a).add(4);", "x.cpp:1:22: 4 has no name"),
    ("TW_KERNEL_SET(a).add(mr(four));", "x.cpp:1:25: 'four' is no value"),
    ("TW_KERNEL_SET(a).add(mr(list(1)));", "x.cpp:1:25: list(...) is no value"),
    ("TW_KERNEL_SET(a);", "x.cpp:1:1: kernel set a has no .add"),
    ("TW_KERNEL_SET().add(mr(4));", "x.cpp:1:15: the name of a kernel set is missing"),
    ("TW_KERNEL_SET(a).add(mr(4)); TW_KERNEL_SET(a).add(mr(6));", "declared already"),
    ("int x;", "declares no kernel set"),
    ('DECL_KERNEL_SET(a, .add(Signature().dtyp("fp16"), Algorithm()));', "x.cpp:1:37: unknown setter"),
    ('DECL_KERNEL_SET(a, .add(Signature().dtype("fp16"), Algorithm().tile(64, 64, 32)));', "pipeline is missing"),
    ('DECL_KERNEL_SET(a, .add("fp16", "rcr", 256, 256, 64, "gfx943"));', "unknown arch 'gfx943'"),
    ('DECL_KERNEL_SET(a, .add("fp16", 256));', "x.cpp:1:21: the short form is"),
    ("DECL_FMHA_KERNEL_SET(a, .add(1, 2));", "attention has no short form"),
    ("TW_KERNEL_SET(a).add(mr(range(1, 2)));", "write range(min, max, step)"),
    ('TW_KERNEL_SET(a).add(mr(range("x", 8, 1)));', "x.cpp:1:25: range takes whole numbers; got ['x', 8, 1]"),
    ('TW_KERNEL_SET(a).priority("x").add(mr(4));', "x.cpp:1:18: priority is 'x'; it must be a whole number"),
    ("TW_KERNEL_SET(a).description(4).add(mr(4));", "description is 4; it must be text"),
    (f"TW_KERNEL_SET(a).add({'a(' * 3000});", "nested more than 32 deep"),
    (f"TW_KERNEL_SET(a).add(mr({'{' * 3000}));", "nested more than 32 deep"),
    (f"DECL_KERNEL_SET(a, .add({'a(' * 3000}));", "nested more than 32 deep"),
    (f"TW_KERNEL_SET(a).add(mr({'9' * 5000}));", "a number of 5000 characters"),
    ('DECL_KERNEL_SET(a, .add(Signature().dtype("fp16").num_d(1000000000), Algorithm()));', "from 0 to 8"),
    ('DECL_KERNEL_SET(a, .add(Signature().dtype("fp16").elementwise(), Algorithm()));', "values that cannot be read"),
    (
        'DECL_GROUPED_CONV_KERNEL_SET(a, .add(ConvSignature().dtype("fp16").dims(7), ConvAlgorithm()));',
        "values that cannot be read",
    ),
    ("DECL_FMHA_KERNEL_SET(a, .add(FmhaSignature().mask({1}), FmhaAlgorithm()));", "values that cannot be read"),
    ("DECL_FMHA_KERNEL_SET(a, .add(FmhaSignature(), FmhaAlgorithm().padding(true)));", "values that cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message"), WRONG)
def test_errors_name_line_and_column(source: str, message: str) -> None:
    with pytest.raises(SchemaError) as raised:
        read_declared("x.cpp", source)
    assert message in str(raised.value)


def test_commands_take_a_source_as_a_set(tmp_path: Path) -> None:
    source = tmp_path / "sets.cpp"
    source.write_text('TW_KERNEL_SET(tiny).add(inner("fma", "portable"), mr(4), nr(4, 8, 16), kc(0), mc(0));')
    problem = '{"op":"gemm","m":64,"n":64,"k":64,"dtype":"fp32"}'
    done = CliRunner().invoke(app, ["explain", problem, "--set", str(source), "--json"])
    assert done.exit_code == 0, done.output
    assert '"ranked"' in done.stdout
