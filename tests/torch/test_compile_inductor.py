"""What `torch/compile/inductor.py` uses of Inductor: each part by itself, so that a new torch says what has moved."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch import fx
from torch._inductor import config, lowering
from torch._inductor.compile_fx import compile_fx
from torch._inductor.utils import fresh_cache, run_and_get_code
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

import tilewright.torch as tt
from tilewright.errors import UnknownNameError
from tilewright.frontends.default import default_dispatcher
from tilewright.torch.compile import backend as backend_module
from tilewright.torch.compile import folds, inductor
from tilewright.torch.compile.backend import backend, identity, register, split
from tilewright.torch.compile.operators import CONVOLUTION


def test_the_hook_exists_and_is_left_as_it_was() -> None:
    assert getattr(config, inductor.HOOK) is None
    assert {"config_patches", "inner_compile"} <= set(inspect.signature(compile_fx).parameters)


def test_a_pass_has_the_identity_that_caches_need() -> None:
    made = inductor.Pass(lambda graph: None, "one")
    assert isinstance(made, torch._inductor.custom_graph_pass.CustomGraphPass)
    assert made.uuid() == "one"
    assert made(fx.Graph()) is None


CustomPass = torch._inductor.custom_graph_pass.CustomGraphPass


class Noted(CustomPass):
    """A pass of the user's own."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    def __call__(self, graph: Any) -> None:
        self.calls.append(self.name)

    def uuid(self) -> str:
        return self.name


