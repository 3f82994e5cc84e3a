"""GEMM through the dispatcher on a real GPU: dtypes, block scales, packed weights, and input that is refused."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

import tilewright
from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.errors import DeviceError, SelectionError, TensorError
from tilewright.jit.arrays import view_of
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import make_plan

pytestmark = pytest.mark.gpu

CASES: list[dict[str, Any]] = [
    {"m": 300, "n": 520, "k": 264, "dtype": "bf16", "layout": "ccr"},
    {"m": 300, "n": 520, "k": 264, "dtype": "fp32", "layout": "rrr"},
    {"m": 301, "n": 519, "k": 263, "dtype": "fp16", "layout": "rrc", "batch": 3},
    {"m": 300, "n": 520, "k": 272, "dtype": "int8"},
    {"m": 300, "n": 528, "k": 272, "dtype": "fp8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "tensor"},
    {"m": 300, "n": 528, "k": 400, "dtype": "fp8", "dtype_out": "bf16", "scale_a": "block", "scale_b": "block"},
    {"m": 7, "n": 528, "k": 2064, "dtype": "fp8", "dtype_out": "bf16", "scale_a": "block", "scale_b": "block"},
    {"m": 300, "n": 528, "k": 401, "dtype": "fp8", "dtype_out": "bf16", "scale_a": "block", "scale_b": "block"},
    {"m": 300, "n": 528, "k": 400, "dtype": "bf8", "dtype_out": "fp16", "scale_a": "none", "scale_b": "block"},
    {"m": 300, "n": 520, "k": 264, "dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}],
     "epilogue": {"activation": "gelu_erf"}},
    {"m": 20, "n": 40, "k": 0, "dtype": "fp16"},
    {"m": 40, "n": 48, "k": 64, "dtype": "fp16", "strides": {"a": [0, 129, 2]}},
]  # fmt: skip


@pytest.mark.parametrize("fields", CASES)
def test_the_selected_kernel_agrees_with_float64(fields: dict[str, Any]) -> None:
    from tilewright.backends import get_backend_op

    problem = problem_from_dict({"op": "gemm", "device": "cuda", **fields})
    op = get_op("gemm")
    tensors = op.random_tensors(problem, 11)
    bound = Dispatcher().bind(problem, **tensors)
    spec = bound.plan.candidate.spec
    assert spec.backend == "triton"
    allowed = get_backend_op("triton", "gemm").product_error(spec)
    found = op.verify(problem, tensors, bound(), product_error=allowed)
    assert found.ok, (spec.name, found)


@pytest.mark.parametrize("tile", ["64x64x128", "128x64x64", "128x160x64", "128x192x64", "128x136x64", "256x144x64"])
def test_many_tiles_of_few_steps(tile: str) -> None:
    """Tiles follow each other so closely that the copies out of shared memory are still under way."""
    problem = problem_from_dict({"op": "gemm", "m": 8832, "n": 13224, "k": 32, "dtype": "fp16", "device": "cuda"})
    op, dispatcher = get_op("gemm"), Dispatcher()
    named = [r.candidate for r in dispatcher.explain(problem).ranked if f"hopper_{tile}_" in r.candidate.spec.name]
    assert named
    backend, tensors = get_backend_op("triton", "gemm"), op.random_tensors(problem, 5)
    (artifact,) = dispatcher.registry.build(specs=[named[0].spec], settings=dispatcher.settings)
    plan = make_plan(problem, named[0], backend.load(named[0].spec, artifact), dispatcher.settings)
    bound = plan.bind({role: view_of(t, role) for role, t in tensors.items()})
    assert all(op.verify(problem, tensors, bound()).ok for _ in range(5)), named[0].spec.name


@pytest.mark.parametrize(("m", "n", "k"), [(272, 5120, 1024), (17, 2048, 4104), (320, 28672, 128)])
def test_programs_abreast_share_tiles_and_leave_their_counters_at_zero(m: int, n: int, k: int) -> None:
    problem = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": "bf16", "device": "cuda"})
    op, dispatcher = get_op("gemm"), Dispatcher()
    named = {r.candidate.spec.digest: r.candidate for r in dispatcher.explain(problem).ranked
             if "_abreast_" in r.candidate.spec.name}  # fmt: skip
    assert named
    backend, tensors = get_backend_op("triton", "gemm"), op.random_tensors(problem, 5)
    specs = [c.spec for c in named.values()]
    built = dispatcher.registry.build(specs=specs, settings=dispatcher.settings)
    for candidate, artifact in zip(named.values(), built, strict=True):
        plan = make_plan(problem, candidate, backend.load(candidate.spec, artifact), dispatcher.settings)
        bound = plan.bind({role: view_of(t, role) for role, t in tensors.items()})
        first = bound().clone()
        assert op.verify(problem, tensors, first).ok, candidate.spec.name
        assert all(torch.equal(bound(), first) for _ in range(5)), candidate.spec.name


# Residuals as TMA reads them beside the output: rows apart, one matrix for the whole batch, tiles that end outside of
# the matrix, contiguous columns, activations. The last two it cannot read.
RESIDUALS: list[dict[str, Any]] = [
    {"m": 2000, "n": 520, "k": 64, "dtype": "fp16", "epilogue": {"activation": "relu"}},
    {"m": 333, "n": 1048, "k": 264, "dtype": "bf16", "strides": {"d1": [0, 1072, 1]}},
    {"m": 300, "n": 136, "k": 72, "dtype": "fp16", "batch": 3, "strides": {"d1": [0, 136, 1]}},
    {"m": 272, "n": 520, "k": 136, "dtype": "fp16", "batch": 2, "layout": "rrc", "epilogue": {"activation": "silu"}},
    {"m": 5000, "n": 1544, "k": 520, "dtype": "bf16", "epilogue": {"activation": "gelu_erf", "alpha": 0.5}},
    {"m": 1, "n": 520, "k": 264, "dtype": "fp16"},
    {"m": 300, "n": 520, "k": 264, "dtype": "fp16", "strides": {"d1": [0, 523, 1]}},
    {"m": 300, "n": 520, "k": 264, "dtype": "fp16", "strides": {"d1": [0, 0, 1]}},
]  # fmt: skip


@pytest.mark.parametrize("fields", RESIDUALS, ids=lambda f: f"{f['m']}x{f['n']}x{f['k']}")
def test_residuals_through_kernels_of_all_kinds(fields: dict[str, Any]) -> None:
    """The best kernel of each kind of tile, several times, so that rings go round and tiles follow each other."""
    dtype = fields["dtype"]
    d = [{"dtype": dtype, "broadcast": "row"}, {"dtype": dtype, "broadcast": "none"}]
    problem = problem_from_dict({"op": "gemm", "device": "cuda", "d": d, **fields})
    op, dispatcher = get_op("gemm"), Dispatcher()
    backend, tensors = get_backend_op("triton", "gemm"), op.random_tensors(problem, 7)
    kinds: dict[Any, Any] = {}
    for ranked in dispatcher.explain(problem).ranked:
        a = ranked.candidate.spec.algorithm
        if ranked.candidate.spec.backend == "triton" and a.pipeline == "hopper":
            kinds.setdefault((a.tile_m, a.consumers, a.swap_ab, a.cluster, a.split, a.store), ranked.candidate)
    chosen = list(kinds.values())[:12]
    assert chosen
    built = dispatcher.registry.build(specs=[c.spec for c in chosen], settings=dispatcher.settings)
    for candidate, artifact in zip(chosen, built, strict=True):
        plan = make_plan(problem, candidate, backend.load(candidate.spec, artifact), dispatcher.settings)
        bound = plan.bind({role: view_of(t, role) for role, t in tensors.items()})
        for _ in range(4):
            tensors["out"].fill_(float("nan"))
            assert op.verify(problem, tensors, bound()).ok, candidate.spec.name


@pytest.mark.parametrize("dtype", ["fp16", "fp8"])
@pytest.mark.parametrize("m", [5, 200])
def test_packed_weights(dtype: str, m: int) -> None:
    torch.manual_seed(3)
    kind = {"fp16": torch.float16, "fp8": torch.float8_e4m3fn}[dtype]
    a = torch.randn(m, 1000, device="cuda").to(kind)
    b = torch.randn(1000, 416, device="cuda").to(kind)
    packed = tilewright.pack_weights(b)
    assert packed.format == "kblock128"
    got = tilewright.gemm(a, packed).double()
    want = a.double() @ b.double()
    assert bool(((got - want).abs() <= 2e-3 * want.abs() + 2e-3 * (a.double().abs() @ b.double().abs())).all())


def test_an_unaligned_tensor_takes_another_kernel_and_explain_says_why() -> None:
    from dataclasses import replace

    whole = torch.randn(128 * 256 + 1, device="cuda", dtype=torch.float16)
    a, b = whole[1:].view(128, 256), torch.randn(256, 64, device="cuda", dtype=torch.float16)
    want = (a.double() @ b.double()).half()
    assert torch.allclose(tilewright.gemm(a, b), want, atol=2e-1, rtol=1e-2)
    problem = problem_from_dict({"op": "gemm", "m": 128, "n": 64, "k": 256, "dtype": "fp16", "layout": "rrr",
                                 "device": "cuda"})  # fmt: skip
    explanation = Dispatcher().explain(replace(problem, alignment={"a": 2}))
    assert explanation.counts["triton.gemm.alignment"] > 0
    said = [str(r) for _, rs in explanation.rejected for r in rs if r.rule == "triton.gemm.alignment"]
    assert any("a is aligned to 2 bytes" in text for text in said)


def close(out: Any, a: Any, b: Any) -> bool:
    want = a.double() @ b.double()
    return bool(((out.double() - want).abs() <= 2e-3 * want.abs() + 2e-3 * (a.double().abs() @ b.double().abs())).all())


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Counts how often the default dispatcher was asked for a plan."""
    from tilewright.frontends import default

    default.reset()
    asked: list[str] = []
    plan = Dispatcher.plan
    monkeypatch.setattr(Dispatcher, "plan", lambda self, p: asked.append(p.label()) or plan(self, p))
    yield asked
    default.reset()


