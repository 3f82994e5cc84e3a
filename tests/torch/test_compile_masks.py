"""Masks of attention that are known when a graph is compiled: dropped, or `is_causal`, and only where that is right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is compiled")

from torch.nn import functional

from tilewright.torch.compile.masks import ATTENTION, simplify_masks

Mask = Callable[[Any], Any]
ROWS, KEYS = 6, 6


def _positions(x: Any) -> tuple[Any, Any]:
    places = torch.arange(x.shape[-2], device=x.device)
    return places[None, None, :, None], places[None, None, None, :]


def _causal(x: Any) -> Any:
    rows, keys = _positions(x)
    return (keys <= rows).expand(x.shape[0], -1, -1, -1)


def _filled(x: Any) -> Any:
    mask = torch.full((ROWS, KEYS), float("-inf"))
    mask[:, 0] = 0.0
    return mask.triu_(1)


def _filled_to_the_end(x: Any) -> Any:
    mask = torch.full((ROWS, KEYS), float("-inf")).triu(1)
    mask[:, 0] = 0.0
    mask[0, 1] = 0.0
    return mask


def _written_by_the_input(x: Any) -> Any:
    mask = torch.ones(ROWS, KEYS, dtype=torch.bool)
    mask[:, :1] = x[0, 0, :, :1] > -100.0
    return mask


def _read_before_it_is_written(x: Any) -> Any:
    mask = torch.ones(ROWS, KEYS, dtype=torch.bool)
    view = mask[:, 1:]
    view.logical_and_(torch.zeros(ROWS, 1, dtype=torch.bool))
    return mask


# Views of a mask: how a program may write into one by another name. Each of the rows and keys is in the first.
VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda mask, x: mask,
    "slice": lambda mask, x: mask[:, 2:],
    "of chunk": lambda mask, x: mask.chunk(2, 1)[1],
    "of split": lambda mask, x: torch.split(mask, 2, 1)[1],
    "of tensor_split": lambda mask, x: mask.tensor_split(2)[1],
    "of unbind": lambda mask, x: mask.unbind(0)[0],
    "of a view of chunk": lambda mask, x: mask.mT.chunk(2)[1].mT,
    "view_as": lambda mask, x: mask.view_as(x[0, 0, :, :KEYS]),
    "expand_as": lambda mask, x: mask[:1].expand_as(x[0, 0, :1, :KEYS]),
    "by a size of the input": lambda mask, x: mask[:, x.shape[0] :],
    "data": lambda mask, x: mask.data,
    "detach": lambda mask, x: mask.detach(),
    "set": lambda mask, x: (x[0, 0, :, :KEYS] * 0.0).set_(mask),
}


@torch.library.custom_op("tilewright_tests::hide", mutates_args=("mask",))
def hide(mask: torch.Tensor, x: torch.Tensor) -> None:
    mask.fill_(float("-inf"))


@torch.library.custom_op("tilewright_tests::seen", mutates_args=())
def seen(mask: torch.Tensor) -> torch.Tensor:
    return mask.clone()


@seen.register_fake
def _(mask: Any) -> Any:
    return torch.empty_like(mask)


def _checkpointed(view: Any, x: Any) -> None:
    def both(x: Any, view: Any) -> Any:
        view.fill_(float("-inf"))
        return x * 2.0

    torch.utils.checkpoint.checkpoint(both, x, view, use_reentrant=False)


# Each hides keys of a mask of ones that is added: by what is known, or by the input.
WRITERS: dict[str, Callable[[Any, Any], Any]] = {
    "method": lambda view, x: view.fill_(float("-inf")),
    "method with the input": lambda view, x: view.sub_(x.abs().max()),
    "method of the class": lambda view, x: torch.Tensor.fill_(view, float("-inf")),
    "item": lambda view, x: view.__setitem__(0, float("-inf")),
    "item of the input": lambda view, x: view.__setitem__(0, x.abs().max()),
    "inplace": lambda view, x: functional.threshold(view, 2.0, -9.0, inplace=True),
    "inplace by place": lambda view, x: functional.threshold(view, 2.0, -9.0, True),
    "out": lambda view, x: torch.mul(view, x.abs().max(), out=view),
    "two outs": lambda view, x: torch.sort(-view - x.abs().max(), out=(view, torch.zeros_like(view, dtype=torch.long))),
    "list": lambda view, x: torch._foreach_sub_([view], [x.abs().max().expand(view.shape)]),
    "list by name": lambda view, x: torch._foreach_sub_(self=[view], scalar=9.0),
    "operator": lambda view, x: torch.ops.aten.sub_.Tensor(view, x.abs().max()),
    "operator without its overload": lambda view, x: torch.ops.aten.sub_(view, x.abs().max()),
    "operator of others": lambda view, x: torch.ops.tilewright_tests.hide(view, x),
    "checkpoint": _checkpointed,
}


SIMPLE: dict[str, tuple[Mask, bool]] = {
    "all true": (lambda x: torch.ones(ROWS, KEYS, dtype=torch.bool), False),
    "a repeated column": (lambda x: (_positions(x)[0] >= 0).expand(x.shape[0], 1, ROWS, KEYS), False),
    "zeros": (lambda x: torch.zeros(ROWS, KEYS), False),
    "causal": (_causal, True),
    "causal, added": (_filled, True),
}
OTHERS: dict[str, Mask] = {
    "a window": lambda x: _causal(x) & (_positions(x)[1] > _positions(x)[0] - 3),
    "the other triangle": lambda x: torch.ones(ROWS, KEYS, dtype=torch.bool).triu(),
    "one key more": _filled_to_the_end,
    "a finite penalty": lambda x: torch.zeros(ROWS, KEYS) - 1.0,
    "of the input": lambda x: x[..., :1] > -100.0,
    "written by the input": _written_by_the_input,
    "written by a view": _read_before_it_is_written,
    "drawn": lambda x: torch.rand(ROWS, KEYS) < 2.0,
}


def _compiled(mask: Mask, **options: Any) -> tuple[Any, list[Any]]:
    """Return the program of one attention with a mask, and the attentions of its graph."""
    found: list[Any] = []

    def backend(module: Any, inputs: Any) -> Any:
        simplify_masks(module)
        found.extend(node for node in module.graph.nodes if node.target is ATTENTION)
        return module

    torch._dynamo.reset()

    def net(x: Any) -> Any:
        return functional.scaled_dot_product_attention(x, x, x, attn_mask=mask(x), scale=0.3)

    return torch.compile(net, backend=backend, fullgraph=True, **options), found


def _plain(mask: Mask, x: Any) -> Any:
    return functional.scaled_dot_product_attention(x, x, x, attn_mask=mask(x), scale=0.3)


@pytest.mark.parametrize("name", SIMPLE)
def test_a_known_mask_is_not_read(name: str) -> None:
    mask, causal = SIMPLE[name]
    x = torch.randn(2, 3, ROWS, 8)
    program, found = _compiled(mask)
    torch.testing.assert_close(program(x), _plain(mask, x))
    assert [(node.kwargs["attn_mask"], node.kwargs["is_causal"], node.kwargs["scale"]) for node in found] == [
        (None, causal, 0.3)
    ]


@pytest.mark.parametrize("name", OTHERS)
def test_other_masks_stay(name: str) -> None:
    x = torch.randn(2, 3, ROWS, 8)
    program, found = _compiled(OTHERS[name])
    torch.testing.assert_close(program(x), _plain(OTHERS[name], x))
    assert all(node.kwargs["attn_mask"] is not None for node in found)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_mask_that_is_written_by_another_name_is_read(writer: str) -> None:
    """All ways to write, through all kinds of views."""
    wrong, x = [], torch.randn(2, 3, ROWS, 8)
    torch._dynamo.mark_dynamic(x, 0)
    for view, made in VIEWS.items():

        def mask(x: Any, made: Any = made) -> Any:
            found = torch.zeros(ROWS, KEYS)
            WRITERS[writer](made(found, x), x)
            return found

        with contextlib.suppress(torch._dynamo.exc.Unsupported):  # `out` has to be dense
            found = _compiled(mask)[0](x)
            wrong += [view] * (not torch.allclose(found, _plain(mask, x), rtol=1e-4, atol=1e-4, equal_nan=True))
    assert not wrong


def test_what_reads_a_mask_or_writes_elsewhere_leaves_it_known() -> None:
    def mask(x: Any) -> Any:
        made = torch.ones(ROWS, KEYS, dtype=torch.bool)
        parts = made.chunk(2, 1)
        scores = torch.zeros_like(x[0, 0, :, :KEYS]) + parts[0].float().sum()
        scores.masked_fill_(made, 1.0).mul_(2.0)
        x.mul_(torch.ops.tilewright_tests.seen(made).sum())
        return made

    program, found = _compiled(mask)
    x = torch.randn(2, 3, ROWS, 8)
    copy = x.clone()
    torch.testing.assert_close(program(copy), _plain(mask, x))
    assert [node.kwargs["attn_mask"] for node in found] == [None]


def test_operators_of_others_do_not_run_at_compile_time() -> None:
    """They may do more than compute: print, count, or wait for other processes."""
    calls = []

    @torch.library.custom_op("tilewright_tests::counted", mutates_args=())
    def counted(mask: torch.Tensor) -> torch.Tensor:
        calls.append(mask)
        return mask.clone()

    counted.register_fake(lambda mask: torch.empty_like(mask))
    program, found = _compiled(lambda x: counted(torch.ones(ROWS, KEYS, dtype=torch.bool)))
    program(torch.randn(2, 3, ROWS, 8))
    assert len(calls) == 1
    assert found[0].kwargs["attn_mask"] is not None


def test_sizes_that_change_keep_their_mask() -> None:
    program, found = _compiled(_causal, dynamic=True)
    for rows in (ROWS, 9):
        x = torch.randn(2, 3, rows, 8)
        torch.testing.assert_close(program(x), _plain(_causal, x))
    assert all(node.kwargs["attn_mask"] is not None for node in found)


def test_gradients_are_those_of_the_mask() -> None:
    x, gradient = torch.randn(2, 3, ROWS, 8, requires_grad=True), torch.randn(2, 3, ROWS, 8)
    program, _ = _compiled(_causal)
    (ours,) = torch.autograd.grad(program(x), x, gradient)
    (expected,) = torch.autograd.grad(_plain(_causal, x), x, gradient)
    torch.testing.assert_close(ours, expected)


def test_random_numbers_are_drawn_once() -> None:
    """The state of torch's generator is the same after a compilation as without it."""
    program, _ = _compiled(OTHERS["drawn"])
    x = torch.randn(2, 3, ROWS, 8)
    torch.manual_seed(0)
    program(x)
    state = torch.get_rng_state()
    torch.manual_seed(0)
    _plain(OTHERS["drawn"], x)
    assert torch.equal(state, torch.get_rng_state())


def test_writes_of_the_program_stay() -> None:
    """The result of a method in place is not read by the graph, but by others."""
    count = torch.zeros(1)

    def counted(x: Any) -> Any:
        count.add_(1)
        return _causal(x)

    program, found = _compiled(counted)
    x = torch.randn(2, 3, ROWS, 8)
    torch.testing.assert_close(program(x), _plain(_causal, x))
    assert [node.kwargs["is_causal"] for node in found] == [True]
    assert count.item() == 1


def test_regions_without_gradients_end_where_they_did() -> None:
    def masked(x: Any) -> Any:
        with torch.no_grad():
            _ = x * 2.0
        return _causal(x)

    program, found = _compiled(masked)
    for _ in range(2):
        x = torch.randn(2, 3, ROWS, 8, requires_grad=True)
        program(x).sum().backward()
        assert x.grad is not None
        assert torch.is_grad_enabled()
    assert [node.kwargs["is_causal"] for node in found] == [True]
