"""The memo of prepared launches in C: what hits, what misses, what is made, and what is refused."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.jit.launcher import launcher
from tilewright.jit.memo import Memo, Record, make_memo, register_tensor_types


class Calls:
    """A prepared launch that writes down the addresses it is run on."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, ...]] = []

    def run_pointers(self, *addresses: int) -> None:
        self.seen.append(addresses)


@pytest.fixture
def memo() -> Memo:
    made = make_memo(64)
    assert made is not None
    return made


def address_of(tensor: Any) -> int:
    return int(tensor.ctypes.data if isinstance(tensor, np.ndarray) else tensor.data_ptr())


def named(*tensors: Any) -> dict[str, Any]:
    return {f"t{i}": tensor for i, tensor in enumerate(tensors)}


def reach(tensor: Any) -> tuple[int, int]:
    size = tensor.itemsize if isinstance(tensor, np.ndarray) else tensor.element_size()
    count = tensor.size if isinstance(tensor, np.ndarray) else tensor.numel()
    return 0, size * count


def record(call: Any, tensors: tuple[Any, ...], maker: Any = None, same: tuple[tuple[int, int], ...] = ()) -> Record:
    """The record of a call that writes its last tensor."""
    last = len(tensors) - 1
    example = tuple(t if t is not None else maker() for t in tensors)
    makers = tuple(maker if t is None else None for t in tensors)
    return Record(call, tuple(map(reach, example)), (last,), same, makers, tuple(range(len(tensors))))


def operands() -> tuple[Any, Any, Any]:
    return np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.empty((2, 4), np.float32)


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


def product(*arguments: Any, **options: Any) -> None:
    """The function that the calls below belong to; the memo never calls it."""
    raise AssertionError


def kept(memo: Memo, calls: Calls, arguments: tuple[Any, ...], options: dict[str, Any], maker: Any = None) -> None:
    """Keep a call of `product` with two tensors and perhaps `out` under its arguments."""
    a, b = [x for x in arguments if isinstance(x, np.ndarray)]
    given = named(a, b, options.get("out"))
    assert memo.keep("choices", given, *record(calls, (a, b, options.get("out")), maker))
    assert memo.run("choices", given, product, arguments, options, "t2")


def test_a_call_is_found_by_its_arguments(memo: Memo) -> None:
    calls, (a, b, out) = Calls(), operands()
    assert memo.again(product, (a, b), {"out": out}) is None
    kept(memo, calls, (a, b), {"out": out})
    x, y, z = operands()
    assert memo.again(product, (x, y), {"out": z}) is z
    assert calls.seen[-1] == tuple(map(address_of, (x, y, z)))
    assert len(memo) == 2


@pytest.mark.parametrize(
    "other",
    [
        lambda a, b, out: ((a, b, out), {}),
        lambda a, b, out: ((b, a), {"out": out}),
        lambda a, b, out: ((a, b), {"result": out}),
        lambda a, b, out: ((a, b), {"out": out, "alpha": 1.0}),
        lambda a, b, out: ((a, b), {"out": None}),
        lambda a, b, out: ((a, b), {}),
        lambda a, b, out: ((a, 1), {"out": out}),
        lambda a, b, out: ((a, [b]), {"out": out}),
        lambda a, b, out: ((a, b), {"out": a[:, :1]}),
        lambda a, b, out: ((a, b, *[a[:i] for i in range(20)]), {"out": out}),
        lambda a, b, out: ((a, b), {"out": out, **{f"more{i}": i for i in range(30)}}),
    ],
)
def test_other_words_are_another_call(memo: Memo, other: Any) -> None:
    calls, (a, b, out) = Calls(), operands()
    kept(memo, calls, (a, b), {"out": out})
    seen = len(calls.seen)
    arguments, options = other(*operands())
    assert memo.again(product, arguments, options) is None
    assert memo.again(len, (a, b), {"out": out}) is None
    assert len(calls.seen) == seen


SAME = [(1.0, 1.0), ("relu", "".join(["re", "lu"])), ((1, (2, 3)), (1, (2, 3))), (None, None), (np.float32, np.float32)]
OTHERS = [
    (1.0, True), (1.0, 1), (True, 1), (0.0, -0.0), ((1, 2), (1.0, 2)), ((1, 2), (1, 2, 3)), ("relu", "gelu"),
    ("relu", b"relu"), (1.0, np.float64(1.0)), (1, [1]), (None, 0), (1.5, 2.5), (1.5, float("nan")),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "hit"), [(*p, True) for p in SAME] + [(*p, False) for p in OTHERS])
def test_constants_are_the_same_by_value_and_type(memo: Memo, first: Any, then: Any, hit: bool) -> None:
    calls, (a, b, out) = Calls(), operands()
    kept(memo, calls, (a, b), {"out": out, "option": first})
    assert (memo.again(product, (a, b), {"out": out, "option": then}) is out) == hit


