"""Calls: right results, every refusal, no allocation, no leaked reference; on the C launcher and the ctypes one."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import time

import ml_dtypes
import numpy as np
import pytest
from launch_kernel import ADD, FAIL, NAP, NOTHING, REVERSE, args_for, arrays, bind, kernel, own_cache

from tilewright.errors import LaunchError, TensorError
from tilewright.jit import launcher as launcher_module
from tilewright.jit.arrays import view_of
from tilewright.jit.launcher import array_over, c_launcher, ctypes_launcher, launcher, make_call, trim_scratch


@pytest.fixture(scope="module", autouse=True)
def _own_cache():
    """The helper libraries of these tests are built into the tests' own cache."""
    launcher(own_cache())


@pytest.fixture(params=["c", "ctypes"])
def active(request):
    return c_launcher(own_cache()) if request.param == "c" else ctypes_launcher("asked for by the test")


def test_the_c_launcher_is_the_one_in_use():
    assert launcher().kind == "c"
    assert launcher_module.launcher_status().startswith("C launcher: ")


def test_a_call_computes_and_returns_out_itself(active):
    a, b, out = arrays()
    call = bind(a, b, out, active=active)
    assert call(a, b, out) is out
    np.testing.assert_array_equal(out, a + b)
    a2, b2, out2 = a * 3, b + 1, np.empty_like(out)
    assert call(a2, b2, out2) is out2
    np.testing.assert_array_equal(out2, a2 + b2)


@pytest.mark.parametrize("role", range(3))
def test_masked_arrays_are_refused_and_other_subclasses_are_not(active, role, tmp_path):
    given = list(arrays())
    call = bind(*given, active=active)
    masked = [np.ma.masked_array(x) if i == role else x for i, x in enumerate(given)]
    with pytest.raises(TensorError, match="is a MaskedArray, not a NumPy array"):
        call(*masked)
    mapped = np.memmap(tmp_path / "x", np.float32, "w+", shape=given[role].shape)
    mapped[...] = given[role]
    out = call(*(mapped if i == role else x for i, x in enumerate(given)))
    np.testing.assert_array_equal(out, given[0] + given[1])


def test_raw_addresses_are_not_null(active):
    call = bind(*arrays(), active=active)
    with pytest.raises(TensorError, match="a has no memory: its address is 0"):
        call.run_pointers(0, 0, 0)


def test_strided_and_transposed_arrays(active):
    a, b, out = arrays(6, 10)
    a, b, out = a.T, b[::-1].T, np.zeros((10, 12), np.float32)[:, ::2]
    call = bind(a, b, out, active=active)
    call(a, b, out)
    np.testing.assert_array_equal(out, a + b)


def test_workspace_is_lent_and_barriers_hold(active):
    a, b, out = arrays(33, 17)
    call = bind(a, b, out, REVERSE, threads=3, extra=5, active=active)
    assert call.workspace_bytes == 33 * 17 * 4
    for _ in range(20):
        out[:] = -1
        call(a, b, out)
        np.testing.assert_array_equal(out, (a + b + 4)[::-1])


def wrong_inputs():
    a, b, out = arrays()
    frozen = out.copy()
    frozen.flags.writeable = False
    padded = np.zeros((8, 16), np.float32)[:, :8]
    raw = np.zeros(8 * 8 * 4 + 64, np.uint8)
    odd = raw[1 : 1 + 256].view(np.float32).reshape(8, 8)
    return {
        "dtype": ((a.astype(np.float64), b, out), "a has dtype float64; bound with float32"),
        "half": ((a, b.astype(ml_dtypes.bfloat16), out), "b has dtype bfloat16; bound with float32"),
        "byte order": ((a.astype(">f4"), b, out), "a has dtype float32 of foreign byte order; bound with float32"),
        "shape": ((a, b, np.zeros((8, 9), np.float32)), r"out has shape \(8, 9\); bound with \(8, 8\)"),
        "rank": ((a.reshape(1, 8, 8), b, out), r"a has shape \(1, 8, 8\)"),
        "strides": ((a, padded, out), r"b has strides \(64, 4\) bytes; bound with \(32, 4\)"),
        "read-only": ((a, b, frozen), "out is read-only"),
        "unaligned": ((odd, b, out), "a is at address 0x[0-9a-f]+, which is not a multiple of 4 bytes"),
        "overlap": ((a, b, a), "out, which the kernel writes, overlaps a"),
        "no array": ((a, [1], out), "b is a list, not a NumPy array"),
        "too few": ((a, b), r"2 arrays were given; 3 are needed \(a, b, out\)"),
        "too many": ((a, b, out, out), "4 arrays were given"),
        "none": ((), "0 arrays were given"),
    }


