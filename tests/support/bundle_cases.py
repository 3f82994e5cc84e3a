"""Random problems for selection, and the selection library of bundles through ctypes."""

from __future__ import annotations

import ctypes
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.bundle.write import cost_facts, kernel_numbers
from tilewright.cpp.models import bundled_models
from tilewright.cpp.selection import selection_program, selection_request
from tilewright.jit import Cache
from tilewright.jit.pool import build_one
from tilewright.model.kernel import KernelSpec
from tilewright.select.model_directory import SHIPPED, ModelDirectory
from tilewright.settings import Settings


def random_gemm(rng: random.Random) -> dict[str, Any]:
    def size() -> int:
        return rng.choice([1, 2, 3, 7, 16, 33, 64, 100, 256, 511, 1024, 2048, 4096])

    given: dict[str, Any] = {"op": "gemm", "m": size(), "n": size(), "k": size()}
    given["dtype"] = rng.choice(["fp32", "fp32", "bf16", "int8"])
    given["layout"] = rng.choice(["rcr", "rrr"])
    if rng.random() < 0.3:
        given["batch"] = rng.choice([2, 3, 16])
    if rng.random() < 0.2 and given["dtype"] != "int8":
        given["epilogue"] = {"activation": "relu", "alpha": 0.5}
        given["d"] = [{"dtype": "fp32", "broadcast": "row"}]
    if rng.random() < 0.15:
        given["split_k"] = rng.choice([1, 2, 4])
    if rng.random() < 0.2:
        k = given["k"] + rng.choice([0, 1, 32])
        given["strides"] = {"a": [given["m"] * k, k, 1]}
    return given


def random_conv(rng: random.Random) -> dict[str, Any]:
    dims = rng.choice([1, 2, 2, 2, 3])
    taps = rng.choice([1, 1, 3, 3, 5])
    groups = rng.choice([1, 1, 1, 2, 8, 32])
    channels = [groups * rng.choice([1, 1, 4, 8, 16, 32]) for _ in range(2)]
    if rng.random() < 0.3:
        channels[1] = channels[0]
    given: dict[str, Any] = {
        "op": "grouped_conv",
        "direction": rng.choice(["forward", "backward_data", "backward_weight"]),
        "n": rng.choice([1, 2, 5, 16]),
        "g": groups,
        "c": channels[0],
        "k": channels[1],
        "input": [rng.choice([5, 7, 14, 28, 31]) for _ in range(dims)],
        "filter": [taps] * dims,
        "stride": rng.choice([1, 1, 2]),
        "pad": rng.choice([0, taps // 2]),
        "dtype": rng.choice(["fp32", "fp32", "bf16"]),
    }
    if rng.random() < 0.2:
        given["dilation"] = rng.choice([1, 2]) if given["pad"] or taps == 1 else 1
    if rng.random() < 0.2 and given["direction"] == "forward":
        given["d"] = [{"dtype": "fp32", "broadcast": "row"}]
        given["epilogue"] = {"activation": "silu"}
    if rng.random() < 0.15:
        given["layout"] = {1: "ngcw", 2: "ngchw", 3: "ngcdhw"}[dims]
    return given


def random_fmha(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 4, 8])
    given: dict[str, Any] = {
        "op": "fmha",
        "batch": rng.choice([1, 2, 5]),
        "heads_q": heads * rng.choice([1, 1, 4]),
        "heads_kv": heads,
        "seqlen_q": rng.choice([1, 7, 64, 257, 1024]),
        "seqlen_k": rng.choice([64, 257, 1024, 5000]),
        "hdim_q": rng.choice([32, 64]),
        "dtype": rng.choice(["fp32", "bf16"]),
    }
    kind = rng.random()
    if kind < 0.2:
        given |= {"family": "bwd", "dbias": False}
    elif kind < 0.35:
        given |= {"mode": "group"}
    elif kind < 0.5:
        given |= {"family": "fwd_pagedkv", "page_size": 16}
    elif kind < 0.6:
        given |= {"num_splits": rng.choice([1, 2, 4]), "family": "fwd_splitkv"}
    if rng.random() < 0.4:
        given["mask"] = rng.choice(["causal_top_left", "causal_bottom_right"])
    elif rng.random() < 0.3:
        given |= {"mask": "window", "window_left": 32, "window_right": 0}
    if rng.random() < 0.2 and given.get("family") != "bwd":
        given["lse"] = True
    if rng.random() < 0.2:
        given["scale"] = 0.25
    return given


RANDOM = {"gemm": random_gemm, "conv": random_conv, "fmha": random_fmha}


def on_gpu(draw: Callable[[random.Random], dict[str, Any]]) -> Callable[[random.Random], dict[str, Any]]:
    """Return problems of the same kinds with dtypes and sizes of GPUs."""

    def drawn(rng: random.Random) -> dict[str, Any]:
        given = draw(rng)
        given["dtype"] = rng.choice(["fp16", "fp16", "bf16", "fp32"])
        if given["op"] == "fmha":
            given["hdim_q"] = rng.choice([64, 128])
        return given

    return drawn


GPU_RANDOM = {op: on_gpu(draw) for op, draw in RANDOM.items()}


def kernel_row(spec: KernelSpec) -> dict[str, Any]:
    """What the selection is given of a kernel, as in a manifest."""
    factor, basis, counted = cost_facts(spec)
    cost = {"numbers": list(kernel_numbers(spec)), "factor": factor, "basis": basis, "counted": counted}
    return {"spec": spec.to_dict(), **cost}


class Selection:
    """The selection library with some kernels, as C++ programs use it."""

    def __init__(
        self, specs: list[KernelSpec], settings: Settings, library: Path | None = None, backend: str = "cpu"
    ) -> None:
        self._library = ctypes.CDLL(str(library or built_library(settings)))
        rows = [kernel_row(s) for s in specs]
        self._handle, answer = ctypes.c_void_p(), ctypes.c_char_p()
        program = json.dumps(selection_program(backend)).encode()
        failed = self._library.tw_selection_open(
            program, json.dumps(rows).encode(), ctypes.byref(self._handle), ctypes.byref(answer)
        )
        assert not failed, answer.value

    def learn(self, backend: str, arch: str, ops: list[str]) -> None:
        """Read the shipped models."""
        models = bundled_models(backend, arch, ops, ModelDirectory([SHIPPED]))
        answer = ctypes.c_char_p()
        failed = self._library.tw_selection_models(self._handle, json.dumps(models).encode(), ctypes.byref(answer))
        assert not failed, answer.value

    def ask(self, what: str, request: Any) -> tuple[bool, Any]:
        """(whether it answered, the answer or the error)"""
        answer = ctypes.c_char_p()
        failed = self._library.tw_selection_call(
            self._handle, what.encode(), json.dumps(request).encode(), ctypes.byref(answer)
        )
        assert answer.value is not None
        return not failed, json.loads(answer.value)


def built_library(settings: Settings) -> Path:
    request, cache = selection_request(settings), Cache.from_settings(settings)
    return (cache.find(request.build_key) or build_one(request, cache)).file()


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
