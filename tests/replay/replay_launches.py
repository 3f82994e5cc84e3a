"""What a launch on a nominal device hands to the kernel: the ABI struct on CPUs, grids and arguments on GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ctypes import CFUNCTYPE, c_int64, c_void_p, cast
from importlib import import_module
from pathlib import Path
from typing import Any

from replay_digest import digest
from replay_samples import Sample

from tilewright.backends import get_backend_op
from tilewright.model.kernel import Candidate
from tilewright.ops import get_op
from tilewright.plan import make_plan
from tilewright.settings import Settings

THREADS = 4  # where a launch leaves the number to the settings
APART = 1 << 32  # between the addresses of tensors; what is added to one stays visible


def launch_values(candidate: Candidate, sample: Sample) -> str:
    """Digest of the values of one launch; "-" where nothing is launched from Python."""
    return VALUES[candidate.spec.backend](candidate, sample)


def addresses(problem: Any) -> dict[str, int]:
    """An address for every tensor of a problem."""
    return {role: APART * (i + 1) for i, role in enumerate(get_op(problem.op).roles(problem))}


@CFUNCTYPE(c_int64, c_void_p)
def _no_bytes(args: Any) -> int:
    """Stands for `tw_pack_b_bytes`: any storage is large enough."""
    return 0


class CpuKernel:
    """Stands for a loaded kernel: keeps the ABI struct that a plan asks it about."""

    def __init__(self) -> None:
        self.asked, self.templates = b"", dict[Any, Any]()

    def address(self, name: str) -> int | None:
        return cast(_no_bytes, c_void_p).value

    def workspace(self, args: Any) -> int:
        self.asked = bytes(args)
        return 0


CPU_KERNELS: dict[Any, CpuKernel] = {}


def _cpu(candidate: Candidate, sample: Sample) -> str:
    kernel = CPU_KERNELS.setdefault(candidate.spec, CpuKernel())  # one for all sizes, as a dispatcher has it
    assert make_plan(sample.problem, candidate, kernel, Settings(threads=THREADS)).workspace_bytes == 0
    return digest(kernel.asked)


class GpuKernels:
    """Stands for the kernels of an artifact: only their names are asked for."""

    product = "kernel"

    def __init__(self, spec: Any, prefixes: Iterable[str]) -> None:
        self.spec, self.prefixes = spec, tuple(prefixes)

    def other(self, prefix: str) -> str:
        return prefix


class GpuDriver:
    """Stands for the driver of a nominal device, and keeps what is launched."""

    def __init__(self, sample: Sample) -> None:
        self.device, self.launched = sample.device, list[Any]()

    def attribute(self, name: str) -> int:
        assert name == "units"
        return self.device.units

    def units(self) -> int:
        return self.device.units

    def blocks_per_unit(self, function: Any, block: int) -> int:
        return 1

    def launch_raw(self, function: Any, grid: Any, block: Any, shared: int, stream: int, params: Any) -> int:
        self.launched.append([function, list(grid), list(block), shared])
        return 0

    def clear_rows(self, *values: int) -> None:
        self.launched.append(["clear", *values])

    def check(self, code: int, what: str) -> None:
        assert code == 0


def _recorded(kernel: str, driver: GpuDriver, grid: Any, args: Mapping[str, Any], *early: bool) -> list[Any]:
    return [kernel, list(grid), {str(k): v for k, v in args.items()}, *early]


def _triton(candidate: Candidate, sample: Sample) -> str:
    """Workspace, and the kernels that one launch starts with grid and arguments."""
    spec, problem, at = candidate.spec, sample.problem, addresses(sample.problem)
    for name in ("gemm", "conv", "fmha"):
        import_module(f"tilewright.backends.triton.{name}.launch").gpu_call = _recorded  # type: ignore[attr-defined]
    op = get_backend_op("triton", spec.op)
    if spec.algorithm.pipeline == "gemm":  # a product over the same memory
        from tilewright.backends.triton.conv.algorithm import gemm_spec
        from tilewright.ops.conv.product import gemm_roles

        kernels = GpuKernels(gemm_spec(spec), ["kernel"])
        at = {role: at[ours] for role, ours in gemm_roles(problem).items()}
    else:
        kernels = GpuKernels(spec, import_module(f"tilewright.backends.triton.{spec.op}.lower").jobs_of(spec))
    (stage,) = op.stages(candidate, problem, kernels, Settings())
    prepare = getattr(stage, "_inner", stage).prepare
    return digest([stage.workspace_bytes, prepare(GpuDriver(sample), at, APART * (len(at) + 1))])


def _ck_tile(candidate: Candidate, sample: Sample) -> str:
    """Of GEMM, whose argument is packed in Python: kernel, grid, argument struct."""
    if candidate.spec.op != "gemm":
        return "-"
    from tilewright.backends.ck_tile.call import CkKernels
    from tilewright.backends.ck_tile.gemm import OP
    from tilewright.backends.ck_tile.gemm.launch import arguments

    at = addresses(sample.problem)
    kernels = CkKernels(candidate.spec, Path(), {})
    kernels.function = lambda driver, instance: instance  # type: ignore[assignment, method-assign, return-value]
    driver = GpuDriver(sample)
    (stage,) = OP.stages(candidate, sample.problem, kernels, Settings())
    for call in stage.prepare(driver, at, 0):  # type: ignore[attr-defined]
        call(0)
    args = arguments(candidate.spec.algorithm.family, sample.problem, candidate.launch, at)
    return digest([driver.launched, bytes(args).hex()])


VALUES: dict[str, Callable[[Candidate, Sample], str]] = {"cpu": _cpu, "triton": _triton, "ck_tile": _ck_tile}