@pytest.mark.parametrize("case", wrong_inputs())
def test_what_does_not_fit_is_refused_by_name(active, case):
    call = bind(*arrays(), active=active)
    given, message = wrong_inputs()[case]
    with pytest.raises(TensorError, match=message):
        call(*given)


def test_all_mistakes_are_told_at_once(active):
    a, b, out = arrays()
    call = bind(a, b, out, active=active)
    with pytest.raises(TensorError, match=r"2 mistakes: \(1\) a has dtype .*\(2\) b has shape"):
        call(a.astype(np.int8), b[:4], out)


def test_bind_checks_its_own_examples(active):
    a, b, out = arrays()
    with pytest.raises(TensorError, match="overlaps a"):
        bind(a, b, a[:], active=active)
    out.flags.writeable = False
    with pytest.raises(TensorError, match="read-only"):
        bind(a, b, out, active=active)


def test_keywords_are_refused(active):
    a, b, out = arrays()
    with pytest.raises(TypeError):
        bind(a, b, out, active=active)(a, b, out=out)


def test_partial_overlap_is_found_and_interleaving_is_not_an_overlap(active):
    pool = np.zeros((8, 24), np.float32)
    a, b, out = pool[:, :8], pool[:, 8:16], pool[:, 16:]
    a[:], b[:] = 1, 2
    call = bind(a, b, out, active=active)
    assert (call(a, b, out) == 3).all()  # the ranges meet, no element does
    with pytest.raises(TensorError, match="out, which the kernel writes, overlaps b"):
        call(a, b, pool[:, 15:23])
    line = np.zeros(65, np.float32)
    call = bind(*arrays(), active=active)
    with pytest.raises(TensorError, match="overlaps a"):
        call(line[:64].reshape(8, 8), b.copy(), line[1:].reshape(8, 8))


def test_may_alias_allows_the_same_memory_and_nothing_else(active):
    a, b, out = arrays()
    call = bind(a, b, out, may_alias={1}, active=active)
    expected = a + b
    np.testing.assert_array_equal(call(a, b, b), expected)
    with pytest.raises(TensorError, match="overlaps a"):
        call(a, b, a)
    line = np.zeros(72, np.float32)
    with pytest.raises(TensorError, match="overlaps b"):
        call(a, line[:64].reshape(8, 8), line[8:].reshape(8, 8))


def test_alignment_is_demanded_where_bind_asks(active):
    raw = np.zeros(3 * 512, np.uint8)
    start = -raw.ctypes.data % 64
    cut = [raw[start + k * 256 : start + (k + 1) * 256].view(np.float32).reshape(8, 8) for k in range(4)]
    shifted = raw[start + 1040 : start + 1040 + 256].view(np.float32).reshape(8, 8)
    call = bind(*cut[:3], alignment=64, active=active)
    call(*cut[:3])
    with pytest.raises(TensorError, match="not a multiple of 64 bytes"):
        call(shifted, *cut[1:3])
    loose = bind(*cut[:3], alignment={2: 64}, active=active)
    loose(shifted, *cut[1:3])
    address = shifted.ctypes.data
    with pytest.raises(TensorError, match="not a multiple of 64 bytes"):
        call.run_pointers(address, cut[1].ctypes.data, cut[2].ctypes.data)


def test_strides_of_single_rows_do_not_matter(active):
    a, b, out = arrays(1, 8)
    call = bind(a, b, out, active=active)
    tall = np.ones((4, 8, 3), np.float32).transpose(2, 0, 1)[0]
    row = np.lib.stride_tricks.as_strided(a, (1, 8), (12345, 4))
    np.testing.assert_array_equal(call(row, b, out), a + b)
    with pytest.raises(TensorError, match="strides"):
        call(tall[:1], b, out)


