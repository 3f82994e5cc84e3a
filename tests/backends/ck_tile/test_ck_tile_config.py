"""Sweep files of ck_tile: the CK dispatcher's config JSON, our own words, and mistakes."""

from __future__ import annotations

import json

import pytest
from ck_tile_specs import FP16

from tilewright.arch import get_arch
from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.ck_tile.gemm import OP, preselected_kernels
from tilewright.errors import SchemaError, ToolchainError
from tilewright.model.kernel_set import expand
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.settings import Settings

CK_CONFIG = {
    "tile_config": {
        "tile_m": [128, 256],
        "tile_n": {"values": [128, 256]},
        "tile_k": {"min": 32, "max": 64, "step": 32},
        "warp_m": [2, 4],
        "warp_n": [2, 4],
        "warp_k": [1],
        "warp_tile_m": [16, 32],
        "warp_tile_n": [16, 32],
        "warp_tile_k": [16],
    },
    "trait_config": {
        "pipeline": ["compv3", "compv4"],
        "epilogue": ["cshuffle"],
        "scheduler": ["intrawave"],
        "pad_m": [False],
        "persistent": [False, True],
    },
    "multi_d_config": {"elementwise_ops": ["MultiDAdd", "Relu"], "num_d_tensors": [1, 2]},
    "k_block_per_cu": 1,
}


def write(tmp_path, content):
    path = tmp_path / "sweep.json"
    path.write_text(json.dumps(content))
    return path


def expanded(kernel_set, signature=FP16, arch="gfx942"):
    return expand(kernel_set, get_arch(arch), signature, OP.algorithm, OP.tunables(), OP.rules)


def test_the_config_of_the_ck_dispatcher_is_understood(tmp_path):
    sets = OP.read_sweep(write(tmp_path, {**CK_CONFIG, "signature": {"dtype": "fp16"}}))
    assert [s.name for s in sets] == ["sweep", "sweep.MultiDAdd", "sweep.Relu"]
    plain, add, relu = sets
    found = expanded(plain)
    assert len(found.specs) + len(found.rejected) == 2 * 2**8  # two pipelines, eight lists of two
    assert found.counts().keys() == {"ck_tile.gemm.wave_map", "ck_tile.gemm.warp_tile", "ck_tile.gemm.lds"}
    assert {s.algorithm.pipeline for s in found.specs} == {"compv3", "compv4"}  # the buffer followed the pipeline
    assert plain.signature["dtype_out"] == "fp16"
    assert plain.signature["d"] == ()
    one, two = (DTensor("fp16"),), (DTensor("fp16"),) * 2
    assert add.signature["d"] == relu.signature["d"] == [one, two]
    assert (add.signature["activation"], relu.signature["activation"]) == ("none", "relu")


def test_our_own_words_wildcards_and_several_dtypes(tmp_path):
    content = {
        "name": "mine",
        "archs": ["gfx942"],
        "signature": {"dtype": ["fp16", "bf16"], "layout": ["rcr", "rrr"]},
        "algorithm": {"pipeline": "*", "tile_k": 32},
    }
    sets = OP.read_sweep(write(tmp_path, content))
    assert [s.name for s in sets] == ["mine.fp16", "mine.bf16"]
    assert sets[0].takes(FP16, "gfx942")
    assert not sets[0].takes(FP16, "gfx950")
    found = expanded(sets[0])
    assert {s.algorithm.pipeline for s in found.specs} == {"mem", "compv3", "compv4", "compv6"}
    assert len(found.rejected) == 6
    assert found.counts()["ck_tile.gemm.emitted"] == 3


def test_a_buffer_that_is_given_is_taken_at_its_word(tmp_path):
    content = {
        "signature": {"dtype": "fp16"},
        "algorithm": {"pipeline": "compv4", "double_smem_buffer": False, "tile_k": 32},
    }
    (only,) = OP.read_sweep(write(tmp_path, content))
    assert expanded(only).counts() == {"ck_tile.gemm.double_smem_buffer": 1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"tile_config": {"tile_q": [1]}}, ["tile_config", "'tile_q'", "did you mean 'tile_"]),
        ({"trait_config": {"pipeline": ["compv9"]}}, ["trait_config.pipeline", "'compv9'", "did you mean 'compv"]),
        ({"signature": {"dtype": "fp166"}}, ["signature.dtype", "did you mean 'fp16'"]),
        (
            {"signature": {"dtype": "fp16"}, "multi_d_config": {"elementwise_ops": ["Rellu"]}},
            ["multi_d_config.elementwise_ops", "did you mean 'Relu'"],
        ),
        ({"multi_d_config": {"elementwise_ops": "Relu"}}, ["needs to know the dtype of D"]),
        (
            {"signature": {"dtype": "fp16"}, "multi_d_config": {"num_d_tensors": [9]}},
            ["num_d_tensors", "numbers from 0 to 8"],
        ),
        (
            {"signature": {"dtype": "fp16", "activation": "relu"}, "multi_d_config": {}},
            ["both set the epilogue"],
        ),
    ],
)
def test_mistakes_name_file_field_and_nearest_name(tmp_path, content, words):
    path = write(tmp_path, content)
    with pytest.raises(SchemaError) as error:
        OP.read_sweep(path)
    for word in [str(path), *words]:
        assert word in str(error.value)


def test_the_backend_is_found_by_its_folder_and_says_what_is_missing(tmp_path, monkeypatch):
    backend = get_backend("ck_tile")
    assert (backend.name, backend.arch_kinds) == ("ck_tile", ("amd",))
    assert get_backend_op("ck_tile", "gemm") is OP
    assert OP.builds
    for name in ("ROCM_PATH", "CK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    nowhere = Settings(cache_dir=str(tmp_path))
    assert "tilewright toolchain install amdgpu" in backend.missing(nowhere)
    with pytest.raises(ToolchainError, match="is not installed"):
        OP.request(preselected_kernels("fp16_rcr_essential", "gfx942")[0], nowhere)


def test_an_algorithm_round_trips_through_its_canonical_form():
    from ck_tile_specs import LEGAL

    for spec in LEGAL[:20]:
        assert OP.algorithm_from_dict(spec.to_dict()["algorithm"]) == spec.algorithm
