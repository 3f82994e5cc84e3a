"""GPU timing: graph replay, events, rotating buffers, peers in turn.

A sample is one or more replays of a graph that holds one launch per buffer set. The sets together are larger than the
largest cache (L2, or the 256 MB behind it on an MI300X), so every launch finds its operands in device memory, as a real
program would; launch gaps are those of the GPU and not of Python. Peers are sampled in turn, so that clocks and
temperature are the same for all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Call = Callable[[], Any]
USUAL_CACHE_BYTES = 64 << 20


@dataclass(frozen=True)
class GpuSample:
    """Seconds per launch of one call: the median over the rounds, their spread (quartile distance / median)."""

    seconds: float
    spread: float
    samples: tuple[float, ...]

    @classmethod
    def of(cls, samples: Sequence[float]) -> GpuSample:
        """Return the summary of some samples."""
        ordered = sorted(samples)
        quarter = len(ordered) // 4
        middle = median(ordered)
        return cls(middle, (ordered[-1 - quarter] - ordered[quarter]) / middle, tuple(samples))


def sets_to_rotate(bytes_per_set: int, cache_bytes: int, most: int = 64) -> int:
    """Return how many buffer sets are needed so that, together, they are twice the largest cache.

    `most` is for caches of up to 64 MiB; larger ones get more sets in proportion.

    >>> sets_to_rotate(1 << 20, 50 << 20), sets_to_rotate(1 << 30, 50 << 20), sets_to_rotate(4 << 20, 256 << 20)
    (64, 1, 128)
    """
    most *= max(1, cache_bytes // USUAL_CACHE_BYTES)
    return max(1, min(most, -(-2 * cache_bytes // max(1, bytes_per_set))))


class CapturedCalls:
    """A CUDA graph of some calls (each launches on torch's current stream), replayed as one unit."""

    def __init__(self, calls: Sequence[Call], repeat: int = 1) -> None:
        import torch as torch_module

        torch: Any = torch_module  # its CUDA classes carry no types
        self.launches = len(calls) * repeat
        self._calls = tuple(calls)  # they hold the tensors that the graph reads and writes
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for call in calls:  # a first call may allocate or load, which a capture does not allow
                call()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=stream):
            for _ in range(repeat):
                for call in calls:
                    call()
        self._begin, self._end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def sample(self, replays: int = 1) -> float:
        """Seconds per launch over `replays` replays."""
        self._begin.record()
        for _ in range(replays):
            self._graph.replay()
        self._end.record()
        self._end.synchronize()
        return float(self._begin.elapsed_time(self._end)) * 1e-3 / (replays * self.launches)


def time_in_turn(
    graphs: Mapping[str, CapturedCalls], rounds: int = 9, sample_ms: float = 4.0, warmup_ms: float = 4.0
) -> dict[str, GpuSample]:
    """Return the times of each graph, sampled A B C A B C ...; a sample lasts about `sample_ms`."""
    replays = {}
    for name, graph in graphs.items():
        graph.sample()
        one = graph.sample() * graph.launches
        replays[name] = max(1, round(sample_ms * 1e-3 / max(one, 1e-7)))
        graph.sample(max(1, round(warmup_ms * 1e-3 / max(one, 1e-7))))
    samples: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(rounds):
        for name, graph in graphs.items():
            samples[name].append(graph.sample(replays[name]))
    return {name: GpuSample.of(s) for name, s in samples.items()}


def clocks() -> dict[str, Any]:
    """Clocks of SM and memory, temperature and power of torch's GPU by nvidia-smi; empty if that is not there."""
    import subprocess

    fields, torch = "clocks.sm,clocks.mem,temperature.gpu,power.draw", sys.modules.get("torch")
    cuda: Any = torch.cuda if torch is not None and torch.cuda.is_initialized() else None
    uuid = getattr(cuda.get_device_properties(cuda.current_device()), "uuid", None) if cuda is not None else None
    which = [f"--id=GPU-{str(uuid).removeprefix('GPU-')}"] if uuid else []  # else all, in an order of its own
    try:
        said = subprocess.run(
            ["nvidia-smi", *which, f"--query-gpu={fields}", "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=10, check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return {}
    values = (value.strip() for value in said.partition("\n")[0].split(","))
    return dict(zip(("sm_mhz", "memory_mhz", "celsius", "watts"), values, strict=False))
