"""Settings of libraries that calls in several threads change: they are as before when the last call has ended."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tilewright.backends.vendor.gemm import blas as blas_calls
from tilewright.backends.vendor.libraries import Blas, numpy_blas
from tilewright.backends.vendor.shared_settings import SharedSetting, TorchThreads
from tilewright.backends.vendor.tensors import Guard
from tilewright.jit.arrays import view_of
from tilewright.jit.launcher import launcher
from tilewright.ops import get_op, problem_from_dict

LIBRARY = r"""
#include <atomic>
#include <chrono>
#include <thread>
static std::atomic<int> threads{4}, sets{0}, inside{0};
extern "C" int get_threads() { return threads; }
extern "C" void set_threads(int n) { threads = n; ++sets; }
extern "C" void start_anew() { threads = 4, sets = inside = 0; }
extern "C" void product(...) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  const bool first = ++inside == 1;  // ends when the other has begun; that one when the first has ended
  while (std::chrono::steady_clock::now() < end && (first ? inside < 2 : sets < 3)) std::this_thread::yield();
}
"""
PLAIN = "PassThrough"
WANTED = (1, 2, 1)


def orders(users: int) -> Iterator[Sequence[tuple[int, bool]]]:
    """Every order in which so many users can begin and end: (user, whether it begins)."""
    events = [(user, begins) for user in range(users) for begins in (True, False)]
    for order in itertools.permutations(events):
        if all(order.index((user, True)) < order.index((user, False)) for user in range(users)):
            yield order


def text_of(order: Sequence[tuple[int, bool]]) -> str:
    return "".join(f"{user}{'b' if begins else 'e'}" for user, begins in order)


@pytest.mark.parametrize("order", orders(3), ids=text_of)
def test_a_setting_is_restored_whoever_ends_last(order: Sequence[tuple[int, bool]]) -> None:
    value = [4]
    setting = SharedSetting(lambda: value[0], lambda new: value.__setitem__(0, new))
    uses = [setting.at(wanted) for wanted in WANTED]
    inside: set[int] = set()
    for user, begins in order:
        uses[user].__enter__() if begins else uses[user].__exit__(None, None, None)
        (inside.add if begins else inside.discard)(user)
        assert value[0] in (WANTED if inside else (4,))
        assert setting.differs(value[0]) == bool(inside)
    assert value == [4]


class InThread:
    """A thread that runs the functions it is handed, one after the other."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], Any]] = []
        self._wake, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self.found: Any = None
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            self._wake.acquire()
            self.found = self._steps.pop()()
            self._done.release()

    def do(self, step: Callable[[], Any]) -> Any:
        self._steps.append(step)
        self._wake.release()
        assert self._done.acquire(timeout=60)
        return self.found


class Torch:
    """The threads of torch: a thread begins with the number that was set last in any thread."""

    def __init__(self, threads: int) -> None:
        self.last, self._own = threads, threading.local()

    def get_num_threads(self) -> int:
        self._own.__dict__.setdefault("count", self.last)
        return int(self._own.count)

    def set_num_threads(self, count: int) -> None:
        self.last = self._own.count = count


@pytest.mark.parametrize("order", orders(2), ids=text_of)
@pytest.mark.parametrize("wanted", [(1, 1), (1, 2)])
@pytest.mark.parametrize("is_new", [False, True], ids=["old", "new"])
def test_threads_of_torch_come_back_in_every_thread(
    order: Sequence[tuple[int, bool]], wanted: tuple[int, int], is_new: bool
) -> None:
    torch = Torch(4)
    setting, threads = TorchThreads(torch), (InThread(), InThread())
    uses: list[Any] = [None, None]
    if not is_new:
        assert [t.do(torch.get_num_threads) for t in threads] == [4, 4]
        assert [t.do(lambda: setting.differs(4)) for t in threads] == [False, False]

    def begin(user: int) -> None:
        if setting.differs(wanted[user]):
            uses[user] = setting.at(wanted[user])
            uses[user].__enter__()
        assert torch.get_num_threads() == wanted[user]

    def end(user: int) -> None:
        assert torch.get_num_threads() == wanted[user]
        uses[user].__exit__(None, None, None)

    for user, begins in order:
        threads[user].do(lambda begins=begins, user=user: begin(user) if begins else end(user))
    assert [t.do(torch.get_num_threads) for t in threads] == [4, 4]
    assert torch.last == 4


@pytest.mark.parametrize("fp32", [(True, True), (True, False), (False, True)])
def test_fp32_products_in_two_threads_are_exact_and_leave_torch_as_it_was(fp32: tuple[bool, bool]) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    before, seen = torch.get_float32_matmul_precision(), list[str]()
    torch.set_float32_matmul_precision("medium")
    threads = (0, torch.get_num_threads() + 1)
    both, other = [Guard(torch, "cpu", *how) for how in zip(threads, fp32, strict=True)], InThread()

    def outer(*tensors: Any) -> None:
        """The other thread begins while this one computes, and ends when it has ended."""
        begun, ended = threading.Event(), threading.Event()

        def inner(*tensors: Any) -> None:
            begun.set()
            assert ended.wait(60)
            seen.append(torch.get_float32_matmul_precision())

        runs.append((threading.Thread(target=lambda: both[1].run(inner, tensors)), ended))
        runs[0][0].start()
        assert begun.wait(60)

    runs: list[Any] = []
    try:
        both[0].run(outer, [torch.ones(2)])
        runs[0][1].set()
        runs[0][0].join()
        assert torch.get_float32_matmul_precision() == "medium"
        assert other.do(torch.get_float32_matmul_precision) == "medium"
        assert not fp32[1] or seen == ["highest"]
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("blas")
    (folder / "blas.cpp").write_text(LIBRARY)
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", "-o", folder / "blas.so", folder / "blas.cpp"], check=True)
    return ctypes.CDLL(str(folder / "blas.so"))


@pytest.mark.parametrize("activations", [(PLAIN, PLAIN), ("Relu", "Relu"), (PLAIN, "Relu")], ids=str)
def test_threads_of_blas_come_back_after_calls_in_two_threads(
    library: Any, activations: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Products that C calls, those that Python calls, and one of each."""
    if not isinstance(real := numpy_blas(), Blas):
        pytest.skip(real)
    library.start_anew()
    library.product.argtypes, library.product.restype = real.products["fp32"].argtypes, None
    fake = replace(
        real, products={"fp32": library.product}, get_threads=library.get_threads, set_threads=library.set_threads
    )
    monkeypatch.setattr(blas_calls, "numpy_blas", lambda: fake)
    assert launcher().module is not None
    calls, held = list[Any](), list[Any]()
    for threads, activation in zip((1, 2), activations, strict=True):
        p = problem_from_dict({"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp32", "layout": "rrr",
                               "epilogue": activation})  # fmt: skip
        tensors = get_op("gemm").random_tensors(p, 0)
        held.append(tensors)  # a view does not own its memory
        views = {role: view_of(t, role) for role, t in tensors.items()}
        calls.append(blas_calls.BlasStage("blas", p, threads).bind(views))
    runs = [threading.Thread(target=call, args=(None,)) for call in calls]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert library.get_threads() == 4
