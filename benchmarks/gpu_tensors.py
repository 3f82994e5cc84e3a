"""Random tensors on the GPU, and prepared launches of built kernels on them."""

from __future__ import annotations

import math
import os

from gpu_space import GemmProblem  # noqa: F401 (first, for the path to the package)

from tilewright.backends.triton.gemm.bind import workspace_bytes


def torch_dtype(name):
    import torch

    return {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp8": torch.float8_e4m3fn,
            "bf8": torch.float8_e5m2, "int8": torch.int8, "int32": torch.int32}[name]  # fmt: skip


def random_matrix(rows, cols, letter, dtype, batch=1, pool=None):
    """A random [batch,] rows x cols matrix of a layout letter; `pool` lends memory of random numbers."""
    import torch

    shape = (batch, rows, cols) if letter == "r" else (batch, cols, rows)
    if pool is not None:
        x = pool.take(shape, torch_dtype(dtype))
    elif dtype == "int8":
        x = torch.randint(-127, 128, shape, dtype=torch.int8, device="cuda")
    elif dtype == "int32":
        x = torch.randint(-1000, 1000, shape, dtype=torch.int32, device="cuda")
    else:
        x = torch.randn(shape, device="cuda").to(torch_dtype(dtype))
    x = x if letter == "r" else x.transpose(1, 2)
    return x if batch > 1 else x[0]


class Pool:
    """One block of random numbers, from which tensors are cut in turn: filling takes longer than measuring."""

    def __init__(self, dtype, size):
        import torch

        self.dtype, self.at = dtype, 0
        count = size // torch.empty((), dtype=dtype).element_size()
        if dtype == torch.int8:
            self.data = torch.randint(-127, 128, (count,), dtype=dtype, device="cuda")
        else:
            self.data = torch.empty(count, dtype=dtype, device="cuda")
            for part in self.data.split(1 << 26):
                part.copy_(torch.randn(part.numel(), device="cuda"))

    def take(self, shape, dtype):
        count = math.prod(shape)
        if self.at + count > self.data.numel():
            self.at = 0
        x = self.data[self.at : self.at + count].view(shape)
        self.at += -(-count // 128) * 128
        return x


def tensors_for(problem, pool=None):
    """Random operands and an output of the problem."""
    import torch

    p, sizes = problem, {}
    for role in ("a", "b", "out"):
        letter = p.layout[{"a": 0, "b": 1, "out": 2}[role]]
        rows, cols = p.shape(role)
        lend = pool if role != "out" else None
        if role == "out":
            base = torch.empty((p.batch, rows, cols) if letter == "r" else (p.batch, cols, rows),
                               dtype=torch_dtype(p.dtype_out), device="cuda")  # fmt: skip
            base = base if letter == "r" else base.transpose(1, 2)
            sizes[role] = base if p.batch > 1 else base[0]
        else:
            sizes[role] = random_matrix(rows, cols, letter, p.dtype(role), p.batch, lend)
    for role in p.roles[3:]:
        if role.startswith("scale"):
            sizes[role] = torch.rand(p.shape(role), device="cuda") + 0.5
        else:
            rows, cols = p.shape(role)
            sizes[role] = random_matrix(rows, cols, "r", p.dtype(role), p.batch)
    return sizes


class Runner:
    """Loaded kernels and prepared launches."""

    def __init__(self, folder):
        from tilewright.backends.gpu import cuda_driver as driver_module
        from tilewright.backends.gpu.cuda_driver import cuda_driver

        if "BENCH_L2_PROMOTION" in os.environ:  # to measure what the driver's setting is worth
            driver_module.L2_PROMOTION = int(os.environ["BENCH_L2_PROMOTION"])
        self.folder, self.driver, self.kernels = folder, cuda_driver(), {}
        self.units = self.driver.attribute("units")
        self.workspaces = {}

    def kernel(self, spec):
        from tilewright.backends.triton.gemm.launch import GemmKernel

        key = spec.digest[:16]
        if key not in self.kernels:
            self.kernels[key] = GemmKernel(spec, self.folder / key)
        return self.kernels[key]

    def workspace(self, size):
        import torch

        if size not in self.workspaces:
            self.workspaces[size] = torch.zeros(size, dtype=torch.uint8, device="cuda")
        return self.workspaces[size].data_ptr()

    def call(self, spec, problem, launch, tensors, early=True):
        """A function without arguments that launches on torch's current stream."""

        from tilewright.backends.gpu.launches import runner
        from tilewright.backends.triton.gemm.launch import prepare

        size = workspace_bytes(problem, spec.algorithm, launch, self.units)
        workspace = self.workspace(size) if size else 0
        addresses = {r: t.data_ptr() for r, t in tensors.items()}
        calls = prepare(self.kernel(spec), self.driver, problem, launch, self.units, addresses, workspace, early)
        run = runner(self.driver, calls)
        return lambda: run(None)
