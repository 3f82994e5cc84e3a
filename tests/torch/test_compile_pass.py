"""The pass of the backend `tilewright`: what it takes of a graph, and that results and gradients stay the same."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from compiled_graphs import assert_same, rewritten
from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.errors import SelectionError
from tilewright.torch.compile import folds, operators, sites

DTYPES = [torch.float32, torch.bfloat16]


class Of(nn.Module):
    """A function of a layer's result and of its input."""

    def __init__(self, layer: nn.Module, after: Any) -> None:
        super().__init__()
        self.layer, self.after = layer, after

    def forward(self, x: Any) -> Any:
        return self.after(self.layer(x), x)


ACTIVATIONS = {
    "relu": functional.relu, "gelu_erf": functional.gelu,
    "gelu_tanh": lambda y: functional.gelu(y, approximate="tanh"), "sigmoid": torch.sigmoid, "tanh": torch.tanh,
    "silu": functional.silu, "relu6": functional.relu6, "hard_swish": functional.hardswish,
}  # fmt: skip


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_activation_after_linear(name: str) -> None:
    layer = nn.Linear(24, 16)
    for dtype in DTYPES:
        model = Of(layer.to(dtype), lambda y, x: ACTIVATIONS[name](y))
        assert assert_same(model, torch.randn(2, 5, 24, dtype=dtype)) == [f"addmm + {name}"]


AFTER = {
    "residual": (lambda y, x: x + y, ["addmm + add"]),
    "residual and activation": (lambda y, x: torch.relu(y + x), ["addmm + add + relu"]),
    "used twice": (lambda y, x: torch.relu(y) + y, ["addmm"]),
    "of another shape": (lambda y, x: y + x[:1], ["addmm"]),
    "scaled after a bias": (lambda y, x: y * 0.5, ["addmm"]),
    "split heads": (lambda y, x: torch.relu(y.view(3, 4, 2, 8)) + x[0, 0, :8], ["addmm + relu"]),
    "bias of a head": (lambda y, x: y.view(3, 4, 2, 8) + x[0, 0, :8], ["addmm"]),
}


@pytest.mark.parametrize("case", list(AFTER))
def test_after_linear(case: str) -> None:
    after, taken = AFTER[case]
    assert assert_same(Of(nn.Linear(16, 16), after), torch.randn(3, 4, 16)) == taken


def test_products_of_any_kind() -> None:
    class Products(nn.Module):
        def forward(self, a: Any, b: Any, c: Any) -> Any:
            one = (a @ b) * 0.125
            two = torch.baddbmm(c, a, b, alpha=2.0)
            three = torch.addmm(c[0], a[0], b[0].mT.contiguous().mT)
            return one + torch.tanh(two) + three + a[0] @ b[1] + c[0, 0]

    taken = assert_same(Products(), torch.randn(2, 4, 6), torch.randn(2, 6, 5), torch.randn(2, 4, 5))
    assert taken == ["bmm + scale", "baddbmm + tanh", "addmm", "mm"] or len(taken) == 4


@pytest.mark.parametrize(
    ("scaled", "taken"),
    [
        (lambda y: y / 1e30 / 1e30, "mm + scale"),
        (lambda y: y * 1e30 * 1e30, "mm + scale"),
        (lambda y: y / 1e-39, "mm"),
        (lambda y: y * float("nan"), "mm"),
    ],
)
def test_factors_whose_product_float32_does_not_hold_stay_apart(scaled: Any, taken: str) -> None:
    compiled, report = rewritten(lambda a, b: scaled(a @ b))
    a, b = torch.rand(4, 6) * 1e36, torch.rand(6, 5)
    got, want = compiled(a, b), scaled(a @ b)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=0, equal_nan=True)
    assert [entry.computes for entry in report.taken] == [taken]


def test_what_no_kernel_computes_is_left() -> None:
    compiled, report = rewritten(nn.Linear(8, 8, dtype=torch.float64))
    with torch.no_grad():
        compiled(torch.randn(2, 8, dtype=torch.float64))
    assert [entry.reason for entry in report.left] == [
        "the dtype is float64; kernels take float32, float16 and bfloat16"
    ]
    assert not report.taken


class Block(nn.Module):
    def __init__(self, groups: int = 1) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(8, 8, 3, padding=1, bias=False, groups=groups), nn.BatchNorm2d(8)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)
        nn.init.uniform_(self.norm.weight)
        nn.init.uniform_(self.norm.bias)

    def forward(self, x: Any) -> Any:
        return torch.relu(self.norm(self.conv(x)) + x)