def test_empty_arrays(active):
    a, b, out = arrays(0, 8)
    assert bind(a, b, out, active=active)(a, b, out) is out


def test_run_pointers_runs_on_addresses(active):
    a, b, out = arrays()
    call = bind(a, b, out, active=active)
    assert call.run_pointers(a.ctypes.data, b.ctypes.data, out.ctypes.data) is None
    np.testing.assert_array_equal(out, a + b)
    with pytest.raises(TypeError, match="takes 3 addresses, got 1"):
        call.run_pointers(1)
    with pytest.raises(TypeError):
        call.run_pointers("a", "b", "c")
    with pytest.raises(TensorError, match="a is at address 0x3"):
        call.run_pointers(3, b.ctypes.data, out.ctypes.data)


def test_a_failing_kernel_raises_its_own_words(active):
    a, b, out = arrays()
    with pytest.raises(LaunchError, match=r"returned 7: m is 8, which this kernel dislikes"):
        bind(a, b, out, FAIL, active=active)(a, b, out)


def test_bfloat16_arrays_pass_by_their_dtype(active):
    a, b, out = arrays(dtype=ml_dtypes.bfloat16)
    call = bind(a, b, out, NOTHING, active=active)
    assert call(a, b, out) is out
    with pytest.raises(TensorError, match="a has dtype float16; bound with bfloat16"):
        call(a.astype(np.float16), b, out)
    with pytest.raises(TensorError, match="a has dtype uint16; bound with bfloat16"):
        call(a.view(np.uint16), b, out)


def test_equal_dtypes_need_not_be_one_object(active):
    a, b, out = arrays()
    call = bind(a, b, out, active=active)
    twin = np.dtype("f4", metadata={"unit": "m"})
    other = np.frombuffer(a.tobytes(), twin).reshape(8, 8)
    assert other.dtype is not a.dtype
    np.testing.assert_array_equal(call(other, b, out), a + b)


def test_several_written_operands(active):
    a, b, out = arrays()
    call = bind(a, b, out, written={1}, active=active)
    frozen = b.copy()
    frozen.flags.writeable = False
    with pytest.raises(TensorError, match="b is read-only"):
        call(a, frozen, out)
    with pytest.raises(TensorError, match="b, which the kernel writes, overlaps a"):
        call(a, a, out)


