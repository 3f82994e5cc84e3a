"""Sweep files of ck_tile convolutions, with the names of the CK dispatcher's config JSON in addition to our own.

`tile_config` and `trait_config` hold algorithm fields (CK's `warp_m` is our `waves_m`). CK's kernels of convolution
always pad, shuffle their output and are not persistent: fields that say so are accepted, others are an error. If
`double_smem_buffer` is omitted, it follows the pipeline, as in CK.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ....errors import SchemaError
from ....model.kernel_set import KernelSet, listed
from ....model.sweep import Words, kernel_set, read_sweeps
from ....model.tunable import Tunable, tunables_of
from ....ops.conv.signature import ConvSignature
from ..gemm.rules.traits import follows
from .algorithm import CkTileConv

TUNABLES = tunables_of(CkTileConv)
CHOICES = {t.name: t.choices for t in TUNABLES}
# Fields of CK's files with one value in every convolution kernel.
FIXED: Mapping[str, Any] = {"epilogue": "cshuffle", "pad_m": True, "pad_n": True, "pad_k": True, "persistent": False}
_FIXED_CHOICES: Mapping[str, tuple[Any, ...]] = {"epilogue": ("cshuffle", "default")}
WORDS = Words(
    op="conv",
    backend="ck_tile",
    tunables=(*TUNABLES, *(Tunable(n, v, _FIXED_CHOICES.get(n, (False, True)), "fixed") for n, v in FIXED.items())),
    signature_fields=tuple(f.name for f in fields(ConvSignature)),
    sections=("algorithm", "tile_config", "trait_config"),
    aliases={
        "warp_m": "waves_m", "warp_n": "waves_n", "warp_k": "waves_k", "k_block_per_cu": "block_per_cu",
        "num_groups_to_merge": "groups_to_merge", "vector_size_a": "vector_a", "vector_size_b": "vector_b",
        "vector_size_c": "vector_c",
    },
)  # fmt: skip


def read_config(path: str | Path) -> tuple[KernelSet, ...]:
    """Return the kernel sets of a sweep file of convolutions.

    for kernel_set in read_config("conv_config.json"):
        print(kernel_set.name)
    """
    sets = []
    for sweep in read_sweeps(path, WORDS):
        algorithms = [whole for one in sweep.algorithms for whole in _completed(one, sweep.where)]
        sets.append(kernel_set(sweep, WORDS, sweep.signature, algorithms))
    return tuple(sets)


def _completed(algorithm: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return one map per pipeline, without fixed fields, with the value that follows the pipeline."""
    for name, value in FIXED.items():
        given = listed(algorithm.get(name, value), (False, True))
        if value not in given:
            raise SchemaError(
                f"{where}: {name} is {given[0]!r}; CK's convolution kernels always have {name} {value!r}",
                remedy=f"leave {name} out",
            )
    own = {name: value for name, value in algorithm.items() if name not in FIXED}
    pipelines = listed(own.get("pipeline", CkTileConv().pipeline), CHOICES["pipeline"])
    return [{"double_smem_buffer": follows(name)["double_smem_buffer"], **own, "pipeline": name} for name in pipelines]