def test_norms_of_a_graph_are_folded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on the result of a convolution is not: here a factor for each channel of one image."""
    monkeypatch.setattr(sites, "MULTIPLYING", ())
    gathered, call = [], folds.call
    monkeypatch.setattr(
        folds, "call", lambda graph, target, *args: (gathered.append((target, args)), call(graph, target, *args))[1]
    )

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two, self.three = Block(), Block(), Block()
            self.last = nn.Conv2d(8, 8, 1)

        def forward(self, x: Any) -> Any:
            x = self.three(self.two(self.one(x)))
            return self.last(x) * x.mean((2, 3), keepdim=True) + 1

    taken = assert_same(Net().eval(), torch.randn(1, 8, 5, 5))
    assert taken[:3] == ["convolution + norm + add + relu"] * 3
    (lists,) = [args[0] for target, args in gathered if target is folds.TOGETHER]
    assert len(lists) == 6  # three weights, three biases


def test_factors_of_a_norm_are_applied_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU. A product with the weight would read and write all of it in each call."""
    multiplied, call = [], folds.call
    monkeypatch.setattr(
        folds, "call", lambda graph, target, *args: (multiplied.append((target, args)), call(graph, target, *args))[1]
    )
    assert assert_same(Block().eval(), torch.randn(2, 8, 6, 6)) == ["convolution + norm + add + relu"]
    assert multiplied
    assert all(
        arg.meta["val"].dim() < 4 for target, args in multiplied if target is folds.aten.mul.Tensor for arg in args
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("groups", [1, 8])
def test_norm_residual_and_activation_after_a_convolution(dtype: Any, groups: int) -> None:
    taken = assert_same(Block(groups).eval().to(dtype), torch.randn(2, 8, 6, 6, dtype=dtype))
    assert taken == ["convolution + norm + add + relu"]


def _rounded(y: Any) -> Any:
    return y


def _left_as_it_is(y: Any) -> Any:
    """A conversion that changes nothing, as torch 2.11 leaves it where it takes out a rounding."""
    return torch.ops.prims.convert_element_type(y, torch.float32)


@pytest.mark.parametrize(("name", "between"), [("silu", _rounded), *((name, _left_as_it_is) for name in ACTIVATIONS)])
def test_an_activation_of_a_norm_that_is_not_rounded(name: str, between: Any) -> None:
    """Norm and activation are computed in fp32, and only their result is rounded; something else reads it as well."""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(8, 16, 3, bias=False, dtype=torch.bfloat16), nn.BatchNorm2d(16)

        def forward(self, x: Any) -> Any:
            y = ACTIVATIONS[name](between(self.norm(self.conv(x).float()))).bfloat16()
            return y * y.mean((2, 3), keepdim=True)

    taken = assert_same(Net().eval(), torch.randn(2, 8, 7, 7, dtype=torch.bfloat16))
    assert taken == [f"convolution + norm + {name}"]


@pytest.mark.parametrize("after", [lambda y: y, lambda y: torch.relu(y) + y.bfloat16(), lambda y: torch.sin(y)])
def test_a_norm_that_stays_in_fp32_is_left(after: Any) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(8, 16, 3, bias=False, dtype=torch.bfloat16), nn.BatchNorm2d(16)

        def forward(self, x: Any) -> Any:
            return after(self.norm(self.conv(x).float()))

    assert assert_same(Net().eval(), torch.randn(2, 8, 7, 7, dtype=torch.bfloat16)) == ["convolution"]


def test_convolutions() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.SiLU(), nn.Conv2d(8, 8, 1), nn.Hardswish(), nn.ReLU6())
    assert assert_same(model, torch.randn(2, 3, 9, 9)) == ["convolution + silu", "convolution + hard_swish"]
    last = torch.randn(2, 3, 9, 9).to(memory_format=torch.channels_last)
    assert assert_same(model, last) == ["convolution + silu", "convolution + hard_swish"]
    assert assert_same(nn.Sequential(nn.Conv1d(3, 8, 3), nn.GELU()), torch.randn(2, 3, 9)) == ["convolution + gelu_erf"]
    assert assert_same(nn.ConvTranspose2d(3, 8, 3), torch.randn(2, 3, 9, 9)) == []


