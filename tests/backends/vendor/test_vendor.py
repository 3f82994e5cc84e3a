"""Vendor kernels: what they refuse and why, who they are, and that they leave the program as it was."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.vendor import cost
from tilewright.backends.vendor.gemm import VendorGemm
from tilewright.backends.vendor.gemm.blas import BlasStage
from tilewright.dispatcher.nominal import nominal_device
from tilewright.errors import SelectionError
from tilewright.jit.arrays import view_of
from tilewright.jit.launcher import launcher
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.gemm import Epilogue
from tilewright.ops.gemm.tensors import problem_of
from tilewright.registry import Registry, default_registry
from tilewright.select.chain import build_keys_now
from tilewright.settings import Settings

torch = pytest.importorskip("torch")

GEMM = {"op": "gemm", "m": 24, "n": 16, "k": 40, "dtype": "fp32"}
IMAGES = {"n": 2, "c": 8, "k": 16, "input": [6, 6], "filter": [3, 3]}
CONV = {"op": "grouped_conv", "direction": "forward", **IMAGES, "dtype": "fp32"}
FMHA = {"op": "fmha", "batch": 2, "heads_q": 4, "seqlen_q": 16, "hdim_q": 32, "dtype": "fp32"}


def only(op: str, library: str) -> tw.Dispatcher:
    registry = Registry("vendor")
    registry.declare(KernelSet("one", op, "vendor", ({"library": library},)))
    return tw.Dispatcher(registry, selector="analytical")


REFUSED: list[tuple[str, str, Mapping[str, Any], str]] = [
    ("gemm", "blas", {"dtype": "fp16"}, "vendor.gemm.dtypes"),
    ("gemm", "torch", {"dtype_a": "fp32", "dtype_b": "fp32", "dtype_out": "fp16"}, "vendor.gemm.dtypes"),
    ("gemm", "torch", {"dtype_acc": "fp64"}, "vendor.gemm.accumulator"),
    ("gemm", "torch", {"b_format": "cpu_panels_8"}, "vendor.gemm.plain_b"),
    ("gemm", "torch", {"scale_a": "row", "scale_b": "row"}, "vendor.gemm.scales"),
    ("gemm", "torch", {"d": [{"dtype": "fp32"}], "epilogue": {"combine": "multiply"}}, "vendor.gemm.epilogue"),
    ("gemm", "blas", {"epilogue": {"activation": "tanh"}}, "vendor.gemm.epilogue"),
    ("gemm", "torch", {"split_k": 3}, "vendor.gemm.scalars"),
    ("gemm", "blas", {"groups": 3}, "vendor.gemm.groups"),
    ("gemm", "blas", {"epilogue": {"alpha": 0.0}}, "vendor.gemm.scalars"),
    ("gemm", "blas", {"strides": {"a": [80, 2]}}, "vendor.gemm.strides"),
    ("gemm", "torch", {"strides": {"a": [-40, 1]}}, "vendor.gemm.strides"),
    ("gemm", "torch", {"dtype": "int8", "batch": 2}, "vendor.gemm.eight_bit"),
    ("gemm", "torch", {"dtype": "int8", "strides": {"out": [20, 1]}}, "vendor.gemm.eight_bit"),
    ("conv", "torch", {"dtype": "fp16"}, "vendor.conv.dtypes"),
    ("conv", "cudnn", {}, "vendor.conv.cudnn"),
    ("conv", "torch", {"pad": [[0, 1], [0, 1]]}, "vendor.conv.scalars"),
    ("conv", "torch", {"split_k": 2}, "vendor.conv.scalars"),
    ("conv", "torch", {"strides": {"input": [1000, 8, 1, 100, 8]}}, "vendor.conv.strides"),
    ("fmha", "efficient", {}, "vendor.fmha.kernel"),
    ("fmha", "math", {"dtype": "fp16"}, "vendor.fmha.kernel"),
    ("fmha", "flash", {"soft_cap": 1.0}, "vendor.fmha.features"),
    ("fmha", "flash", {"bias": "alibi"}, "vendor.fmha.features"),
    ("fmha", "math", {"lse": True}, "vendor.fmha.features"),
    ("fmha", "flash", {"mask": "causal_top_left", "seqlen_k": 20}, "vendor.fmha.sizes"),
    ("fmha", "flash", {"heads_kv": 2}, "vendor.fmha.sizes"),
    ("fmha", "flash", {"strides": {"q": [4096, 256, 64, 2]}}, "vendor.fmha.strides"),
]


@pytest.mark.parametrize(("op", "library", "change", "rule"), REFUSED)
def test_every_rule_refuses_with_its_numbers(op: str, library: str, change: Mapping[str, Any], rule: str) -> None:
    plain: dict[str, Any] = {"gemm": GEMM, "conv": CONV, "fmha": FMHA}[op]
    given = {**plain, **change}
    if "dtype_a" in change:
        given.pop("dtype")
    problem, dispatcher = problem_from_dict(given), only(op, library)
    found = dispatcher.registry.consider(problem, dispatcher.device_for(problem))
    assert not found.legal
    assert rule in found.counts()


def test_on_gpus_only_what_was_run_there() -> None:
    """fp64 by channels is wrong in cuDNN, and the products of 8 bits have limits that no rule knows."""
    registry, h200 = default_registry(["vendor"]), nominal_device("sm_90")
    for given in ({**GEMM, "dtype": "int8"}, {**CONV, "dtype": "fp64"}, {**FMHA, "dtype": "fp32"}):
        found = registry.consider(problem_from_dict({**given, "device": "cuda:0"}), h200)
        assert not found.legal, given
        assert found.counts()["vendor.gpu_dtypes"], given


@pytest.mark.parametrize("arch", ["sm_90", "gfx942", "x86_64_v4"])
def test_only_kernels_of_the_arch_are_proposed(arch: str) -> None:
    registry, device = default_registry(["vendor"]), nominal_device(arch)
    given = {**FMHA, "dtype": "fp32", "device": "cpu" if arch.startswith("x86") else "cuda:0"}
    found = registry.consider(problem_from_dict(given), device)
    absent = [r for _, all_of_it in found.rejected for r in all_of_it if "there is no kernel" in r.message]
    assert bool(absent) is (arch != "sm_90")
    for rejection in absent:
        assert rejection.message.split()[4] not in rejection.remedy.split()


def test_a_gpu_rule_refuses() -> None:
    registry = default_registry(["vendor"])
    wide = problem_from_dict({**FMHA, "dtype": "bf16", "hdim_q": 36, "device": "cuda:0"})
    rules = registry.consider(wide, nominal_device("sm_90")).counts()
    assert rules["vendor.fmha.kernel"] == 4  # 36 is no multiple of 8; math has no bf16
    conv = problem_from_dict(
        {**CONV, "dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "device": "cuda:0"}
    )
    assert registry.consider(conv, nominal_device("sm_90")).counts()["vendor.conv.epilogue"] == 2
    residual = {**GEMM, "dtype": "bf16", "d": [{"dtype": "bf16"}], "device": "cuda:0"}
    found = registry.consider(problem_from_dict(residual), nominal_device("sm_90")).counts()
    assert found["vendor.gemm.gpu_d"] == 1  # cuBLAS rounds small products before it adds a matrix
    by_columns = {**residual, "layout": "rcc", "d": [{"dtype": "bf16", "broadcast": "row"}]}
    found = registry.consider(problem_from_dict(by_columns), nominal_device("sm_90")).counts()
    assert found["vendor.gemm.gpu_d"] == 1  # torch asks cuBLASLt for a sum with a vector only into dense rows
    by_rows = problem_from_dict({**by_columns, "layout": "rcr"})
    assert registry.consider(by_rows, nominal_device("sm_90")).legal
    host = problem_from_dict({**GEMM, "dtype": "fp16"})
    assert registry.consider(host, nominal_device("sm_90")).counts()["vendor.place"] == 1


def test_single_heads_and_rows_keep_whole_vectors() -> None:
    """torch's kernels look at the strides of dimensions of size 1 too."""
    from tilewright.backends.vendor.fmha.calls import layouts

    problem = problem_from_dict({**FMHA, "dtype": "bf16", "batch": 1, "heads_q": 1, "seqlen_q": 1, "device": "cuda:0"})
    for role, (shape, strides) in layouts(problem).items():
        assert all(step % 8 == 0 for step in strides[:-1]), (role, shape, strides)