class Aware(getattr(torch._inductor.custom_graph_pass, "CustomInferenceAwareGraphPass", CustomPass)):
    """A pass that torch calls with whether a graph is for inference."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def __call__(self, graph: Any, is_inference: bool) -> None:
        self.calls.append(f"inference {is_inference}")

    def uuid(self) -> str:
        return "aware"


PASSES = {
    "none": (lambda calls: None, []),
    "a function": (lambda calls: lambda graph: calls.append("function"), ["function"]),
    "a pass": (lambda calls: Noted("one", calls), ["one"]),
    "a list": (lambda calls: [Noted("one", calls), lambda graph: calls.append("function")], ["one", "function"]),
    "a tuple": (lambda calls: (Noted("one", calls), Noted("two", calls)), ["one", "two"]),
    "an empty list": (lambda calls: [], []),
    "a pass that asks for inference": (lambda calls: Aware(calls), ["inference True"]),
}
RUNS_LISTS = hasattr(torch._inductor.custom_graph_pass, "get_custom_graph_passes")


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("case", PASSES)
def test_passes_of_the_user_run_before_ours(case: str, cache: bool) -> None:
    made, names = PASSES[case]
    if not RUNS_LISTS and case not in ("none", "a function", "a pass"):
        pytest.skip("this torch runs one pass, which takes a graph")
    calls: list[str] = []
    module = make_fx(lambda x: x + 1.0)(torch.ones(2))
    with fresh_cache(), config.patch({inductor.HOOK: made(calls), "fx_graph_cache": cache}):
        program = inductor.compiled(module, [torch.ones(2)], lambda graph: calls.append("ours"), "us", {})
        with torch.no_grad():
            program(torch.ones(2))
    assert calls == [*names, "ours"]


def test_passes_are_composed_where_torch_runs_one_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch._inductor.custom_graph_pass, "get_custom_graph_passes", raising=False)
    calls: list[str] = []
    ours = inductor.Pass(lambda graph: calls.append("ours"), "us")
    assert inductor.after(None, ours) is ours
    both = inductor.after(Noted("one", calls), ours)
    both(fx.Graph())
    assert (calls, both.uuid()) == (["one", "ours"], "us after one")
    assert not inductor.after(lambda graph: None, ours).uuid()  # what has no identity is not cached


def test_modes_and_options_are_checked_as_torch_does() -> None:
    assert inductor.settings_of(None, {}) == {}
    assert inductor.settings_of("reduce-overhead", {})["triton.cudagraphs"] is True
    assert inductor.settings_of(None, {"epilogue_fusion": False}) == {"epilogue_fusion": False}
    with pytest.raises(RuntimeError, match="no_such_option"):
        inductor.settings_of(None, {"no_such_option": 1})


def test_decompositions_split_activations_and_keep_what_we_take() -> None:
    table = inductor.decompositions()
    traced = make_fx(lambda x: torch.nn.functional.gelu(x), table)(torch.ones(2))
    assert torch.ops.aten.erf.default in [node.target for node in traced.graph.nodes]
    kept = (torch.ops.aten.mm.default, torch.ops.aten.convolution.default)
    assert not [op for op in kept if op in table and op is torch.ops.aten.convolution.default]


def test_hints_of_sizes_leave_no_guard() -> None:
    shapes = ShapeEnv()
    mode = torch._subclasses.FakeTensorMode(shape_env=shapes)
    fake: Any = mode.from_tensor(torch.ones(5, 3), static_shapes=False)
    assert [inductor.hint_of(n) for n in fake.shape] == [5, 3]
    assert not shapes.guards


PARTS = f"triton.{inductor.PART_ROWS}"


def summing(shape: tuple[int, ...], dims: list[int], device: str = "cuda") -> fx.Graph:
    with torch._subclasses.FakeTensorMode():
        x = torch.empty(shape, device=device)
        return make_fx(lambda x: torch.ops.aten.sum.dim_IntList(x, dims))(x).graph


@pytest.mark.parametrize(
    ("shape", "dims", "device", "part"),
    [
        ((8191, 768), [0], "cuda", None),
        ((8192, 768), [0], "cuda", 8),
        ((16, 512, 768), [0, 1], "cuda", 8),
        ((3, 4095, 64), [-2, -3], "cuda", 8),
        ((12288, 768), [0], "cuda", 12),
        ((16383, 768), [0], "cuda", 12),
        ((16384, 768), [0], "cuda", None),
        ((8192, 768), [1], "cuda", None),
        ((2, 8192, 768), [1], "cuda", None),
        ((8192, 768), [0], "cpu", None),
        ((), [0], "cuda", None),
        ((8192,), [0], "cuda", None),
    ],
)
def test_rows_are_summed_in_1024_parts_or_a_few_more(
    shape: tuple[int, ...], dims: list[int], device: str, part: int | None
) -> None:
    with config.patch({PARTS: None}):
        inductor.part_sums(summing(shape, dims, device))
        assert config.triton.mix_order_reduction_split_size == part
    if part is not None:
        assert shape[0] * (shape[1] if len(dims) == 2 else 1) // part >= 1024


@pytest.mark.parametrize("rows", [(8192, 4096), (8192, 32768)])
def test_sums_that_want_different_parts_are_left_to_inductor(rows: tuple[int, int]) -> None:
    graph = summing((rows[0], 64), [0])
    first = next(node for node in graph.nodes if node.op == "placeholder")
    with graph.inserting_after(first), torch._subclasses.FakeTensorMode():
        other = graph.placeholder("other")
        other.meta["val"] = torch.empty(rows[1], 64, device="cuda")
    graph.call_function(torch.ops.aten.sum.dim_IntList, (other, [0]))
    with config.patch({PARTS: None}):
        inductor.part_sums(graph)
        assert config.triton.mix_order_reduction_split_size is None


@pytest.mark.parametrize("own", [{PARTS: 64}, {"max_autotune": True}, {"coordinate_descent_tuning": True}])
def test_what_the_user_sets_or_tunes_about_sums_stays(own: dict[str, Any]) -> None:
    with config.patch({PARTS: None, **own}):
        inductor.part_sums(summing((8192, 768), [0]))
        assert config.triton.mix_order_reduction_split_size == own.get(PARTS)


def test_the_parts_of_sums_are_those_of_one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def set_parts(graph: fx.Graph) -> None:
        seen.append(config.triton.mix_order_reduction_split_size)
        config.triton.mix_order_reduction_split_size = 8

    monkeypatch.setattr(inductor, "part_sums", set_parts)
    for compute in (torch.exp, torch.sin):
        module = make_fx(compute)(torch.ones(2))
        with fresh_cache(), torch.no_grad():
            inductor.compiled(module, [torch.ones(2)], lambda graph: None, "parts", {})(torch.ones(2))
    assert (seen, config.triton.mix_order_reduction_split_size) == ([None, None], None)


def test_the_layout_of_our_convolution_is_asked_for() -> None:
    assert CONVOLUTION in lowering.lowerings
    assert lowering.maybe_layout_constraints(CONVOLUTION) is not None


class Layers(torch.nn.Module):
    """A convolution and a product, with what an epilogue computes after them."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.linear = torch.nn.Conv2d(8, 16, 3), torch.nn.Linear(16, 4)

    def forward(self, x: Any) -> Any:
        return self.linear(torch.relu(self.conv(x)).mean((2, 3))).relu()


