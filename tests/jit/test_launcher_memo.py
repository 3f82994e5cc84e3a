"""The memo of prepared launches in C: what hits, what misses, what is made, and what is refused."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from memo_calls import Calls, address_of, named, operands, reach, record

from tilewright.jit.launcher import launcher
from tilewright.jit.memo import Memo, Record, make_memo


def test_a_call_on_tensors_that_look_alike_runs_on_their_addresses(memo: Memo) -> None:
    calls, first = Calls(), operands()
    assert not memo.run("plain", named(*first))
    assert memo.keep("plain", named(*first), *record(calls, first))
    again = operands()
    assert memo.run("plain", named(*again))
    assert calls.seen == [tuple(map(address_of, again))]
    assert len(memo) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[:1],
        lambda a: a.astype(np.float64),
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(">f4"),
        lambda a: np.ma.masked_array(a),
        lambda a: a.tolist(),
        lambda a: a[None],
    ],
)
def test_what_looks_different_is_a_miss(memo: Memo, change: Any) -> None:
    a, b, out = operands()
    memo.keep("plain", named(a, b, out), *record(Calls(), (a, b, out)))
    assert not memo.run("plain", named(change(a), b, out))
    assert not memo.run("other", named(a, b, out))
    assert not memo.run(["no hash"], named(a, b, out))
    assert not memo.run("plain", named(a, b))


def test_an_output_that_cannot_be_written_is_another_look(memo: Memo) -> None:
    a, b, out = operands()
    memo.keep("plain", named(a, b, out), *record(Calls(), (a, b, out)))
    out.flags.writeable = False
    assert not memo.run("plain", named(a, b, out))


def test_a_tensor_that_is_not_given_is_made(memo: Memo) -> None:
    a, b, out = operands()
    calls = Calls()
    kept = record(calls, (a, b, None), maker=lambda: np.empty((2, 4), np.float32))
    assert memo.keep("plain", named(a, b, None), *kept)
    first, second = named(a, b, None), named(a, b, None)
    assert memo.run("plain", first)
    assert memo.run("plain", second)
    assert first["t2"].shape == (2, 4)
    assert not np.shares_memory(first["t2"], second["t2"])
    assert calls.seen[1][2] == address_of(second["t2"])
    assert not memo.run("plain", named(a, b, out))


def test_the_call_takes_its_tensors_in_its_own_order_and_absent_ones_are_left_out(memo: Memo) -> None:
    a, b, out = operands()
    calls = Calls()
    fields = Record(calls, (reach(a), (0, 0), reach(b), reach(out)), (3,), (), (None,) * 4, (3, 0, 2))
    assert memo.keep("order", named(a, None, b, out), *fields)
    assert memo.run("order", named(a, None, b, out))
    assert calls.seen == [tuple(map(address_of, (out, a, b)))]
    assert not memo.run("order", named(a, b, b, out))
    with pytest.raises(ValueError, match="not given, and has no maker"):
        memo.keep("order", named(a, None, b, out), *fields._replace(order=(1,)))


def test_overlap_that_the_plan_was_not_made_for_is_a_miss(memo: Memo) -> None:
    block = np.zeros(64, np.float32)
    a, out = block[:16], block[16:32]
    calls = Calls()
    memo.keep("f", named(a, out), *record(calls, (a, out)))
    assert not memo.run("f", named(block[20:36], block[16:32]))
    assert not memo.run("f", named(out, out))
    assert memo.run("f", named(block[32:48], block[16:32]))
    memo.keep("in place", named(out, out), *record(calls, (out, out), same=((1, 0),)))
    assert memo.run("in place", named(a, a))
    assert memo.run("in place", named(a, out))
    assert not memo.run("in place", named(block[1:17], block[:16]))


def test_an_error_of_the_call_or_of_a_maker_reaches_the_caller(memo: Memo) -> None:
    class Broken:
        def run_pointers(self, *addresses: int) -> None:
            raise RuntimeError("kernel failed")

    a, b, out = operands()
    memo.keep("broken", named(a, b, out), *record(Broken(), (a, b, out)))
    with pytest.raises(RuntimeError, match="kernel failed"):
        memo.run("broken", named(a, b, out))
    fields = record(Calls(), (a, b, out))._replace(makers=(None, None, lambda: 1 / 0))
    memo.keep("maker", named(a, b, None), *fields)
    with pytest.raises(ZeroDivisionError):
        memo.run("maker", named(a, b, None))


def test_clearing_lets_the_calls_go(memo: Memo) -> None:
    calls, tensors = Calls(), operands()
    gone = weakref.ref(calls)
    memo.keep("plain", named(*tensors), *record(calls, tensors))
    del calls
    gc.collect()
    assert gone() is not None
    memo.clear()
    gc.collect()
    assert gone() is None
    assert len(memo) == 0


def test_the_table_is_bounded() -> None:
    memo = launcher().module.Memo(16)
    for n in range(1, 200):
        x = (np.zeros(n, np.int8),)
        memo.keep("f", named(*x), *record(Calls(), x))
    assert 0 < len(memo) <= 16


def test_calls_belong_to_a_mode_of_torch(torch: Any) -> None:
    for of_mode in (False, True):
        memo, tensors = make_memo(16, of_mode), operands()
        assert memo is not None
        memo.keep("f", named(*tensors), *record(Calls(), tensors))
        for now in (False, True):
            torch.use_deterministic_algorithms(now)
            try:
                assert memo.run("f", named(*tensors)) == (now == of_mode)
            finally:
                torch.use_deterministic_algorithms(False)


def test_wrong_fields_are_refused() -> None:
    memo, (a, b, out) = launcher().module.Memo(16), operands()
    fields = record(Calls(), (a, b, out))
    for wrong in (
        fields._replace(extents=fields.extents[:2]),
        fields._replace(written=(3,)),
        fields._replace(same=((0, 9),)),
        fields._replace(order=(-1,)),
        fields._replace(order=(0,) * 17),
    ):
        with pytest.raises(ValueError):
            memo.keep("f", named(a, b, out), *wrong)
    with pytest.raises(ValueError, match="has no maker"):
        memo.keep("f", named(a, b, None), *fields)


def test_threads_share_a_memo(memo: Memo) -> None:
    a, b, out = operands()
    calls = Calls()
    memo.keep("f", named(a, b, out), *record(calls, (a, b, out)))

    def work() -> None:
        for _ in range(300):
            x, y, z = operands()
            if not memo.run("f", named(x, y, z)):
                memo.keep("f", named(x, y, z), *record(calls, (x, y, z)))
            memo.clear()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls.seen


def test_torch_tensors_and_parameters(memo: Memo, torch: Any) -> None:
    calls = Calls()
    x, w = torch.ones(2, 3), torch.nn.Parameter(torch.ones(3, 4))
    make = lambda: torch.empty(2, 4)  # noqa: E731
    with torch.no_grad():
        assert memo.keep("mm", named(x, w, None), *record(calls, (x, w, None), make))
        tensors = named(x + 1, w, None)
        assert memo.run("mm", tensors)
    made = tensors["t2"]
    assert type(made) is torch.Tensor
    assert calls.seen[0][1:] == (w.data_ptr(), made.data_ptr())
    assert not memo.run("mm", named(x, w, None)), "a gradient would be lost"
    with torch.no_grad():
        assert not memo.run("mm", named(x.to(torch.bfloat16), w, None))
        assert not memo.run("mm", named(x.t().contiguous().t(), w, None))


def test_torch_tensors_whose_memory_is_not_all_there_is(memo: Memo, torch: Any) -> None:
    x = torch.ones(4)
    memo.keep("f", named(x), *record(Calls(), (x,)))
    assert memo.run("f", named(torch.ones(4)))
    for strange in (torch._neg_view(x), x.to_sparse(), torch.ones(4, device="meta")):
        assert not memo.run("f", named(strange))

    def inside(t: Any) -> Any:
        assert not memo.run("f", named(t))
        return t

    torch.func.vmap(inside)(torch.ones(2, 4))
    torch.func.grad(lambda t: inside(t).sum())(x)


def test_fp8_and_bf16_tensors_are_told_apart(memo: Memo, torch: Any) -> None:
    kinds = [torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16, torch.float16]
    for dtype in kinds:
        x = torch.ones(4).to(dtype)
        assert memo.keep(0, named(x), *record(Calls(), (x,)))
    assert len(memo) == len(kinds)


def test_alignment_has_one_limit_in_python_and_in_c() -> None:
    from pathlib import Path

    import tilewright.jit
    from tilewright.model.tensor import VECTOR

    header = (Path(tilewright.jit.__file__).parent / "native" / "launcher_key.hpp").read_text()
    assert f"constexpr uint64_t kVector = {VECTOR};" in header


def test_what_is_kept_can_have_another_name(memo: Memo) -> None:
    calls, tensors = Calls(), operands()
    assert not memo.keep_as("plain", "other", named(*tensors))
    memo.keep("plain", named(*tensors), *record(calls, tensors))
    assert memo.keep_as("plain", "other", named(*tensors))
    assert memo.keep_as("plain", "other", named(*tensors))
    assert len(memo) == 2
    assert memo.run("other", named(*tensors))
    assert not memo.run("third", named(*tensors))
    memo.clear()
    assert not memo.run("other", named(*tensors))
    with pytest.raises(TypeError, match="keep_as"):
        memo.keep_as("plain", "other", [])  # type: ignore[arg-type]


def test_a_call_by_its_name_takes_the_position_of_its_result(memo: Memo) -> None:
    a, b, out = operands()
    assert memo.run_as("unknown", 2, a, b, out) is None
    assert memo.run_as("unknown", 0, *[a] * 99) is None
    for wrong in ((), (2,), (3, a, b, out), (-1, a), ("first", a)):
        with pytest.raises(TypeError, match="run_as"):
            memo.run_as("unknown", *wrong)


def test_names_that_differ_in_few_bits_do_not_crowd_each_other_out() -> None:
    memo, calls, tensors = make_memo(), Calls(), operands()
    assert memo is not None
    names = [object() for _ in range(64)]
    for name in names:
        memo.keep(name, named(*tensors), *record(calls, tensors))
    assert all(memo.run(name, named(*tensors)) for name in names)


class Holder(Calls):
    """A call, a maker, choices or a constant that holds the memo which holds it."""

    def __init__(self, memo: Any) -> None:
        super().__init__()
        self.memo = memo

    def __call__(self) -> Any:
        return np.empty((2, 4), np.float32)


@pytest.mark.parametrize("held", ["call", "maker", "choices", "constant", "all"])
def test_a_memo_that_holds_itself_is_collected(held: str) -> None:
    memo = launcher().module.Memo(16)
    holder, (a, b, _) = Holder(memo), operands()
    kind = type("Kind", (), {"memo": memo})  # a type is a constant
    call = holder if held in ("call", "all") else Calls()
    maker = holder if held in ("maker", "all") else lambda: np.empty((2, 4), np.float32)
    choices = (holder, 1) if held in ("choices", "all") else "choices"
    options = {"option": kind if held in ("constant", "all") else None}
    for given in (named(a, b, None), named(a[:1], b, None)):
        assert memo.keep(choices, given, *record(call, tuple(given.values()), maker))
        assert memo.run(choices, given, len, tuple(t for t in (given["t0"], given["t1"])), options, "t2")
    assert len(memo) == 4
    alive = [weakref.ref(holder), weakref.ref(kind)]
    del memo, holder, kind, call, maker, choices, options, given
    gc.collect()
    assert [found() for found in alive] == [None, None]


def test_a_memo_is_traversed_while_threads_use_it() -> None:
    memo = launcher().module.Memo(64)
    stop = threading.Event()
    wrong: list[str] = []

    def use(number: int) -> None:
        calls, i = Calls(), 0
        while not stop.is_set():
            i += 1
            given = named(*operands())
            choices = (number, i % 50, memo if i % 7 == 0 else None)
            memo.keep(choices, given, *record(calls, tuple(given.values())))
            before = len(calls.seen)
            if memo.run(choices, given, len, tuple(given.values()), {"option": (number, i % 9)}, "t2"):
                memo.again(len, tuple(given.values()), {"option": (number, i % 9)})
                if len(calls.seen) == before:
                    wrong.append(f"{number} {i}")
            if i % 97 == 0:
                memo.clear()

    gc.freeze()  # what other tests left is not traversed
    threads = [threading.Thread(target=use, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(25):
        gc.collect()
    stop.set()
    for thread in threads:
        thread.join()
    gc.unfreeze()
    assert not wrong