def test_an_emulated_gpu_has_no_library() -> None:
    problem = problem_from_dict({**GEMM, "dtype": "fp16", "device": "emu:gfx942"})
    assert default_registry(["vendor"]).legal(problem, nominal_device("gfx942")) == []


def test_settings_leave_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_from_dict(GEMM)

    def backends(dispatcher: tw.Dispatcher) -> set[str]:
        return {r.candidate.spec.backend for r in dispatcher.explain(problem).ranked}

    assert backends(tw.Dispatcher(settings=Settings(vendor=True))) == {"cpu", "vendor"}
    assert backends(tw.Dispatcher(settings=Settings(vendor=False))) == {"cpu"}
    monkeypatch.setenv("TILEWRIGHT_VENDOR", "0")
    assert backends(tw.Dispatcher()) == {"cpu"}
    assert {s.backend for s in default_registry().sets("arm")} == {"cpu"}
    assert "left out" in (get_backend("vendor").missing(Settings(vendor=False)) or "")


def test_the_version_of_the_library_is_part_of_a_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = only("gemm", "torch").explain(problem_from_dict(GEMM)).ranked
    spec = ranked[0].candidate.spec
    before = build_keys_now(spec, Settings())
    assert before[0].startswith("library-")
    monkeypatch.setattr(torch, "__version__", "0.0")
    assert build_keys_now(spec, Settings()) != before
    assert get_backend_op("cpu", "gemm").library(spec) == ""


