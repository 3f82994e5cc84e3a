"""GpuQueue: the stream on which a meter queues launches, with marks that measure time. Through torch."""

from __future__ import annotations

from typing import Any

POOL_BYTES = 16 << 30  # allocated once: later tensors come from it without waiting for the driver
CYCLES = 2e9  # per second, an upper bound: a pause may be longer than requested, not shorter


class GpuQueue:
    """A new stream, which becomes torch's current one."""

    def __init__(self) -> None:
        import torch as torch_module

        self._torch: Any = torch_module  # its CUDA classes have no types
        self._stream = self._torch.cuda.Stream()
        self._torch.cuda.set_stream(self._stream)
        self.stream = int(self._stream.cuda_stream)
        self._reserve()

    def _reserve(self) -> None:
        """Make torch's allocator reserve a large block for later requests."""
        torch = self._torch
        room = min(POOL_BYTES, torch.cuda.mem_get_info()[0] // 2)
        block = torch.empty(room, dtype=torch.uint8, device="cuda")
        del block

    def zeros(self, size: int) -> Any:
        """Return zeroed bytes."""
        return self._torch.zeros(size, dtype=self._torch.uint8, device="cuda")

    def pause(self, seconds: float) -> None:
        """Make the GPU idle for a while at this point of the queue."""
        self._torch.cuda._sleep(int(seconds * CYCLES))

    def mark(self) -> Any:
        """Return a mark at this point of the queue."""
        event = self._torch.cuda.Event(enable_timing=True)
        event.record(self._stream)
        return event

    def reached(self, mark: Any) -> bool:
        """Return whether the GPU has reached a mark; does not wait."""
        return bool(mark.query())

    def wait(self) -> None:
        """Wait until everything queued is done."""
        self._stream.synchronize()

    def seconds(self, begin: Any, end: Any) -> float:
        """Return the seconds between two marks that were reached."""
        return float(begin.elapsed_time(end)) * 1e-3