def test_sizes_that_change() -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
    compiled, report = rewritten(lambda x: model(x) + x, dynamic=True)
    with torch.no_grad():
        for rows in (3, 5, 8):
            x = torch.randn(2, rows, 16)
            torch.testing.assert_close(compiled(x), model(x) + x)
    assert [entry.computes for entry in report.taken] == ["addmm + gelu_erf", "addmm + add"]


class Attention(nn.Module):
    """Two heads, with what `scaled_dot_product_attention` is given besides."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.qkv, self.out, self.options = nn.Linear(64, 192), nn.Linear(64, 64), options

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(x).view(*x.shape[:2], 3, 2, 32).permute(2, 0, 3, 1, 4).unbind(0)
        found = functional.scaled_dot_product_attention(q, k, v, **self.options)
        return x + self.out(found.transpose(1, 2).reshape(x.shape))


MASK = torch.randn(2, 1, 1, 7).sign().relu().bool() | (torch.arange(7) == 0)
OPTIONS = {
    "plain": {},
    "causal": {"is_causal": True, "scale": 0.3},
    "mask": {"attn_mask": MASK},
    "added mask": {"attn_mask": torch.randn(7, 7)},
}


@pytest.mark.parametrize("case", list(OPTIONS))
def test_attention(case: str) -> None:
    taken = assert_same(Attention(**OPTIONS[case]), torch.randn(2, 7, 64))
    assert taken == ["addmm", "addmm + add", "attention"]


def test_attention_in_16_bit() -> None:
    model = Attention(is_causal=True).bfloat16()
    assert "attention" in assert_same(model, torch.randn(2, 7, 64, dtype=torch.bfloat16))


@pytest.mark.parametrize("case", ["plain", "causal"])
def test_training_of_attention(case: str) -> None:
    x = torch.randn(2, 7, 64, requires_grad=True)
    taken = assert_same(Attention(**OPTIONS[case]), x, grad=True)
    assert taken.count("attention") == taken.count("backward pass of attention") == 1
    assert (taken.count("mm"), taken.count("mm + add")) == (3, 1)  # the gradient of the residual is added


@pytest.mark.parametrize("groups", [1, 8])
def test_training_of_convolutions(groups: int) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), Block(groups).train(), nn.Conv2d(8, 4, 1), nn.Tanh())
    x = torch.randn(2, 3, 9, 9, requires_grad=True)
    taken = assert_same(model, x, grad=True)
    assert taken.count("gradient of the input") == taken.count("gradient of the weight") == 3
    assert "convolution + relu" in taken  # its result is all that the backward pass reads


def test_training_with_sizes_that_change() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GELU(), nn.Conv2d(8, 8, 3, groups=8), nn.Flatten(2))
    compiled, report = rewritten(model, dynamic=True)
    for size in (6, 9):
        x = torch.randn(2, 3, size, size + 1, requires_grad=True)
        got, want = compiled(x), model(x)
        torch.testing.assert_close(got, want)
        leaves = (x, *model.parameters())
        gradients = [torch.autograd.grad(y.square().sum(), leaves) for y in (got, want)]
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4)
    assert len(report.taken) == 6


def test_attention_with_sizes_that_change() -> None:
    model = Attention(is_causal=True)
    compiled, report = rewritten(model, dynamic=True)
    with torch.no_grad():
        for rows in (5, 7):
            x = torch.randn(2, rows, 64)
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-4)
    assert "attention" in [entry.computes for entry in report.taken]


def test_autocast() -> None:
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))

    def run(x: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return model(x)

    compiled, report = rewritten(run)
    x = torch.randn(4, 16)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), run(x), rtol=3e-2, atol=3e-2)
    assert [entry.computes for entry in report.taken] == ["addmm + relu", "addmm"]


def test_operators_of_the_pass_have_no_function_of_autograd_around_them() -> None:
    """It takes longer than the call of a small kernel; what is called by name has one."""
    for name in ("product", "convolution", "convolution_each", "convolution_data", "convolution_weight"):
        assert not torch._C._dispatch_has_kernel_for_dispatch_key(f"tilewright::{name}", "Autograd")
    assert torch._C._dispatch_has_kernel_for_dispatch_key("tilewright::linear", "Autograd")


def test_torch_computes_what_no_kernel_does_at_other_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is compiled: there is nobody else to turn to."""

    def none(*args: Any, **options: Any) -> Any:
        raise SelectionError("no kernel is left")

    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(1), nn.Linear(128, 16), nn.Tanh())
    x = torch.randn(2, 3, 4, 4)
    monkeypatch.setattr(operators, "gemm", none)
    monkeypatch.setattr(operators, "_convolved", none)
    assert assert_same(model, x) == ["convolution + relu", "addmm + tanh"]
    calls = {function for function, reason in tt.left_calls() if reason == "no kernel is left"}
    assert {"tilewright.torch.compile (product)", "tilewright.torch.compile (convolution)"} <= calls