def test_programs_call_our_functions_without_the_dispatcher() -> None:
    """A profiler sees operators all the same."""
    model, x = Layers().eval(), torch.randn(2, 8, 6, 6)
    with torch.no_grad(), fresh_cache():
        want = model(x)
        program = torch.compile(model, backend="tilewright", options={"tilewright.all": True})
        found, [text, *_] = run_and_get_code(program, x)
        torch.testing.assert_close(found, want)
        assert "extern_kernels.tilewright_convolution(" in text
        assert "extern_kernels.tilewright_product(" in text
        with torch.profiler.profile() as profile:
            torch.testing.assert_close(program(x), want)
        names = {event.key for event in profile.key_averages()}
        assert {"tilewright::convolution", "tilewright::product"} <= names
    torch._dynamo.reset()


@pytest.mark.exhaustive
def test_programs_in_cpp_call_operators() -> None:
    model, x = Layers().eval(), torch.randn(2, 8, 6, 6)
    with torch.no_grad(), fresh_cache():
        program = torch.compile(model, backend="tilewright", options={"tilewright.all": True, "cpp_wrapper": True})
        torch.testing.assert_close(program(x), model(x))
    torch._dynamo.reset()


def test_the_entry_point_names_the_backend() -> None:
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    module, name = project["entry-points"]["torch_dynamo_backends"]["tilewright"].split(":")
    assert getattr(__import__(module, fromlist=[name]), name) is backend
    assert register() is backend
    assert "tilewright" in torch._dynamo.list_backends(exclude_tags=())


def test_options_of_our_own() -> None:
    assert split({"tilewright.tune": True}) == ({"tune": True, "all": False}, {})
    with pytest.raises(UnknownNameError, match=r"tilewright\.tuned"):
        split({"tilewright.tuned": True})


def test_the_identity_depends_on_options_and_is_plain_text() -> None:
    where = default_dispatcher()
    one, two = (identity(where, {"tune": tune}) for tune in (False, True))
    assert one != two
    assert json.dumps([one, identity(where, {"tune": False})]) == json.dumps([one, one])


@pytest.mark.parametrize("setting", ["cuda.matmul", "cudnn"])
def test_the_identity_depends_on_precision(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It decides which products and convolutions in fp32 are taken on a GPU."""
    where, place = default_dispatcher(), torch.backends
    for name in setting.split("."):
        place = getattr(place, name)
    found = []
    for allowed in (False, True):
        with monkeypatch.context() as patched:
            patched.setattr(place, "allow_tf32", allowed)
            found.append(identity(where, {}))
    assert found[0] != found[1]


SETTINGS = """
import torch
from tilewright.torch.compile import tuning
from tilewright.torch.fitness import CUDNN, MATMUL, allows_tf32

before = tuning._torch_now()
for value in ("ieee", "tf32"):
    torch.backends.cuda.matmul.fp32_precision = torch.backends.cudnn.conv.fp32_precision = value
    print(allows_tf32(MATMUL), allows_tf32(CUDNN), tuning._torch_now() != before)
    before = tuning._torch_now()
"""


@pytest.mark.skipif(not hasattr(torch.backends.cudnn, "conv"), reason="this torch has one setting of precision each")
def test_precision_is_known_by_settings_of_either_kind() -> None:
    """torch has two kinds, and raises an error if the older one is read after the newer one was set."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SETTINGS], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False", "True", "True", "True", "True"], done.stderr[-2000:]


@pytest.mark.parametrize("name", ["registration.py", "compile/folds.py"])
def test_the_identity_depends_on_the_pass_and_its_operators(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, read = [], Path.read_bytes
    path = Path(tt.__file__).parent / name
    for more in (b"", b" "):
        monkeypatch.setattr(Path, "read_bytes", lambda file, more=more: read(file) + more * (file == path))
        backend_module._sources.cache_clear()
        found.append(identity(default_dispatcher(), {}))
    backend_module._sources.cache_clear()
    assert found[0] != found[1]


def test_lists_of_tensors_have_a_lowering_of_their_own() -> None:
    assert folds.TOGETHER in lowering.lowerings


def test_nodes_are_sorted() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    one = graph.call_function(torch.neg, (x,))
    two = graph.call_function(torch.abs, (x,))
    one.args = (two,)
    graph.output(one)
    inductor.sort_nodes(graph)
    graph.lint()
    assert [node.name for node in graph.nodes] == ["x", two.name, one.name, "output"]


def test_compiled_graphs_have_a_folder() -> None:
    assert inductor.cache_folder() == Path(torch._inductor.runtime.cache_dir_utils.cache_dir()).absolute()