@pytest.mark.parametrize("k", [256, 8192], ids=["plain", "with a workspace"])
def test_a_repeated_call_is_not_planned_again(planned: list[str], k: int) -> None:
    """New tensors, other streams and recorded graphs included."""
    torch.manual_seed(1)
    sets = [[torch.randn(s, device="cuda", dtype=torch.float16) for s in ((64, k), (k, 64))] for _ in range(3)]
    outs = [torch.full((64, 64), float("nan"), device="cuda", dtype=torch.float16) for _ in sets]
    streams = [torch.cuda.Stream() for _ in sets]
    torch.cuda.synchronize()
    for _ in range(3):
        for (a, b), out, stream in zip(sets, outs, streams, strict=True):
            with torch.cuda.stream(stream):
                assert tilewright.gemm(a, b, out=out) is out
    torch.cuda.synchronize()
    assert all(close(out, a, b) for (a, b), out in zip(sets, outs, strict=True))
    assert all(close(tilewright.gemm(a, b), a, b) for a, b in sets)
    graph = torch.cuda.CUDAGraph()
    (a, b), out = sets[0], outs[0]
    with torch.cuda.graph(graph):
        tilewright.gemm(a, b, out=out)
    a.normal_()
    out.fill_(float("nan"))
    graph.replay()
    torch.cuda.synchronize()
    assert close(out, a, b)
    assert len(planned) == 2  # with an output, and without