class Squeezed(nn.Module):
    """Squeeze-and-excite, as EfficientNet has it: a factor for each channel of each image before a 1x1 convolution."""

    def __init__(self, k: int = 6, filter: int = 1) -> None:
        super().__init__()
        self.factor, self.norm = nn.Conv2d(8, 8, 1), nn.BatchNorm2d(k)
        self.project = nn.Conv2d(8, k, filter, padding=filter // 2, bias=False)
        nn.init.normal_(self.norm.running_mean)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: Any) -> Any:
        factor = torch.sigmoid(self.factor(x.mean((2, 3), keepdim=True)))
        found = self.norm(self.project(factor * x))
        return torch.relu(found + x) if found.shape == x.shape else found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", [1, 3])
def test_factors_of_channels_go_into_a_weight_of_each_image(dtype: Any, batch: int) -> None:
    x = torch.randn(batch, 8, 5, 4).to(dtype).to(memory_format=torch.channels_last)
    whole = "scale + convolution + norm"
    assert whole in assert_same(Squeezed().eval().to(dtype), x)
    assert f"{whole} + add + relu" in assert_same(Squeezed(8).eval().to(dtype), x)


def test_factors_stay_with_inductor() -> None:
    """Of images in channels-first memory, of wide filters, and where a weight has more numbers than its image."""
    last = torch.randn(2, 8, 5, 4).to(memory_format=torch.channels_last)
    for model, x in ((Squeezed(), last.contiguous()), (Squeezed(filter=3), last), (Squeezed(20), last)):
        taken = assert_same(model.eval(), x)
        assert "convolution + norm" in taken
        assert not any("scale" in name for name in taken)


def test_factors_of_a_batch_that_changes() -> None:
    x = torch.randn(3, 8, 5, 4).to(memory_format=torch.channels_last)
    assert "scale + convolution + norm" in assert_same(Squeezed().eval(), x, dynamic=True)


class Two(nn.Module):
    """Two layers of one input whose results meet in one operation, and what follows it."""

    def __init__(self, one: nn.Module, two: nn.Module, meet: Any) -> None:
        super().__init__()
        self.one, self.two, self.meet = one, two, meet

    def forward(self, x: Any) -> Any:
        return self.meet(self.one(x), self.two(x))


LAYERS: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "addmm": (lambda: nn.Linear(8, 8), (4, 8), "addmm"),
    "stacked rows": (lambda: nn.Linear(8, 8), (2, 4, 8), "addmm"),
    "convolution": (lambda: nn.Conv2d(8, 8, 1), (1, 8, 5, 5), "convolution"),
    "convolution of one pixel": (lambda: nn.Conv2d(8, 8, 1), (1, 8, 1, 1), "convolution"),
}
MEETINGS = {
    "sum": lambda a, b: a + b,
    "sum, relu": lambda a, b: torch.relu(a + b),
    "sum, gelu": lambda a, b: functional.gelu(b + a),
    "activations, sum": lambda a, b: torch.relu(torch.relu(a) + functional.silu(b)),
    "product": lambda a, b: a * b,
    "product, sum": lambda a, b: a * b + 1.0,
    "sum, norm": lambda a, b: (a + b) * torch.ones(8, 1, 1) if a.dim() == 4 else a + b,
}


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("meeting", MEETINGS)
def test_an_operation_where_two_layers_meet_is_taken_once(layers: str, meeting: str) -> None:
    """The other layer is not computed for nothing; each has its own kernel."""
    made, shape, name = LAYERS[layers]
    taken = assert_same(Two(made(), made(), MEETINGS[meeting]), torch.randn(shape))
    assert len(taken) == 2
    if meeting == "sum, relu" and layers != "convolution of one pixel":
        assert taken == [f"{name} + add + relu", name]