@pytest.mark.parametrize("odd", [[1], {1: 2}, object(), (np.ones(1),), ([1],), ((((1,),),),), np.ones(1)])
def test_arguments_that_may_change_are_no_key(memo: Memo, odd: Any) -> None:
    calls, (a, b, out) = Calls(), operands()
    given, options = named(a, b, out), {"out": out, "odd": odd}
    assert memo.keep("choices", given, *record(calls, (a, b, out)))
    assert memo.run("choices", given, product, (a, b), options, "t2")
    assert memo.again(product, (a, b), options) is None
    assert len(memo) == 1


def test_an_object_that_is_given_twice_must_be_given_twice_again(memo: Memo) -> None:
    calls, square = Calls(), [np.ones((3, 3), np.float32) for _ in range(3)]
    given = named(square[0], square[0], square[2])
    assert memo.keep("choices", given, *record(calls, (square[0], square[0], square[2])))
    assert memo.run("choices", given, product, (square[0], square[0]), {"out": square[2]}, "t2")
    assert memo.again(product, (square[1], square[1]), {"out": square[2]}) is square[2]
    assert calls.seen[-1] == tuple(map(address_of, (square[1], square[1], square[2])))
    assert memo.again(product, (square[0], square[1]), {"out": square[2]}) is None


def test_results_are_made_and_returned_one_or_several(memo: Memo) -> None:
    calls, (a, b, _), made = Calls(), operands(), []

    def maker() -> Any:
        made.append(np.empty((2, 4), np.float32))
        return made[-1]

    kept(memo, calls, (a, b), {}, maker)
    result = memo.again(product, (a, b), {})
    assert result is made[-1]
    assert len(made) == 3  # for the example of the record, the first run and this one
    assert memo.run("choices", named(a, b, None), product, (a, b, "both"), {}, ("t0", "t2"))
    both = memo.again(product, (a, b, "both"), {})
    assert both == (a, made[-1])
    assert memo.run("choices", named(a, b, None), product, (a, b, "none"), {}, ("t7",))
    assert memo.again(product, (a, b, "none"), {}) is None


def test_overlap_and_lost_results_are_seen_by_arguments_too(memo: Memo) -> None:
    calls, memory = Calls(), np.ones(24, np.float32)
    a, b, out = memory[:6].reshape(2, 3), memory[6:18].reshape(3, 4), np.empty((2, 4), np.float32)
    kept(memo, calls, (a, b), {"out": out})
    assert memo.again(product, (a, b), {"out": memory[2:10].reshape(2, 4)}) is None
    memo.clear()
    assert memo.again(product, (a, b), {"out": out}) is None


def test_bad_uses_are_errors(memo: Memo) -> None:
    a, b, _ = operands()
    for wrong in [(product, (a, b)), (product, [a, b], {}), (product, (a, b), None)]:
        with pytest.raises(TypeError, match="again"):
            memo.again(*wrong)
    for bad in [("x",), ("x", [a]), ("x", {}, product), ("x", {}, product, [a], {}, "t2")]:
        with pytest.raises(TypeError, match="run"):
            memo.run(*bad)


def test_references_are_stable(memo: Memo) -> None:
    calls, first = Calls(), operands()
    options = {"out": first[2], "option": ("some", 1.5)}
    kept(memo, calls, first[:2], options)
    watched = (*first, calls, memo, first[0].dtype, NotImplemented, None, product, options["option"])
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(100):
        memo.again(product, first[:2], options)
        memo.again(product, (first[0], first[1], first[0]), {})
        memo.run("choices", named(*first), product, first[:2], options, "t2")
        calls.seen.clear()
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(x - y) < 20 for x, y in zip(before, after, strict=True))
    memo.clear()
    assert sys.getrefcount(options["option"]) < before[-1]


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


# Tensors of torch.


@pytest.fixture
def torch() -> Any:
    torch = pytest.importorskip("torch")
    register_tensor_types([torch.ones(1), torch.nn.Parameter(torch.ones(1))])
    return torch


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


# Launches on a GPU, with a driver that writes down what it is given.

DRIVER = r"""
#include <cstdint>
#include <cstring>
struct Config { unsigned grid[3], block[3], shared; void* stream; };
static uint64_t seen[64]; static int count, refuse, outside;
extern "C" int launch(const Config* c, void* function, void** params, void**) {
  if (refuse) return refuse--;
  seen[count++] = (uint64_t)c->stream;
  seen[count++] = (uint64_t)function;
  for (int i = 0; params[i]; ++i) seen[count++] = *(uint64_t*)params[i];
  return 0;
}
extern "C" int move(void* map, void* address) {
  if (!address) return 1;
  if (outside) return outside = 0, 2;
  memcpy(map, &address, 8);
  return 0;
}
extern "C" int take(uint64_t* out) { int n = count; memcpy(out, seen, sizeof seen); count = 0; return n; }
extern "C" void refuse_next(int n) { refuse = n; }
extern "C" void leave_context() { outside = 1; }
"""


