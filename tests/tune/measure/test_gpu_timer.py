"""GPU timing: policies and buffer sets anywhere; launches, graphs and flushes where there is a GPU."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.arch import get_nominal_devices
from tilewright.backends.gpu.timing import clocks
from tilewright.errors import UnknownNameError
from tilewright.ops import get_op, problem_from_dict
from tilewright.tune.bench.peers import PeerCall, get_peer
from tilewright.tune.measure.gpu_timer import GpuTimer, buffer_sets, gpu_policy
from tilewright.tune.measure.timer import Policy, timer_for

PROBLEM = {"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": "fp16", "device": "cuda"}
QUICK = Policy(threads=1, rounds=3, min_sample_ms=0.5, warmup_ms=1.0, settle_ms=0.0)


def test_a_gpu_has_its_own_timer() -> None:
    assert isinstance(timer_for("cuda:0"), GpuTimer)
    assert timer_for("cuda").name == "cuda"


def test_the_policy_of_a_gpu_rotates_buffers_or_empties_the_cache() -> None:
    warm, cold = gpu_policy(Policy(threads=4)), gpu_policy(Policy(cache="cold"))
    assert (warm.mode, warm.cache, warm.threads) == ("graph", "rotate", 1)
    assert (cold.mode, cold.cache) == ("eager", "cold")
    assert gpu_policy(warm) == warm
    with pytest.raises(UnknownNameError, match="timing mode"):
        Policy(mode="lazy")


def test_clocks_are_those_of_the_gpu_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nvidia-smi lists every GPU of the machine, whichever this process sees."""
    torch = pytest.importorskip("torch")
    script = tmp_path / "nvidia-smi"
    script.write_text(
        "#!/bin/sh\ncase \"$*\" in\n*--id=GPU-b*) echo '200, 2000, 42, 220.5' ;;\n"
        "*) printf '100, 1000, 41, 110.5\\n200, 2000, 42, 220.5\\n' ;;\nesac\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert clocks() == {"sm_mhz": "100", "memory_mhz": "1000", "celsius": "41", "watts": "110.5"}
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda number: SimpleNamespace(uuid="b"))
    assert clocks() == {"sm_mhz": "200", "memory_mhz": "2000", "celsius": "42", "watts": "220.5"}


def test_rotating_sets_exceed_the_cache() -> None:
    problem = problem_from_dict({**PROBLEM, "m": 1024})
    count = buffer_sets(problem, gpu_policy(Policy()), 50 << 20)
    assert count * problem.bytes >= 2 * (50 << 20)
    assert buffer_sets(problem, gpu_policy(Policy(cache="cold")), 50 << 20) == 1


def test_the_cache_behind_l2_is_exceeded_too() -> None:
    """An MI300X has 32 MiB of L2, and 256 MiB behind it."""
    mi300 = get_nominal_devices("gfx942")[0]
    assert mi300.cache_bytes == 256 << 20
    for m in (1024, 4096):
        problem = problem_from_dict({**PROBLEM, "m": m, "n": 1024, "k": 1024})
        count = buffer_sets(problem, gpu_policy(Policy()), mi300.cache_bytes)
        assert count * problem.bytes >= 2 * mi300.cache_bytes
    timer: Any = timer_for("hip:0", evict_bytes=2 * mi300.cache_bytes)
    assert timer._flush_bytes == 2 * mi300.cache_bytes


@pytest.mark.gpu
@pytest.mark.parametrize("cache", ["hot", "cold"])
def test_a_benchmark_on_the_gpu(cache: str) -> None:
    from dataclasses import replace

    from tilewright.dispatcher import Dispatcher
    from tilewright.tune.bench.record import bench_problem

    record = bench_problem(Dispatcher(), problem_from_dict(PROBLEM), [get_peer("torch")], replace(QUICK, cache=cache))
    data: dict[str, Any] = record.to_dict()
    assert data["ok"] is True
    assert (data["backend"], data["tier"], data["policy"]["timer"]) == ("triton", "float64", "cuda")
    assert 0 < data["time_ms"] < 1.0
    assert data["peers"]["torch"]["ratio"] > 0
    assert "clocks" in data["policy"]
    assert data["policy"]["cache"] == {"hot": "rotate", "cold": "cold"}[cache]


CONV = {"op": "grouped_conv", "n": 4, "g": 8, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": [1, 1]}
FMHA = {"op": "fmha", "batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 128, "hdim_q": 64, "mask": "causal_top_left"}


@pytest.mark.gpu
@pytest.mark.parametrize(
    "data", [FMHA, *({**CONV, "direction": d} for d in ("forward", "backward_data", "backward_weight"))], ids=str
)
def test_torch_is_a_peer_in_convolution_and_attention_on_the_gpu(data: dict[str, Any]) -> None:
    from tilewright.dispatcher import Dispatcher
    from tilewright.tune.bench.record import bench_problem

    torch: Any = pytest.importorskip("torch")
    problem = problem_from_dict({**data, "dtype": "fp16", "device": "cuda:0"})
    record = bench_problem(Dispatcher(), problem, [get_peer("torch")], QUICK)
    assert record.ok, record
    assert record.peers["torch"]["ratio"] > 0, record.peers
    tensors = get_op(problem.op).random_tensors(problem, 0)
    answer = get_peer("torch").prepare(problem, tensors)
    assert isinstance(answer, PeerCall)
    theirs = torch.from_numpy(np.array(answer.out)).cuda()
    assert get_op(problem.op).verify(problem, tensors, theirs, product_error=2.0**-8).ok


@pytest.mark.gpu
def test_a_large_result_is_verified_on_the_gpu_and_a_wrong_one_is_found() -> None:
    from tilewright.dispatcher import Dispatcher
    from tilewright.ops import get_op

    problem = problem_from_dict({**PROBLEM, "m": 1536, "k": 2048})
    op = get_op("gemm")
    tensors = op.random_tensors(problem, 3)
    out = Dispatcher().run(problem, **tensors)
    assert (found := op.verify(problem, tensors, out)).ok
    assert found.tier == "device"
    out[1234, 77] += 2.0
    wrong = op.verify(problem, tensors, out)
    assert not wrong.ok
    assert wrong.where == (1234, 77)