def test_a_copy_is_a_step() -> None:
    conv = only("conv", "torch").plan(problem_from_dict(CONV))
    assert [step.name for step in conv.steps] == ["torch", "copy of the result"]
    product = only("gemm", "blas").plan(problem_from_dict(GEMM))
    assert [step.name for step in product.steps] == ["blas"]


def test_torch_is_not_imported() -> None:
    text = """
import sys, numpy as np, tilewright as tw
a = np.ones((3, 4), np.float32)
out = tw.gemm(a, a.T.copy(), dispatcher=tw.Dispatcher(tw.default_registry(["vendor"])))
assert out[0, 0] == 4 and "torch" not in sys.modules
found = tw.Dispatcher(tw.default_registry(["vendor"])).explain(tw.problem_from_dict(
    {"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32"}))
assert [r.candidate.spec.algorithm.library for r in found.ranked] == ["blas"]
assert "has not imported torch" in str(found.rejected[0][1][0])
"""
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)


@pytest.mark.parametrize("library", ["blas", "torch"])
@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_calls_of_the_front_end(library: str, kind: Any) -> None:
    rng, where = np.random.default_rng(1), only("gemm", library)
    for _ in range(3):  # planned, prepared, remembered
        a, b = rng.standard_normal((5, 7), np.float32), rng.standard_normal((7, 6), np.float32)
        bias, out = rng.standard_normal(6, np.float32), np.full((5, 6), np.nan, np.float32)
        tw.gemm(kind(a), kind(b), out=kind(out), d=kind(bias), activation="relu", dispatcher=where)
        np.testing.assert_allclose(out, np.maximum(a @ b + bias, 0), rtol=1e-5, atol=1e-5)
        made = tw.gemm(kind(a), kind(b.T.copy().T), dispatcher=where)
        np.testing.assert_allclose(np.asarray(made), a @ b, rtol=1e-5, atol=1e-5)
        total = out.copy()
        tw.gemm(kind(a), kind(b), out=kind(total), d=kind(total), dispatcher=where)  # in place
        np.testing.assert_allclose(total, a @ b + out, rtol=1e-5, atol=1e-5)


def test_torch_stays_as_it_is_set() -> None:
    problem, where = problem_from_dict({**GEMM, "layout": "rrr"}), only("gemm", "torch")
    where.settings = Settings(threads=1)
    tensors = {r: torch.from_numpy(t) for r, t in get_op("gemm").random_tensors(problem, 0).items()}
    expected = tensors["a"] @ tensors["b"]
    tensors["a"].requires_grad_()  # gradients are off below
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    torch.set_float32_matmul_precision("medium")
    try:
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            out = where.run(problem, **tensors)
        assert torch.get_num_threads() == 2
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_num_threads(before)
        torch.set_float32_matmul_precision("highest")
    assert out.dtype == torch.float32
    assert not out.requires_grad
    torch.testing.assert_close(out, expected)


def test_tensors_of_inference_mode() -> None:
    where = only("gemm", "torch")
    with torch.inference_mode():
        a, b, out = torch.ones(3, 4), torch.ones(4, 5), torch.zeros(3, 5)
    for _ in range(3):
        tw.gemm(a, b, out=out, dispatcher=where)
    assert float(out.sum()) == 60.0


def test_threads_of_blas_come_back() -> None:
    from tilewright.backends.vendor.libraries import Blas, numpy_blas

    blas = numpy_blas()
    if not isinstance(blas, Blas) or blas.get_threads is None:
        pytest.skip("the threads of this BLAS cannot be asked for")
    before, seen = blas.get_threads(), []
    with blas.limited(1):
        seen.append(blas.get_threads())
    assert (seen, blas.get_threads()) == ([1], before)


