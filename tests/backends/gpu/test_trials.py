"""The trials of a kernel: small problems that together take it along all of its paths."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.arch import get_arch
from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.ck_tile.conv.generate import instances as conv_instances
from tilewright.backends.ck_tile.conv.launch import instance_of as conv_instance
from tilewright.backends.ck_tile.conv.request import ConvRequest
from tilewright.backends.ck_tile.conv.request import requested as conv_kernels
from tilewright.backends.ck_tile.fmha import declared
from tilewright.backends.ck_tile.gemm import preselected_kernels, preselected_names
from tilewright.backends.ck_tile.gemm.instances import instance_of, instances
from tilewright.errors import ArchError
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op
from tilewright.ops.conv.geometry import implicit_gemm
from tilewright.registry import default_registry
from tilewright.settings import Settings
from tilewright.tune.verify.execute import chosen_trials, place_for

MAX_FLOPS = 1 << 28  # of a trial: an emulated run takes about a second


def preselected_of(arch: str) -> list[KernelSpec]:
    found: dict[str, KernelSpec] = {}
    for name in preselected_names():
        try:
            found.update((s.digest, s) for s in preselected_kernels(name, arch))
        except ArchError:
            continue
    return list(found.values())


def chosen(spec: KernelSpec) -> Any:
    place = place_for(spec)
    assert place is not None
    return chosen_trials(spec, place)


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1201"])
def test_every_device_kernel_of_the_preselected_gemms_has_a_trial(arch: str) -> None:
    for spec in preselected_of(arch):
        trials = chosen(spec).trials
        taken = {instance_of(spec, t.problem.k, t.launch.split_k).name for t in trials}
        assert taken == {i.name for i in instances(spec)}, spec.name
        assert all(t.problem.signature == spec.signature for t in trials)
        assert max(t.problem.flops for t in trials) < MAX_FLOPS
        tails = [t.problem for t in trials if t.path == "tails"]
        assert tails, spec.name
        assert tails[0].m % spec.algorithm.tile_m
        if spec.algorithm.pad_n and spec.algorithm.pad_k:
            assert tails[0].n % spec.algorithm.tile_n
            assert tails[0].k % spec.algorithm.tile_k


def test_a_persistent_kernel_has_more_tiles_than_blocks() -> None:
    [spec] = [s for s in preselected_kernels("fp16_rcr_compute", "gfx942") if s.algorithm.persistent]
    [trial] = [t for t in chosen(spec).trials if t.launch.grid]
    assert trial.problem.m // spec.algorithm.tile_m > trial.launch.grid[0]


@pytest.mark.parametrize("direction", ["forward", "backward_data", "backward_weight"])
@pytest.mark.parametrize("dims", [2, 3])
def test_convolutions_show_strides_dilation_padding_groups_and_splits(direction: str, dims: int) -> None:
    specs = conv_kernels(ConvRequest("gfx942", variants=(direction,), dims=(dims,))).specs
    general = next(s for s in specs if s.algorithm.specialization == "default" and s.algorithm.vector_c == 8)
    trials = chosen(general).trials
    assert any(set(t.problem.stride) != {1} and set(t.problem.dilation) != {1} for t in trials)
    assert any(left != right for t in trials for left, right in t.problem.pad)
    assert any(t.problem.g > 1 for t in trials)
    taken = {conv_instance(general, implicit_gemm(t.problem).k, t.launch.split_k) for t in trials}
    adds = {i.name for i in conv_instances(general) if i.atomic}
    assert not adds or taken & adds, "a split of K is executed"
    assert max(t.problem.flops for t in trials) < MAX_FLOPS


def test_merged_groups_are_whole() -> None:
    specs = conv_kernels(ConvRequest("gfx942", variants=("backward_weight",))).specs
    merging = [s for s in specs if s.algorithm.groups_to_merge > 1]
    for spec in merging[:2]:
        assert {t.problem.g % spec.algorithm.groups_to_merge for t in chosen(spec).trials} == {0}


def test_attention_has_tails_if_the_kernel_pads() -> None:
    specs = [s for s in declared("gfx942", "fwd", "ck_default", ["fp16"], [64]).specs if s.signature.dropout == "none"]
    padded = next(s for s in specs if s.algorithm.pad_s and s.algorithm.pad_sk)
    paths = [t.path for t in chosen(padded).trials]
    assert paths == ["whole blocks", "tails", "few keys", "one row", "grouped heads"]
    whole = next(s for s in specs if not s.algorithm.pad_s and not s.algorithm.pad_sk)
    assert [t.path for t in chosen(whole).trials] == ["whole blocks"]


def test_what_has_no_launcher_says_which_rule_refuses_it() -> None:
    specs = declared("gfx942", "fwd_splitkv", "ck_default", ["fp16"], [64]).specs
    spec = next(s for s in specs if s.signature.mode == "group" and s.signature.page_size)
    found = chosen(spec)
    assert not found.trials
    assert {r.rule for r in found.rejected} >= {"ck_tile.fmha.launch"}


def test_a_backward_pass_with_dropout_has_trials() -> None:
    specs = declared("gfx942", "bwd", "ck_default", ["fp16"], [64]).specs
    spec = next(s for s in specs if s.signature.dropout == "ck" and s.algorithm.stage == "dq_dk_dv")
    trials = chosen(spec).trials
    assert {"whole blocks", "tails", "grouped heads"} <= {t.path for t in trials}
    assert all(t.problem.dropout and "rng" in t.problem.roles for t in trials)


@pytest.mark.parametrize("page_size", [0, 128])
def test_appends_have_tails_of_keys_and_rows_and_grouped_heads(page_size: int) -> None:
    specs = declared("gfx942", "fwd_appendkv", "ck_default", ["fp16"], [64]).specs
    padded = next(s for s in specs if s.algorithm.pad_s and s.signature.page_size == page_size)
    assert [t.path for t in chosen(padded).trials] == [
        "whole blocks", "tails", "tails of keys", "one row", "grouped heads"
    ]  # fmt: skip
    whole = next(s for s in specs if not s.algorithm.pad_s and s.signature.page_size == page_size)
    trials = {t.path: t.problem for t in chosen(whole).trials}
    assert list(trials) == ["whole blocks", "tails of keys", "grouped heads"]
    assert trials["tails of keys"].seqlen_new % whole.algorithm.tile_n0


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("op", ["gemm", "conv", "fmha"])
def test_triton_kernels_have_trials(arch: str, op: str) -> None:
    backend, facts = get_backend_op("triton", op), get_arch(arch)
    problem = {
        "gemm": {"m": 256, "n": 256, "k": 256},
        "conv": {"direction": "forward", "n": 2, "c": 32, "k": 32, "input": [8, 8], "filter": [3, 3], "pad": 1},
        "fmha": {"batch": 1, "heads_q": 2, "seqlen_q": 128, "hdim_q": 64},
    }[op]
    asked = get_op(op).problem_from_dict({**problem, "dtype": "fp16", "device": f"emu:{arch}"})
    device = get_backend("triton").device_at(asked.device, Settings())
    assert device is not None
    legal = default_registry(("triton",)).consider(asked, device).legal
    for spec in {c.spec.digest: c.spec for c in legal[:3]}.values():
        trials = chosen_trials(spec, f"emu:{arch}").trials
        assert len(trials) >= 2, spec.name
        assert not any(backend.check(spec, facts, t.problem, t.launch) for t in trials)
