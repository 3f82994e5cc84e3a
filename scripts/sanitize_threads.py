"""Kernels of every op with teams of threads, called by several threads at once: what the thread sanitizer looks at.

Each caller has tensors of its own. Results are verified, so that a lost update is seen as well.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tilewright.dispatcher import Dispatcher
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings

TEAM, CALLERS, REPEATS = 3, 3, 4
GEMM = {"op": "gemm", "m": 130, "n": 150, "k": 70}
CONV = {"op": "grouped_conv", "n": 3, "c": 16, "k": 24, "input": [12, 12], "filter": [3, 3], "pad": [1, 1]}
FMHA = {"op": "fmha", "family": "fwd", "mode": "batch", "batch": 2, "heads_q": 3, "heads_kv": 3, "seqlen_q": 70,
        "seqlen_k": 90, "hdim_q": 32, "hdim_v": 32, "dtype": "fp32", "mask": "none", "bias": "none"}  # fmt: skip
PROBLEMS: tuple[dict[str, Any], ...] = (
    {**GEMM, "dtype": "fp32"},
    {**GEMM, "dtype": "bf16"},
    {**GEMM, "dtype": "fp32", "m": 1},
    {**GEMM, "dtype": "fp32", "m": 8, "n": 8, "k": 4000},
    *({**CONV, "dtype": "fp32", "direction": d} for d in ("forward", "backward_data", "backward_weight")),
    {**CONV, "dtype": "fp32", "direction": "forward", "g": 16, "k": 16},
    FMHA,
    {**FMHA, "family": "fwd_splitkv", "seqlen_q": 1, "lse": True, "num_splits": 3},
    {**FMHA, "family": "bwd"},
)


def call(dispatcher: Dispatcher, data: dict[str, Any], seed: int) -> None:
    """Run one problem a few times on tensors of its own, and verify what came of it."""
    problem = problem_from_dict(data)
    op = get_op(problem.op)
    for repeat in range(REPEATS):
        tensors = op.random_tensors(problem, seed + repeat)
        op.verify(problem, tensors, dispatcher.run(problem, **tensors)).require(problem.label())


def main() -> None:
    """Run every problem; raises at the first wrong result."""
    dispatcher = Dispatcher(settings=Settings.from_env(threads=TEAM, ledger=False))
    for data in PROBLEMS:
        call(dispatcher, data, 0)  # build it first, so that the callers meet in the kernel
        with ThreadPoolExecutor(CALLERS) as pool:
            for done in [pool.submit(call, dispatcher, data, 100 * i) for i in range(CALLERS)]:
                done.result()
    print(f"{len(PROBLEMS)} problems, {CALLERS} callers, teams of {TEAM}: all results right")


if __name__ == "__main__":
    main()
