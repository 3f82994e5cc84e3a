"""Places such as `emu:gfx942`: dispatch, commands and functions on host arrays, and what the sanitizer reports."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from standin_rocm import code_object, spied
from typer.testing import CliRunner

from tilewright.backends import backends_at, device_at, place_of
from tilewright.backends.ck_tile.gemm import OP, preselected_kernels
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.gpu.emulated.standin import emulated_driver, emulated_runtime
from tilewright.cli.app import app
from tilewright.dispatcher import Dispatcher
from tilewright.errors import (
    DeviceError,
    LaunchError,
    SanitizerError,
    TensorError,
    ToolchainError,
    UnknownNameError,
)
from tilewright.jit.arrays import view_of
from tilewright.model.device import memory_of
from tilewright.model.kernel import Candidate, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import Plan, make_plan
from tilewright.settings import Settings

SETTINGS = Settings()
ARCHS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")
GEMM = {"op": "gemm", "m": 128, "n": 128, "k": 256, "dtype": "fp16", "device": "emu:gfx942"}


def plan_of(folder: Path, settings: Settings = SETTINGS, change: Any = None) -> Plan:
    """The plan of a compiled CK Tile GEMM whose assembly is in the test data; `change` breaks the text."""
    problem = problem_from_dict(GEMM)
    spec = preselected_kernels("fp16_rcr_essential", "gfx942")[1]
    text = code_object(folder).with_suffix(".s")
    if change is not None:
        text.write_text(change(text.read_text()))
    symbols = {instance_of(spec, problem.k, 1).name: "ck_gemm"}
    kernel = OP.load(spec, SimpleNamespace(path=folder, metadata={"symbols": symbols}))
    return make_plan(problem, Candidate(spec, Launch()), kernel, settings)


def tensors_of(plan: Plan) -> dict[str, Any]:
    return get_op("gemm").random_tensors(plan.problem, 5)


def bound(plan: Plan, tensors: dict[str, Any]) -> Any:
    return plan.bind({role: view_of(t, role) for role, t in tensors.items()})


@pytest.mark.parametrize("arch", ARCHS)
def test_every_arch_has_a_place(arch: str) -> None:
    device = device_at(f"emu:{arch}", SETTINGS)
    assert (device.arch, device.nominal) == (arch, True)
    assert backends_at(f"emu:{arch}") == ["ck_tile", "triton"]
    assert emulated_driver(arch).units() == device.units
    assert place_of(arch, SETTINGS) is None, "an emulated GPU is not one that is here"
    assert memory_of(f"emu:{arch}") == "cpu"


PROBLEMS = {
    "gemm": {**GEMM, "d": [{"dtype": "fp32", "broadcast": "row"}]},
    "gemm of bytes": {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "int8", "d": [{"dtype": "int32"}]},
    "gemm of groups": {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16", "groups": 2},
    "gemm with factors": {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype_a": "fp8", "dtype_b": "fp8",
                          "dtype_out": "fp16", "scale_a": "row", "scale_b": "tensor"},
    "conv": {"op": "grouped_conv", "direction": "forward", "n": 1, "c": 8, "k": 8, "input": [8, 8], "filter": [3, 3],
             "dtype": "fp16"},
    "attention": {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 64, "hdim_q": 64, "dtype": "fp16",
                  "mode": "group"},
}  # fmt: skip


def moved(tensor: Any, by: int) -> Any:
    """A copy whose memory begins `by` bytes after a multiple of 16."""
    room = np.zeros(tensor.nbytes + 32, np.uint8)
    first = -room.ctypes.data % 16 + by
    found = np.ndarray(tensor.shape, tensor.dtype, room, first, tensor.strides)
    found[...] = tensor
    return found


@pytest.mark.parametrize("case", PROBLEMS)
def test_addresses_are_aligned_as_the_problem_says(case: str) -> None:
    """A kernel that reads vectors got an address between two of them."""
    data = {**PROBLEMS[case], "device": "emu:gfx942"}
    problem = problem_from_dict(data)
    op, dispatcher = get_op(problem.op), Dispatcher(build="never")
    tensors = op.random_tensors(problem, 1)
    assert op.mismatches(problem, {role: view_of(t, role) for role, t in tensors.items()}) == []
    for role, tensor in tensors.items():
        changed = {**tensors, role: moved(tensor, 4)}
        views = {name: view_of(t, name) for name, t in changed.items()}
        if role in (*op.index_roles, *(["scale_b"] if "factors" in case else [])):  # read number by number
            assert op.mismatches(problem, views) == []
            continue
        with pytest.raises(TensorError, match=f"{role} is not at a multiple of 16 bytes, as the problem says"):
            dispatcher.run(problem, **changed)
        assert op.mismatches(problem_from_dict({**data, "alignment": {role: 4}}), views) == []
        assert op.mismatches(problem_from_dict({**data, "device": "cpu"}), views) == []


@pytest.mark.parametrize("place", ["emu", "emu:0", "emu:sm_90", "emu:gfx1030", "emu:GFX942", "emu:gfx942:0"])
def test_other_names_are_refused(place: str) -> None:
    with pytest.raises(DeviceError, match=r"names no (emulated GPU|device)"):
        device_at(place, SETTINGS)


def test_a_driver_of_an_unknown_arch_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean"):
        emulated_driver("gfx943")


def test_host_arrays_go_in_and_results_come_out(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    tensors = tensors_of(plan)
    live = len(emulated_runtime().memory._sizes)
    run = bound(plan, tensors)
    for _ in range(2):
        run()
    verdict = get_op("gemm").verify(plan.problem, tensors, tensors["out"], tier="float64")
    assert verdict.ok, (verdict.error, verdict.tolerance)
    tensors["a"][:] = 0
    run()
    assert not tensors["out"].any(), "arrays are read again at each call"
    del run
    assert len(emulated_runtime().memory._sizes) == live, "emulated memory is given back"


def test_tensors_that_share_memory_share_it_on_the_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(tmp_path)
    tensors = tensors_of(plan)
    square = np.ascontiguousarray(tensors["a"])
    tensors |= {"a": square[:128], "b": square[:128].T}
    allocations = spied(emulated_runtime(), "hipMalloc", monkeypatch)
    bound(plan, tensors)
    assert sorted(size for _, size in allocations) == [2 * 128 * 128, 2 * 128 * 256], (
        "one piece for a and b, one for out"
    )


def test_a_read_only_array_is_not_written(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    tensors = tensors_of(plan)
    before = tensors["out"].copy()
    tensors["out"].setflags(write=False)
    with pytest.raises(LaunchError, match="wrote to out, which is read-only"):
        bound(plan, tensors)()
    assert np.array_equal(tensors["out"], before, equal_nan=True)


def drop_barrier(text: str) -> str:
    head, _, tail = text.partition("\ts_barrier\n")
    assert tail
    return head + "\ts_nop 0\n" + tail


def test_the_sanitizer_reports_a_dropped_barrier(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, Settings(sanitize=True), drop_barrier)
    tensors = tensors_of(plan)
    with pytest.raises(SanitizerError, match="LDS race") as caught:
        bound(plan, tensors)()
    found = caught.value.findings[0]
    assert (found.kind, found.kernel) == ("lds-race", "ck_gemm")
    assert found.line > 0
    assert found.lane is not None
    bound(plan_of(tmp_path, SETTINGS, drop_barrier), tensors)()  # unless asked, it is not looked for


def test_an_unbroken_kernel_is_clean(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, Settings(sanitize=True))
    bound(plan, tensors_of(plan))()


def test_the_sanitizer_is_a_setting() -> None:
    assert Settings.from_env({"TILEWRIGHT_SANITIZE": "1"}).sanitize
    assert Settings(sanitize=True).build_key_part() == Settings().build_key_part()
    assert Settings(cxx_flags="-g").build_key_part() != Settings().build_key_part()


@pytest.mark.parametrize("command", ["bench", "tune"])
def test_no_speed_is_claimed(command: str) -> None:
    done = CliRunner().invoke(app, [command, json.dumps(GEMM), "--device", "emu:gfx942"])
    assert isinstance(done.exception, DeviceError)
    assert "times say nothing" in str(done.exception)


def test_only_an_emulated_gpu_can_be_watched() -> None:
    done = CliRunner().invoke(app, ["run", json.dumps({**GEMM, "device": "cpu"}), "--sanitize"])
    assert "emulated GPUs only" in str(done.exception)


def test_the_run_command_checks_and_watches() -> None:
    pytest.importorskip("triton")
    small = {**GEMM, "n": 64, "k": 96}
    words = ["run", json.dumps(small), "--device", "emu:gfx942", "--backend", "triton", "--check", "--sanitize"]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    assert (row["ok"], row["findings"], row["time_ms"]) == (True, [], None)


def test_a_backend_without_its_toolchain_is_passed_over_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton")
    from tilewright.backends.ck_tile.op import CkTileOp

    def no_tools(self: Any, spec: Any, settings: Any) -> Any:
        raise ToolchainError("the cross toolchain is not installed", remedy="install it")

    monkeypatch.setattr(CkTileOp, "request", no_tools)
    dispatcher, problem = Dispatcher(), problem_from_dict({**GEMM, "n": 64, "k": 96})
    ranked = sorted(dispatcher.explain(problem).ranked, key=lambda r: r.candidate.spec.backend)  # ck_tile first
    plan = dispatcher._first_usable(problem, [ranked[0], *(r for r in ranked if r.candidate.spec.backend == "triton")])
    assert plan.candidate.spec.backend == "triton"
    assert [e.message for e in dispatcher.events] == ["the cross toolchain is not installed"]
    with pytest.raises(ToolchainError, match="not installed"):
        dispatcher._first_usable(problem, ranked[:1])


def test_functions_take_the_place() -> None:
    pytest.importorskip("triton")
    import tilewright as tw

    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((128, 96)).astype(np.float16), rng.standard_normal((64, 96)).astype(np.float16).T
    out = tw.gemm(a, b, device="emu:gfx942")
    np.testing.assert_allclose(out.astype(np.float64), a.astype(np.float64) @ b.astype(np.float64), atol=0.05)
    assert tw.gemm(a, b, out=out, device="emu:gfx942") is out
    with pytest.raises(TensorError, match="a is on cpu"):
        tw.gemm(a, b, device="cuda:0")
    with pytest.raises(DeviceError, match="gfx943"):
        tw.gemm(a, b, device="emu:gfx943")
