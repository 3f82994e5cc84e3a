"""The cases of the GEMM tests: one list of problems, run through every way to compute them."""

from __future__ import annotations

from typing import Any

from tilewright.dispatcher import Dispatcher
from tilewright.model.kernel import KernelSpec
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry

OP = get_op("gemm")


def problem(m: int, n: int, k: int, dtype: str = "fp32", **fields: Any) -> Any:
    return problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype, **fields})


# Square, ragged, one-wide, empty, and K = 0.
SHAPES = [
    (64, 64, 64),
    (33, 17, 65),
    (130, 259, 67),
    (1, 257, 129),
    (200, 1, 33),
    (5, 3, 1),
    (0, 4, 4),
    (4, 0, 4),
    (6, 7, 0),
]
LAYOUTS = ["rrr", "rcr", "crr", "ccr", "rrc", "rcc", "crc", "ccc"]
BIAS = {"dtype": "fp32", "broadcast": "row"}
EPILOGUES: list[dict[str, Any]] = [
    {"epilogue": {"alpha": 0.5, "activation": "relu"}, "d": [BIAS]},
    {"epilogue": {"activation": "gelu_erf"}, "d": [{"dtype": "bf16"}]},
    {"epilogue": {"activation": "gelu_tanh", "beta": -2.0}, "d": [{"dtype": "fp32", "broadcast": "col"}, BIAS]},
    {"epilogue": {"combine": "multiply", "activation": "sigmoid"}, "d": [{"dtype": "fp32"}]},
    {"epilogue": "Tanh"},
    {"epilogue": {"activation": "silu"}, "d": [BIAS]},
    {"epilogue": {"activation": "relu6"}, "d": [BIAS]},
    {"epilogue": {"activation": "hard_swish", "alpha": 2.0}},
    {"epilogue": {"combine": "gradient", "activation": "gelu_erf", "alpha": 0.5}, "d": [{"dtype": "fp32"}, BIAS]},
]


def run_with(problem: Any, tensors: dict[str, Any], algorithm: Any, arch: str, **settings: Any) -> Any:
    """The result of one forced algorithm."""
    from tilewright.settings import Settings

    registry = Registry("forced")
    registry.add(KernelSpec("gemm", "cpu", arch, problem.signature, algorithm))
    dispatcher = Dispatcher(registry, "first_fit", Settings.from_env(**settings))
    return dispatcher.run(problem, **tensors)