def test_a_repeated_call_notices_alignment_and_new_kernels(planned: list[str]) -> None:
    from tilewright.frontends import default

    torch.manual_seed(2)
    whole, b = (torch.randn(n, device="cuda", dtype=torch.float16) for n in (128 * 256 + 8, 256 * 64))
    b = b.view(256, 64)
    for shift in (0, 8, 1, 3, 0):
        a = whole[shift : shift + 128 * 256].view(128, 256)
        assert close(tilewright.gemm(a, b), a, b), shift
    assert len(planned) == 2  # 16 bytes, and 2: a shift of 8 elements keeps the alignment
    registry = default.default_dispatcher().registry
    registry.declare(next(iter(registry.sets())))
    tilewright.gemm(whole[: 128 * 256].view(128, 256), b)
    assert len(planned) == 3


def test_threads_share_a_repeated_call(planned: list[str]) -> None:
    import threading

    wrong: list[int] = []

    def work(seed: int) -> None:
        made = torch.Generator(device="cuda").manual_seed(seed)
        a, b = (torch.randn(96, 96, device="cuda", generator=made).half() for _ in range(2))
        with torch.cuda.stream(torch.cuda.Stream()) as _:
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            for _ in range(30):
                out = tilewright.gemm(a, b)
                torch.cuda.current_stream().synchronize()
                if not close(out, a, b):
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_tensors_on_two_devices_are_refused() -> None:
    a = torch.ones(8, 8, device="cuda")
    with pytest.raises(TensorError, match="on cpu, the problem is on cuda:0"):
        tilewright.gemm(a, torch.ones(8, 8))


def test_a_problem_that_does_not_fit_says_so() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 400_000, "n": 400_000, "k": 64, "dtype": "fp16", "device": "cuda"})
    with pytest.raises(DeviceError, match="bytes on cuda:0, which are not free"):
        get_op("gemm").random_tensors(problem, 0)


def test_a_workspace_that_does_not_fit_says_so() -> None:
    from tilewright.backends.gpu.cuda_driver import cuda_driver

    with pytest.raises(DeviceError, match=r"out of memory.*free GPU memory"):
        cuda_driver().allocate(1 << 50)


def test_a_dtype_that_the_arch_lacks_is_refused_with_its_rule() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp8_fnuz", "device": "cuda"})
    with pytest.raises(SelectionError, match=r"triton\.gemm\.arch_dtype"):
        Dispatcher().plan(problem)


def test_a_gpu_that_is_not_there_is_named() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16", "device": "cuda:77"})
    with pytest.raises(DeviceError, match="cuda:77"):
        Dispatcher().plan(problem)


def test_the_torch_operator_under_compile_with_gradients() -> None:
    import tilewright.torch  # noqa: F401

    a = torch.randn(64, 128, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    b = torch.randn(128, 32, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    product = torch.compile(lambda x, y: torch.ops.tilewright.matmul(x, y), fullgraph=True)
    product(a, b).sum().backward()
    want_a, want_b = torch.autograd.grad((a.float() @ b.float()).sum(), (a, b))
    assert torch.allclose(a.grad, want_a, atol=0.1, rtol=0.05)
    assert torch.allclose(b.grad, want_b, atol=0.1, rtol=0.05)