@pytest.mark.parametrize("release_gil", [False, True])
def test_many_threads_share_one_call(active, release_gil):
    a, b, _ = arrays(64, 33)
    call = bind(a, b, np.zeros_like(a), REVERSE, threads=2, extra=2, release_gil=release_gil, active=active)
    wrong: list[int] = []

    def work(seed: int) -> None:
        mine, out = a + seed, np.zeros_like(a)
        for i in range(60):
            out[:] = -1
            call(mine, b, out)
            if not np.array_equal(out, (mine + b + 1)[::-1]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("release", [True, False])
def test_the_gil_is_released_only_where_asked(active, release):
    a, b, out = arrays()
    call = bind(a, b, out, NAP, extra=200_000, release_gil=release, active=active)
    ticks: list[float] = []
    started, done = threading.Event(), threading.Event()

    def tick() -> None:
        started.set()
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    started.wait()
    begin = time.monotonic()
    call(a, b, out)
    end = time.monotonic()
    done.set()
    thread.join()
    inside = [t for t in ticks if begin + 0.02 < t < end - 0.02]
    assert bool(inside) is release


def test_references_are_stable():
    a, b, out = arrays()
    call = bind(a, b, out, REVERSE, threads=2)
    wrong = a.astype(np.float64)

    def use() -> None:
        for _ in range(1000):
            call(a, b, out)
        for _ in range(10):
            with pytest.raises(TensorError):
                call(wrong, b, out)

    use()
    gc.collect()  # garbage of other tests holds dtypes too
    watched = (a, b, out, wrong, call, a.dtype, kernel(), call.operands)
    before = [sys.getrefcount(x) for x in watched]
    use()
    gc.collect()
    assert [sys.getrefcount(x) for x in watched] == before


def blocks_grown(call, arguments, times: int) -> int:
    before = sys.getallocatedblocks()
    for _ in itertools.repeat(None, times):  # a range would keep its last number
        call(*arguments)
    return sys.getallocatedblocks() - before


def test_repeated_calls_allocate_nothing():
    a, b, out = arrays()
    call = bind(a, b, out, REVERSE, threads=2)
    held = launcher().module.scratch_held()
    blocks_grown(call, (a, b, out), 10)
    grown = [[blocks_grown(call, (a, b, out), n) for n in (10, 2000)] for _ in range(5)]
    assert any(few == many for few, many in grown), grown  # threads of other tests may allocate and free some meanwhile
    assert launcher().module.scratch_held() == held


def test_dropping_a_call_frees_what_it_held():
    a, b, out = arrays()
    held = kernel()
    gc.collect()
    before = [sys.getrefcount(held), sys.getrefcount(a.dtype)]
    calls = [bind(a, b, out) for _ in range(50)]
    during = sys.getrefcount(held)
    del calls
    gc.collect()
    after = [sys.getrefcount(held), sys.getrefcount(a.dtype)]
    assert during == before[0] + 50
    assert after == before


def test_workspace_is_shared_between_calls_and_can_be_trimmed(active):
    trim_scratch()
    if active.kind == "c":
        active.module.trim_scratch()  # what other tests left; each loaded copy of the extension keeps its own
    a, b, out = arrays(64, 64)
    calls = [bind(a, b, out, REVERSE, threads=2, active=active) for _ in range(20)]
    for call in calls:
        call(a, b, out)
    if active.kind == "c":
        assert active.module.scratch_held() <= 2 * (1 << 16)
        assert active.module.trim_scratch() > 0
        assert active.module.scratch_held() == 0
    np.testing.assert_array_equal(calls[0](a, b, out), (a + b)[::-1])


def test_large_workspace(active):
    a, b, out = arrays(1024, 1025)
    call = bind(a, b, out, REVERSE, threads=2, release_gil=True, active=active)
    np.testing.assert_array_equal(call(a, b, out), (a + b)[::-1])


def test_torch_tensors_bind_and_run_by_address(active):
    torch = pytest.importorskip("torch")
    a, b = torch.arange(64.0).reshape(8, 8), torch.ones(8, 8)
    out = torch.zeros(8, 8)
    args = args_for(*(x.numpy() for x in (a, b, out)))
    call = make_call(kernel(), args, (0, 1, 2), (a, b, out), 2, active=active)
    call.run_pointers(a.data_ptr(), b.data_ptr(), out.data_ptr())
    assert torch.equal(out, a + b)
    half = torch.ones(8, 8, dtype=torch.bfloat16)
    assert array_over(view_of(half)).dtype == ml_dtypes.bfloat16
    with pytest.raises(TensorError, match="overlaps"):
        make_call(kernel(), args, (0, 1, 2), (a, b, a), 2, active=active)


def test_the_c_call_refuses_nonsense_at_construction():
    a, b, out = arrays()
    good = bind(a, b, out)
    call_type, args = type(good), args_for(a, b, out, ADD)
    with pytest.raises(ValueError, match="tw_args has"):
        call_type(good.run_address, bytes(args)[:-1], good.operands, 2, False)
    args.abi_version = 99
    with pytest.raises(ValueError, match="abi_version"):
        call_type(good.run_address, bytes(args), good.operands, 2, False)
    with pytest.raises(ValueError, match="out is 0"):
        call_type(good.run_address, bytes(args_for(a, b, out)), good.operands, 0, False)
    with pytest.raises(ValueError, match="null"):
        call_type(0, bytes(args_for(a, b, out)), good.operands, 2, False)
    with pytest.raises(ValueError, match="slot 16"):
        call_type(1, bytes(args_for(a, b, out)), (good.operands[0]._replace(slot=16),), 0, False)
    with pytest.raises(ValueError, match="alignment 3"):
        call_type(1, bytes(args_for(a, b, out)), (good.operands[0]._replace(alignment=3),), 0, False)
