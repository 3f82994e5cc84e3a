"""Attention operators of GPUs in a graph: their replacement by ours has all results that torch's have, on no GPU."""

from __future__ import annotations

import operator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode

from tilewright.torch.compile import attention

aten = torch.ops.aten
OURS = (torch.ops.tilewright.attention.default, torch.ops.tilewright.attention_backward.default)


def graph_of(target: Any, given: list[Any], **kwargs: Any) -> tuple[fx.Graph, fx.Node]:
    """A graph with one call; tensors are given by shapes, and every result that is a tensor is returned."""
    graph, mode = fx.Graph(), FakeTensorMode(allow_non_fake_inputs=True)
    args = []
    with mode:
        for number, value in enumerate(given):
            if isinstance(value, tuple):
                dtype = torch.float32 if len(value) == 3 else torch.int64 if not value else torch.float16
                node = graph.placeholder(f"x{number}")
                node.meta["val"] = torch.empty(value, dtype=dtype, device="cuda")
                args.append(node)
            else:
                args.append(value)
        node = graph.call_function(target, tuple(args), kwargs)
        node.meta["val"] = target(*[a.meta["val"] if isinstance(a, fx.Node) else a for a in args], **kwargs)
        made = []
        for place, value in enumerate(node.meta["val"]):
            if isinstance(value, torch.Tensor):
                made.append(graph.call_function(operator.getitem, (node, place)))
                made[-1].meta["val"] = value
        graph.output(tuple(made))
    return graph, node


Q, K, LSE = (2, 4, 64, 32), (2, 4, 61, 32), (2, 4, 64)
FORWARD = {
    "flash": (aten._scaled_dot_product_flash_attention.default, [Q, Q, Q, 0.0, True], {"scale": 0.5}),
    "efficient": (aten._scaled_dot_product_efficient_attention.default, [Q, Q, Q, None, True], {}),
    "efficient with a mask": (
        aten._scaled_dot_product_efficient_attention.default,
        [Q, Q, Q, (2, 1, 64, 64), True],
        {},
    ),
    "row": (aten._scaled_dot_product_efficient_attention.default, [Q, Q, Q, (2, 1, 1, 64), True], {}),
    "odd": (aten._scaled_dot_product_efficient_attention.default, [Q, K, K, (2, 1, 64, 61), True], {}),
    "cudnn": (aten._scaled_dot_product_cudnn_attention.default, [Q, Q, Q, None, True], {}),
}
BACKWARD = {
    "flash": (
        aten._scaled_dot_product_flash_attention_backward.default,
        [Q, Q, Q, Q, Q, LSE, None, None, 64, 64, 0.0, True, (), ()],
    ),
    "efficient": (
        aten._scaled_dot_product_efficient_attention_backward.default,
        [Q, Q, Q, Q, None, Q, LSE, (), (), 0.0, [True, True, True, False]],
    ),
}


@pytest.mark.parametrize("case", list(FORWARD))
def test_forward(case: str) -> None:
    target, given, kwargs = FORWARD[case]
    try:
        graph, node = graph_of(target, given, **kwargs)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        pytest.skip(f"this torch has no shapes of the operator without a GPU: {error}")
    before = [arg.meta["val"] for arg in graph.output_node().args[0]]
    found = attention.Call.of(node)
    assert attention.why_not(found) is None
    attention.replace(graph, found)
    graph.eliminate_dead_code()
    graph.lint()
    assert [n.target for n in graph.nodes if n.target in (target, *OURS)] == [OURS[0]]
    masks = [n.args[3].meta["val"] for n in graph.nodes if n.target is OURS[0] and n.args[3] is not None]
    assert all(mask.stride(2) == 64 and mask.stride(3) == 1 for mask in masks)  # rows of 16 bytes, of their own
    after = [arg.meta["val"] for arg in graph.output_node().args[0]]
    assert [(t.shape, t.dtype) for t in after] == [(t.shape, t.dtype) for t in before]


@pytest.mark.parametrize("case", list(BACKWARD))
def test_backward(case: str) -> None:
    target, given = BACKWARD[case]
    try:
        graph, node = graph_of(target, given)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        pytest.skip(f"this torch has no shapes of the operator without a GPU: {error}")
    before = [arg.meta["val"] for arg in graph.output_node().args[0]][:3]
    found = attention.Call.of(node)
    assert attention.why_not(found) is None
    attention.replace(graph, found)
    graph.eliminate_dead_code()
    graph.lint()
    assert [n.target for n in graph.nodes if n.target in (target, *OURS)] == [OURS[1]]
    after = [arg.meta["val"] for arg in graph.output_node().args[0]][:3]
    assert [(t.shape, t.dtype) for t in after] == [(t.shape, t.dtype) for t in before]


def test_left_with_a_reason() -> None:
    target = aten._scaled_dot_product_flash_attention.default
    for given, reason in (
        ([Q, Q, Q, 0.1], "dropout draws other numbers than torch's"),
        ([Q, (2, 4, 32, 32), (2, 4, 32, 32), 0.0, True], "causal, with other numbers of queries and keys"),
    ):
        _, node = graph_of(target, given)
        assert attention.why_not(attention.Call.of(node)) == reason