def test_a_call_from_c_has_its_own_threads() -> None:
    from tilewright.backends.vendor.libraries import Blas, numpy_blas

    blas = numpy_blas()
    if not isinstance(blas, Blas) or blas.get_threads is None:
        pytest.skip("the threads of this BLAS cannot be asked for")
    assert blas.set_threads is not None
    before = blas.get_threads()
    blas.set_threads(2)
    try:
        tensors = {role: np.ones((4, 4), np.float32) for role in ("a", "b", "out")}
        views = {role: view_of(t, role) for role, t in tensors.items()}
        BlasStage("blas", problem_of(views, epilogue=Epilogue()), 1).bind(views)(None)
        assert blas.get_threads() == 2
    finally:
        blas.set_threads(before)
    assert tensors["out"][0, 0] == 4.0


def test_the_blas_of_numpy_is_found_in_an_environment_behind_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tilewright.backends.vendor.libraries import numpy_blas

    pytest.importorskip("scipy.linalg", reason="scipy is not installed: NumPy's BLAS is the only one")
    packages = Path(np.__file__).resolve().parents[1]
    (tmp_path / "packages").symlink_to(packages)
    monkeypatch.setattr(np, "__file__", str(tmp_path / "packages" / "numpy" / "__init__.py"))
    assert not isinstance(numpy_blas.__wrapped__(), str)


def test_no_library_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilewright.backends.vendor import rules

    monkeypatch.setattr(rules, "numpy_blas", lambda: "no BLAS")
    with pytest.raises(SelectionError, match="no BLAS"):
        only("gemm", "blas").plan(problem_from_dict(GEMM))


def test_support_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    from tilewright.cli.support import support, support_rows

    rows = [r for r in support_rows("sm_90") if r["backend"] == "vendor" and r["kernels"]]
    assert {(r["op"], r["dtype"]) for r in rows} >= {("gemm", "bf16"), ("conv", "fp16"), ("fmha", "bf16")}
    support("aarch64")
    assert "vendor: calls libraries, builds nothing" in capsys.readouterr().out


def _laid_out(shape: tuple[int, int], dtype: str, how: str) -> Any:
    rng = np.random.default_rng(0)
    if how == "columns":
        return np.asfortranarray(rng.standard_normal(shape).astype(dtype))
    return rng.standard_normal((shape[0], shape[1] + (3 if how == "slice" else 0))).astype(dtype)[:, : shape[1]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(3, 5, 7), (1, 5, 7), (3, 1, 7), (1, 1, 7), (8, 5, 1), (1, 5, 1), (3, 1, 1)])
def test_blas_is_called_from_c(sizes: tuple[int, int, int], dtype: str) -> None:
    """Every layout of every matrix, vectors too; what `out` held before does not count."""
    m, n, k = sizes
    for hows in itertools.product(("rows", "columns", "slice"), repeat=3):
        shapes = {"a": (m, k), "b": (k, n), "out": (m, n)}
        tensors = {role: _laid_out(shape, dtype, how) for (role, shape), how in zip(shapes.items(), hows, strict=True)}
        tensors["out"][...] = np.nan
        views = {role: view_of(t, role) for role, t in tensors.items()}
        stage = BlasStage("blas", problem_of(views, epilogue=Epilogue()), 1)
        assert type(stage.call(views)) is launcher().call
        stage.bind(views)(None)
        np.testing.assert_allclose(tensors["out"], tensors["a"] @ tensors["b"], rtol=1e-4, atol=1e-4)


def test_a_call_on_a_dispatcher_is_found_in_c() -> None:
    """A library's kernel too, and of any dispatcher: nothing is planned or built from Python again."""
    dispatcher = only("gemm", "blas")
    a, b, out = (np.ones((4, 4), np.float32) for _ in range(3))
    for _ in range(2):
        assert tw.gemm(a, b, out=out, dispatcher=dispatcher)[0, 0] == 4.0
    assert dispatcher.calls.in_c is not None
    assert len(dispatcher.calls.in_c) == 1


def test_a_contest_is_open_where_our_own_prediction_may_be_wrong() -> None:
    """On a Neoverse-N1 a row of 1024 times 256 columns takes twice as long as predicted: 47 us instead of 24."""
    problem = problem_from_dict({**GEMM, "m": 1, "n": 256, "k": 1024})
    spec = KernelSpec("gemm", "vendor", "aarch64_dot", problem.signature, VendorGemm("blas"))
    assert cost.doubt(spec, problem) > 2.1
