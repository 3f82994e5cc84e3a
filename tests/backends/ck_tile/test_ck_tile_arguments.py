"""Kernel arguments that are packed in Python have the layout of CK's structures; others come from CK's host code."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from amd_toolchain import REAL, needs_toolchain

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.arguments import ArgumentLibrary
from tilewright.backends.ck_tile.ck_revision import detect
from tilewright.backends.ck_tile.compile import request_of
from tilewright.backends.ck_tile.conv.request import ConvRequest
from tilewright.backends.ck_tile.conv.request import requested as conv_kernels
from tilewright.backends.ck_tile.fmha import OP, declared
from tilewright.backends.ck_tile.fmha.kargs import layout, pack, parts_of
from tilewright.backends.ck_tile.fmha.launch import common_values, scaled
from tilewright.backends.ck_tile.fmha.launch_backward import Gradients, companions
from tilewright.backends.ck_tile.fmha.launch_split import Partials, combiner
from tilewright.backends.ck_tile.lower import INCLUDE_DIRS, lower, namespace
from tilewright.backends.ck_tile.toolchain import Toolchain, find_toolchain, host_options
from tilewright.backends.ck_tile.toolchain_parts import wheels
from tilewright.errors import ToolchainError
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.geometry import implicit_gemm

FORWARD = {"op": "fmha", "family": "fwd", "batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 128, "seqlen_k": 256,
           "hdim_q": 128, "hdim_v": 128, "dtype": "fp16"}  # fmt: skip
BACKWARD = {**FORWARD, "family": "bwd", "heads_kv": 4}


def first(family: str, stage: str, **fields: Any) -> KernelSpec:
    """The first declared kernel of gfx942 with these fields of its signature."""
    dtype = "fp8_fnuz" if fields.get("qscale", "none") != "none" else "fp16"
    for s in declared("gfx942", family, "ck_default", [dtype], [128]).specs:
        values = {**vars(s.signature), **vars(s.algorithm)}
        if s.algorithm.stage == stage and all(values[n] == v for n, v in fields.items()):
            return s
    raise AssertionError(f"no {family} {stage} with {fields}")


KERNELS = [
    ("fwd", "attend", {"mode": "batch", "mask": "none", "bias": "none", "lse": False, "soft_cap": False}),
    ("fwd", "attend", {"mode": "batch", "mask": "window", "bias": "elementwise", "lse": True}),
    ("fwd", "attend", {"mode": "batch", "bias": "alibi", "mask": "window", "lse": False}),
    ("fwd", "attend", {"mode": "group", "soft_cap": True, "lse": True, "mask": "window"}),
    ("bwd", "dq_dk_dv", {"mode": "batch", "mask": "none", "bias": "none", "deterministic": False}),
    ("bwd", "dq_dk_dv", {"mode": "batch", "mask": "window", "bias": "elementwise", "dbias": True,
                         "deterministic": True}),
    ("bwd", "dq_dk_dv", {"mode": "group", "mask": "window", "bias": "alibi", "deterministic": False}),
    ("bwd", "dq_dk_dv", {"mode": "batch", "mask": "window", "bias": "none", "dropout": "ck", "deterministic": True}),
    ("bwd", "dq_dk_dv", {"mode": "group", "mask": "none", "bias": "alibi", "dropout": "ck", "deterministic": False}),
    ("fwd_splitkv", "attend", {"mode": "batch", "mask": "none", "bias": "none", "page_size": 0, "soft_cap": False}),
    ("fwd_splitkv", "attend", {"mode": "batch", "mask": "window", "bias": "elementwise", "page_size": 128}),
    ("fwd_splitkv", "attend", {"mode": "batch", "mask": "window", "bias": "none", "page_size": 128, "soft_cap": True}),
    ("fwd_splitkv", "attend", {"mode": "group", "mask": "window", "bias": "alibi", "page_size": 0}),
    ("fwd_pagedkv", "attend", {"mode": "batch", "mask": "window", "bias": "none", "soft_cap": True}),
    ("fwd_pagedkv", "attend", {"mode": "batch", "mask": "none", "bias": "alibi"}),
    ("fwd_pagedkv", "attend", {"mode": "batch", "mask": "window", "qscale": "pertensor"}),
    ("fwd_splitkv", "combine", {"mode": "batch", "lse": True}), ("fwd_splitkv", "combine", {"mode": "group"}),
    ("bwd", "dot_do_o", {"mode": "batch"}), ("bwd", "dot_do_o", {"mode": "group"}),
    ("bwd", "convert_dq", {"mode": "batch", "deterministic": True}),
    ("bwd", "convert_dq", {"mode": "group", "deterministic": False}),
    ("fwd", "attend", {"mode": "batch", "dropout": "ck", "mask": "window", "lse": True, "soft_cap": True}),
    ("fwd", "attend", {"mode": "group", "dropout": "ck", "bias": "elementwise", "lse": False}),
    ("batch_prefill", "attend", {"mask": "window", "lse": True, "soft_cap": True}),
    ("batch_prefill", "attend", {"bias": "alibi", "dropout": "ck"}),
    ("fwd", "attend", {"mode": "batch", "qscale": "pertensor", "mask": "none"}),
    ("fwd", "attend", {"mode": "group", "qscale": "pertensor", "mask": "window"}),
    ("fwd_appendkv", "append", {"rope": "half", "page_size": 128}),
    ("fwd_appendkv", "append", {"rope": "none", "page_size": 0}),
]  # fmt: skip


def kernels() -> list[KernelSpec]:
    return [first(family, stage, **{"dropout": "none", **fields}) for family, stage, fields in KERNELS]


def test_layouts_known_by_hand() -> None:
    """As the prototype packed them, for kernels with no bias, mask or LSE."""
    forward, backward = kernels()[0], kernels()[4]
    fields, size = layout(*parts_of("attend", forward.signature))
    assert size == struct.calcsize("<4Q6if8i4x4i2Q")
    assert fields["batch_stride_q"][0] == struct.calcsize("<4Q6if8i4x")
    fields, size = layout(*parts_of("dq_dk_dv", backward.signature))
    assert size == struct.calcsize("<9Q6i2f7i8i4x8i")
    assert fields["stride_q"][0] == struct.calcsize("<9Q6i2f")


@needs_toolchain
@pytest.mark.xdist_group("amd_compile")
def test_layouts_are_those_of_the_compiler(tmp_path: Path) -> None:
    """Offsets of all fields of all structures, and their sizes, hold in C++ with the library of the device code."""
    tools = find_toolchain(REAL)
    lines = ["#include <cstddef>"]
    for i, spec in enumerate(kernels()):
        (tmp_path / f"k{i}.hpp").write_text(lower(spec, detect(tools.include_dirs[0])).header_text)
        lines.append(f'#include "k{i}.hpp"')
        fields, size = layout(*parts_of(spec.algorithm.stage, spec.signature))
        name = f"{namespace(spec)}::Args"
        lines += [f"static_assert(offsetof({name}, {n}) == {at});" for n, (at, _) in fields.items()]
        lines.append(f"static_assert(sizeof({name}) == {size});")
    (tmp_path / "layouts.cpp").write_text("\n".join(lines) + "\n")
    own = tuple(f"-I{folder}" for folder in INCLUDE_DIRS)
    command = tools.host_command("gfx942", "fmha", "layouts.cpp", "layouts.o", (*own, "-fsyntax-only"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_field_without_a_value_is_an_error_unless_it_is_a_pointer() -> None:
    parts = parts_of("convert_dq", first("bwd", "convert_dq", mode="batch", deterministic=False).signature)
    values = dict.fromkeys(layout(*parts)[0], 7)
    assert struct.unpack_from("<Q", pack(*parts, {**values, "dq_ptr": 9}), 8) == (9,)
    del values["dq_acc_ptr"]
    assert pack(*parts, values)[:8] == bytes(8)
    del values["seqlen_q"]
    with pytest.raises(KeyError, match="seqlen_q"):
        pack(*parts, values)


def test_a_backward_pass_has_kernels_before_and_after_it() -> None:
    main = first("bwd", "dq_dk_dv", mode="batch", mask="window", bias="none", deterministic=True, dropout="none")
    others = companions(main)
    assert list(others) == ["dot_do_o", "convert_dq"]
    for stage, spec in others.items():
        assert not OP.check(spec, get_arch("gfx942")), stage
    assert others["convert_dq"].algorithm.tile_n0 == main.algorithm.tile_n0, "one slice per split of the keys"
    problem = problem_from_dict({**BACKWARD, "mask": "causal_top_left", "deterministic": True})
    space = Gradients.of(problem, main)
    assert space.slices == -(-256 // main.algorithm.tile_n0)
    assert space.bytes >= 4 * (2 * 4 * 128 + space.slices * 2 * 4 * 128 * 128)
    assert [s.name for s in OP.steps(Candidate(main, Launch()), problem)] == ["dot_do_o", "dq_dk_dv", "convert_dq"]


def test_splits_have_a_kernel_that_combines_them() -> None:
    main = first("fwd_splitkv", "attend", mode="batch", mask="none", bias="none", page_size=0)
    for splits, log in ((1, 3), (8, 3), (9, 4), (128, 7)):
        combine = combiner(main, splits)
        assert combine.algorithm.log_max_splits == log
        assert not OP.check(combine, get_arch("gfx942"))
    problem = problem_from_dict({**FORWARD, "family": "fwd_splitkv", "seqlen_q": 5})
    steps = OP.steps(Candidate(main, Launch(num_splits=3)), problem)
    assert [s.name for s in steps] == ["attend", "combine"]
    space = Partials.of(problem, main, 3)
    assert space.bytes >= 3 * 2 * 4 * main.algorithm.tile_m0 * (128 + 1) * 4, "whole tiles of rows"


@pytest.mark.parametrize("mask", ["causal_top_left", "causal_bottom_right", "none"])
def test_slopes_behind_a_causal_mask_count_distances(mask: str) -> None:
    """With -1, unbounded, CK counts columns: equal probabilities, another LSE. A bound that hides nothing helps."""
    problem = problem_from_dict({**FORWARD, "mask": mask, "bias": "alibi", "lse": True})
    values = common_values(problem, {"bias": 0})
    assert (values["window_size_left"] >= 128 + 256) == (mask != "none")
    plain = common_values(replace(problem, bias="none"), {})
    assert (plain["window_size_left"], values["window_size_right"]) == (-1, plain["window_size_right"])


def test_the_other_kernels_of_a_pass_pad_narrow_heads_as_the_main_one_does() -> None:
    """Heads of 40 columns in a kernel for 64: a kernel without padding writes into the next rows."""
    split = first("fwd_splitkv", "attend", mode="batch", mask="none", bias="none", page_size=0)
    backward = first("bwd", "dq_dk_dv", mode="batch", mask="none", bias="none", deterministic=True, dropout="none")
    for pad in (False, True):
        narrow = replace(split, algorithm=replace(split.algorithm, pad_d=pad, pad_dv=pad))
        assert combiner(narrow, 2).algorithm.pad_dv == pad
        others = companions(replace(backward, algorithm=replace(backward.algorithm, pad_d=pad, pad_dv=pad)))
        assert (others["dot_do_o"].algorithm.pad_dv, others["convert_dq"].algorithm.pad_d) == (pad, pad)
        assert not any(OP.check(k, get_arch("gfx942")) for k in (combiner(narrow, 2), *others.values()))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"family": "fwd_splitkv", "mode": "group", "page_size": 128}, "no launcher for pages of varlen"),
        (
            {
                "family": "fwd_appendkv",
                "seqlen_new": 8,
                "rope": "half",
                "rotary_dim": 64,
                "strides": {"q": (1 << 20, 1 << 10, 128, 1)},
            },
            "CK rotates in place",
        ),
    ],
)
def test_what_cannot_be_launched_is_refused_by_rule(change: dict[str, Any], said: str) -> None:
    problem = problem_from_dict({**FORWARD, **change})
    rule = next(r for r in OP.rules if r.id == "ck_tile.fmha.launch")
    subject = type("Subject", (), {"problem": problem})
    assert said in rule.check(subject).message
    assert rule.check(type("Subject", (), {"problem": problem_from_dict(FORWARD)})) is None


@pytest.mark.parametrize(("rope", "refused", "taken"), [("half", 40, 48), ("interleaved", 12, 40)])
def test_a_work_item_rotates_all_its_columns_or_none(rope: str, refused: int, taken: int) -> None:
    rule = next(r for r in OP.rules if r.id == "ck_tile.fmha.rotary")
    for width in (refused, taken):
        change = {"family": "fwd_appendkv", "seqlen_new": 8, "rope": rope, "rotary_dim": width}
        found = rule.check(type("Subject", (), {"problem": problem_from_dict({**FORWARD, **change})}))
        assert (found is None) == (width == taken)


def test_scales_of_tensors_are_no_argument_of_splits() -> None:
    rule = next(r for r in OP.rules if r.id == "ck_tile.fmha.qscale")
    for family in ("fwd", "fwd_pagedkv", "fwd_splitkv"):
        signature = type("Signature", (), {"qscale": "pertensor", "family": family})
        assert (rule.check(type("Subject", (), {"signature": signature})) is None) == (family != "fwd_splitkv")


def test_the_scale_is_rounded_as_ck_rounds_it() -> None:
    problem = problem_from_dict({**FORWARD, "scale": 0.1})
    assert scaled(problem) == struct.unpack("<f", struct.pack("<f", scaled(problem)))[0]
    assert scaled(problem) == pytest.approx(0.1 * 1.4426950408889634, rel=1e-6)


@needs_toolchain
@pytest.mark.exhaustive  # the convolution that is executed takes the argument that this code makes
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
def test_cks_own_host_code_makes_the_argument_of_a_convolution(tmp_path: Path, direction: str) -> None:
    tools = find_toolchain(REAL)
    spec = conv_kernels(ConvRequest("gfx942", variants=(direction,))).specs[0]
    request = request_of(spec, REAL, toolchain=tools)
    for name, text in request.inputs.items():
        (tmp_path / name).write_text(text)
    for command in request.commands[2:]:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    problem = problem_from_dict({"op": "grouped_conv", "direction": direction, "n": 2, "g": 2, "c": 64, "k": 64,
                                 "input": [10, 11], "filter": [3, 3], "pad": 1, "dtype": "fp16"})  # fmt: skip
    addresses = [0x10_0000_0000, 0x20_0000_0000, 0x30_0000_0000]
    argument, grid = ArgumentLibrary(spec, tmp_path).conv(get_op("conv").sizes(problem), addresses, 1)
    words = struct.unpack(f"<{len(argument) // 8}Q", argument[: len(argument) // 8 * 8])
    assert set(addresses) <= set(words)
    gemm = implicit_gemm(problem)
    tiles = ceil(gemm.m / spec.algorithm.tile_m) * ceil(gemm.n / spec.algorithm.tile_n)
    assert grid[0] * grid[1] * grid[2] == tiles * problem.g
    with pytest.raises(ToolchainError, match="built without"):
        ArgumentLibrary(spec, tmp_path / "elsewhere")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_host_code_is_compiled_for_this_machine_and_device_code_is_the_same_on_all(machine: str) -> None:
    folder = Path("/cache/amdgpu")
    argv = ("zig", "clang", "--config", "/cache/amdgpu/hip.cfg")
    cross = Toolchain("cross", argv, argv[:2], folder / "ck", "clang 22", "cross:1", host_options(folder, machine))
    plain = Toolchain("cross", argv, argv[:2], folder / "ck", "clang 22", "cross:1")
    assert cross.command("gfx942", "conv", "k.cpp", "k.s") == plain.command("gfx942", "conv", "k.cpp", "k.s")
    command = cross.host_command("gfx942", "conv", "a.cpp", "a.o")
    assert ("--target=aarch64-linux-gnu" in command) == (machine == "aarch64")
    assert all(w.platform.endswith(machine) for w in wheels(machine) if w.package == "ziglang")
    unpacked = {target for w in wheels(machine) for target in w.members.values()}
    assert all(f"{option.rsplit('/', 1)[1]}/usr/include" in unpacked for option in command if "sysroot" in option)


@needs_toolchain
def test_convolutions_bring_a_library_that_makes_their_arguments() -> None:
    tools = find_toolchain(REAL)
    spec = conv_kernels(ConvRequest("gfx942")).specs[0]
    request = request_of(spec, REAL, toolchain=tools)
    assert "arguments.elf" in request.outputs
    assert "arguments.elf" not in request_of(spec, REAL, toolchain=tools, assembly_only=True).outputs
    assert namespace(spec) in request.inputs["arguments.cpp"]


@needs_toolchain
@pytest.mark.exhaustive
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize(("which", "count"), [("host", 1), ("host", 7), ("device", 7)])
def test_attention_wrappers_compile_as_rocm_compiles_them(tmp_path: Path, which: str, count: int) -> None:
    """The two passes of a HIP compile with the host entries, of which ROCm makes one object."""
    tools = find_toolchain(REAL)
    chosen = [k for k in kernels() if k.signature.mode == "batch"]
    stages = {k.algorithm.stage: k for k in chosen if k.signature.family != "batch_prefill"}
    backward = companions(stages["dq_dk_dv"], grouped=True)
    lines = []
    for spec in (backward["sum_heads"], *stages.values())[:count]:
        source = lower(spec, detect(tools.include_dirs[0]))
        (tmp_path / f"{source.name}.hpp").write_text(source.header_text)
        (tmp_path / f"{source.name}.cpp").write_text(source.wrapper_text)
        lines.append(f'#include "{source.name}.cpp"')
    assert len(lines) == count, "one kernel of each stage"
    (tmp_path / "all.cpp").write_text("\n".join(lines) + "\n")
    own = [f"-I{folder}" for folder in (tmp_path, *INCLUDE_DIRS)]
    mode = [f"--cuda-{which}-only", "-nogpulib", "-fsyntax-only", "-DTW_CK_HOST=1", "-DTW_CK_COMBINED=1"]
    command = [*tools.argv, *tools.flags("gfx942", "fmha"), *own, *mode, "all.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
