"""GpuQueue: the one stream on which a meter queues launches, with marks in it that tell times. Through torch."""

from __future__ import annotations

from typing import Any

POOL_BYTES = 16 << 30  # asked for once: later tensors are cut from it, and nothing waits for the driver
CYCLES = 2e9  # per second, no fewer than there are: a pause may be longer than asked for, not shorter


class GpuQueue:
    """A stream of its own, which is made torch's current one."""

    def __init__(self) -> None:
        import torch as torch_module

        self._torch: Any = torch_module  # its CUDA classes carry no types
        self._stream = self._torch.cuda.Stream()
        self._torch.cuda.set_stream(self._stream)
        self.stream = int(self._stream.cuda_stream)
        self._reserve()

    def _reserve(self) -> None:
        """Let torch's allocator hold a large block, from which it serves later requests at no cost."""
        torch = self._torch
        room = min(POOL_BYTES, torch.cuda.mem_get_info()[0] // 2)
        block = torch.empty(room, dtype=torch.uint8, device="cuda")
        del block

    def zeros(self, size: int) -> Any:
        """Zeroed bytes."""
        return self._torch.zeros(size, dtype=self._torch.uint8, device="cuda")

    def pause(self, seconds: float) -> None:
        """Let the GPU do nothing for a while, at this place of the queue."""
        self._torch.cuda._sleep(int(seconds * CYCLES))

    def mark(self) -> Any:
        """A mark at this place of the queue."""
        event = self._torch.cuda.Event(enable_timing=True)
        event.record(self._stream)
        return event

    def reached(self, mark: Any) -> bool:
        """Whether the GPU has come to a mark already; this waits for nothing."""
        return bool(mark.query())

    def wait(self) -> None:
        """Until everything queued is done."""
        self._stream.synchronize()

    def seconds(self, begin: Any, end: Any) -> float:
        """Between two marks that were reached."""
        return float(begin.elapsed_time(end)) * 1e-3