class Driver:
    """A loaded recording driver, and parameter blocks for it."""

    def __init__(self, folder: Path) -> None:
        (folder / "driver.cpp").write_text(DRIVER)
        path = folder / "driver.so"
        subprocess.run(["g++", "-shared", "-fPIC", "-o", path, folder / "driver.cpp"], check=True)
        self.lib = ctypes.CDLL(str(path))
        self.errors: list[tuple[int, int]] = []
        self.config = (ctypes.c_uint * 32)()
        self.cells = (ctypes.c_uint64 * 4)(0, 0, 77, 0)
        self.params = (ctypes.c_void_p * 4)(*(ctypes.addressof(self.cells) + 8 * i for i in range(3)), None)

    def launches(self, stream: int | None, current: Any = None) -> Any:
        def at(thing: Any) -> int:
            return ctypes.cast(thing, ctypes.c_void_p).value or 0

        def failed(index: int, code: int) -> None:
            self.errors.append((index, code))
            if code == 1:
                raise RuntimeError(f"launch {index}: {code}")

        where = ctypes.addressof(self.cells)
        cells = ((where, 0, False, 16), (where + 8, 1, True, 0))
        places = ((ctypes.addressof(self.config), 5, ctypes.addressof(self.params)),)
        make = launcher().module.GpuLaunches
        return make((at(self.lib.launch), at(self.lib.move)), 2, places, cells, stream, failed, current, 3, self)

    def taken(self) -> list[int]:
        out = (ctypes.c_uint64 * 64)()
        return list(out[: self.lib.take(out)])


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return Driver(tmp_path_factory.mktemp("driver"))


def test_launches_move_pointers_and_tensor_maps(driver: Driver) -> None:
    launches = driver.launches(None, lambda ordinal: 100 + ordinal)
    launches.run(9, 1000, 2000)
    launches.run(None, 1000, 3000)
    launches.run(0, 1000, 3000)
    assert driver.taken() == [9, 5, 1016, 2000, 77, 103, 5, 1016, 3000, 77, 0, 5, 1016, 3000, 77]
    with pytest.raises(TypeError, match="2 addresses"):
        launches.run(9, 1000)
    with pytest.raises(OverflowError):
        launches.run(9, -5, 2000)


def test_an_error_of_the_driver_is_reported_and_the_next_launch_is_right(driver: Driver) -> None:
    launches = driver.launches(None)
    driver.lib.refuse_next(2)
    launches.run(9, 1000, 2000)  # the callback mended it
    assert driver.errors[-1] == (0, 2)
    with pytest.raises(RuntimeError, match="launch 0: 1"):
        launches.run(9, 1000, 2000)
    with pytest.raises(RuntimeError, match="launch -1: 1"):
        launches.run(9, 4000, 0)
    launches.run(9, 1000, 2000)
    assert driver.taken() == [9, 5, 1016, 2000, 77]


def test_a_tensor_map_is_moved_again_if_only_the_context_of_a_thread_was_missing(driver: Driver) -> None:
    launches = driver.launches(None)
    driver.lib.leave_context()
    launches.run(9, 1000, 2000)  # the callback made it current
    assert driver.errors[-1] == (-1, 2)
    assert driver.taken() == [9, 5, 1016, 2000, 77]


def test_a_memo_runs_launches_of_the_stream_that_their_workspace_belongs_to(driver: Driver, torch: Any) -> None:
    """Tensors on the host work on stream 0, so launches of another stream are a miss."""
    memo = launcher().module.Memo(16)
    x, y = torch.ones(4), torch.ones(4)
    memo.keep("f", named(x, y), *record(driver.launches(7), (x, y)))
    assert not memo.run("f", named(x, y))
    memo.keep("f", named(x, y), *record(driver.launches(0), (x, y)))
    assert memo.run("f", named(x, y))
    assert driver.taken() == [0, 5, x.data_ptr() + 16, y.data_ptr(), 77]
    assert len(memo) == 2


def test_alignment_has_one_limit_in_python_and_in_c() -> None:
    from pathlib import Path

    import tilewright.jit
    from tilewright.jit.arrays import VECTOR

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


def test_names_that_differ_in_few_bits_do_not_crowd_each_other_out() -> None:
    memo, calls, tensors = make_memo(), Calls(), operands()
    assert memo is not None
    names = [object() for _ in range(64)]
    for name in names:
        memo.keep(name, named(*tensors), *record(calls, tensors))
    assert all(memo.run(name, named(*tensors)) for name in names)
