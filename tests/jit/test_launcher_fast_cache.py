"""FastCache: a hit runs the right Call, everything else is a MISS; bounded, and safe to clear while in use."""

from __future__ import annotations

import gc
import sys
import threading

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launch_kernel import NOTHING, REVERSE, arrays, bind, kernel, own_cache

from tilewright.errors import TensorError
from tilewright.jit.launcher import MISS, ctypes_launcher, launcher, make_call, make_fast_cache
from tilewright.jit.loader import new_args


@pytest.fixture(scope="module", autouse=True)
def _own_cache():
    launcher(own_cache())


@pytest.fixture
def cache():
    return make_fast_cache()


def test_miss_then_add_then_hit(cache):
    a, b, out = arrays()
    assert cache.lookup(a, b, out) is MISS
    assert repr(MISS) == "MISS"
    assert cache.add(a, b, out, bind(a, b, out)) is True
    assert len(cache) == 1
    assert cache.lookup(a, b, out) is out
    np.testing.assert_array_equal(out, a + b)
    assert cache.lookup(b, a, np.zeros_like(out)) is not MISS  # other arrays that look alike


def test_clear_forgets(cache):
    a, b, out = arrays()
    cache.add(a, b, out, bind(a, b, out))
    cache.clear()
    assert len(cache) == 0
    assert cache.lookup(a, b, out) is MISS


def test_what_differs_in_looks_misses(cache):
    a, b, out = arrays()
    cache.add(a, b, out, bind(a, b, out))
    padded = np.zeros((8, 16), np.float32)[:, :8]

    class Sub(np.ndarray):
        pass

    others = [
        (a.astype(np.float64), b, out),
        (a.astype(np.int32), b, out),  # same itemsize
        (a.astype(">f4"), b, out),
        (a, b.T, out),
        (a, b, np.zeros((8, 9), np.float32)),
        (a.reshape(8, 8, 1), b, out),
        (a.reshape(64), b, out),
        (padded, b, out),
        (a.view(Sub), b, out),
        (a, b, None),
        (a, b, [1]),
        (a, b),
        (),
        (a, b, out, out),
        (a,) * 20,
        (np.zeros((1,) * 7 + (8, 8), np.float32), b, out),
        (np.zeros((8, 8), "U4"), b, out),
        (np.zeros((8, 8), "datetime64[s]"), b, out),
    ]
    for given_arrays in others:
        assert cache.lookup(*given_arrays) is MISS


def test_a_hit_still_checks_place_and_permission(cache):
    a, b, out = arrays()
    cache.add(a, b, out, bind(a, b, out))
    with pytest.raises(TensorError, match="out, which the kernel writes, overlaps a"):
        cache.lookup(a, b, a)
    frozen = out.copy()
    frozen.flags.writeable = False
    with pytest.raises(TensorError, match="read-only"):
        cache.lookup(a, b, frozen)


def test_alignment_classes_are_kept_apart():
    raw = np.zeros(4096, np.uint8)
    start = -raw.ctypes.data % 64

    def cut(offset):
        return raw[start + offset : start + offset + 256].view(np.float32).reshape(8, 8)

    b, out = cut(512), cut(1024)
    call = bind(cut(0), b, out)
    cache = make_fast_cache(max_alignment=64)
    cache.add(cut(0), b, out, call)
    assert cache.lookup(cut(64), b, out) is out
    for offset in (4, 8, 16, 32):
        assert cache.lookup(cut(offset), b, out) is MISS
    coarse = make_fast_cache()
    coarse.add(cut(0), b, out, call)
    assert coarse.lookup(cut(16), b, out) is out
    assert coarse.lookup(cut(8), b, out) is MISS
    coarse.add(cut(0), b, out, bind(cut(0), b, out, alignment=64))
    assert coarse.lookup(cut(64), b, out) is out
    assert coarse.lookup(cut(16), b, out) is MISS  # the kept call needs more than the key tells


def test_a_call_that_does_not_fit_cannot_be_added(cache):
    a, b, out = arrays()
    call = bind(a, b, out)
    with pytest.raises(TensorError, match="a has shape"):
        cache.add(a[:4], b, out, call)
    with pytest.raises(TypeError, match="their Call"):
        cache.add(a, b, out, "no call")
    with pytest.raises(TypeError):
        cache.add()
    assert len(cache) == 0


def test_arrays_that_cannot_be_a_key_are_not_kept(cache):
    a, b, out = arrays()

    class Sub(np.ndarray):
        pass

    assert cache.add(a.view(Sub), b, out, bind(a, b, out)) is False
    assert len(cache) == 0


def test_adding_again_replaces(cache):
    a, b, out = arrays()
    cache.add(a, b, out, bind(a, b, out, NOTHING))
    cache.add(a, b, out, bind(a, b, out))
    assert len(cache) == 1
    cache.lookup(a, b, out)
    np.testing.assert_array_equal(out, a + b)


def test_size_is_bounded_and_hits_stay_right():
    cache = make_fast_cache(capacity=16)
    references = sys.getrefcount(kernel())
    for n in range(1, 101):
        trio = arrays(2, n)
        cache.add(*trio, bind(*trio))
        assert len(cache) <= 16
    hits = 0
    for n in range(1, 101):
        a, b, out = arrays(2, n)
        if cache.lookup(a, b, out) is not MISS:
            hits += 1
            np.testing.assert_array_equal(out, a + b)
    assert hits == len(cache) > 4
    assert cache.lookup(*arrays(2, 100)) is not MISS  # what came last is there
    del cache
    gc.collect()
    assert sys.getrefcount(kernel()) <= references + 1


def test_single_rows_hit_whatever_their_stride(cache):
    a, b, out = arrays(1, 8)
    cache.add(a, b, out, bind(a, b, out))
    row = np.lib.stride_tricks.as_strided(a, (1, 8), (12345, 4))
    assert cache.lookup(row, b, out) is out


def test_dtypes_of_ml_dtypes_are_told_apart(cache):
    a, b, out = arrays(dtype=ml_dtypes.float8_e4m3fn)
    cache.add(a, b, out, bind(a, b, out, NOTHING))
    assert cache.lookup(a, b, out) is out
    assert cache.lookup(a.view(ml_dtypes.float8_e5m2), b, out) is MISS
    assert cache.lookup(a.view(np.int8), b, out) is MISS


def test_references_are_stable(cache):
    a, b, out = arrays()
    call = bind(a, b, out)
    cache.add(a, b, out, call)
    other = np.zeros((3, 3), np.float32)

    def use() -> None:
        for _ in range(1000):
            cache.lookup(a, b, out)
            cache.lookup(a, b, other)

    use()
    watched = (a, b, out, other, call, cache, MISS, a.dtype)
    before = [sys.getrefcount(x) for x in watched]
    use()
    assert [sys.getrefcount(x) for x in watched] == before


def test_clearing_while_others_look_up():
    cache = make_fast_cache(capacity=8)
    a, b, _ = arrays(32, 32)
    errors: list[Exception] = []
    stop = threading.Event()

    def look() -> None:
        out = np.zeros_like(a)
        try:
            while not stop.is_set():
                out[:] = -1
                if cache.lookup(a, b, out) is MISS:
                    cache.add(a, b, out, bind(a, b, out, REVERSE, threads=2, extra=3, release_gil=True))
                elif not np.array_equal(out, (a + b + 2)[::-1]):
                    raise AssertionError("wrong result")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        cache.clear()
        stop.wait(0.001)
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors


shapes = st.lists(st.integers(0, 4), min_size=0, max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(shapes, st.sampled_from(["f4", "f8", "i1"]), st.booleans()), min_size=2, max_size=12))
def test_a_hit_is_exactly_an_equal_key(looks):
    """Against a model: a dict keyed by what makes two arrays alike."""
    cache, model = make_fast_cache(), {}
    for shape, dtype, reverse in looks:
        out = np.zeros(shape, dtype)
        out = out.T if reverse else out
        strides = tuple(s if n > 1 else 0 for n, s in zip(out.shape, out.strides, strict=True))
        key = (out.shape, strides, dtype, min(16, out.ctypes.data & -out.ctypes.data))
        found = cache.lookup(out)
        assert (found is out) == (key in model)
        if found is MISS:
            args = new_args(launch=(1, NOTHING))
            model[key] = make_call(kernel(), args, (0,), (out,), 0)
            assert cache.add(out, model[key])


def test_wrong_construction():
    for options in ({"capacity": 0}, {"max_alignment": 3}, {"max_alignment": 1 << 20}):
        with pytest.raises(ValueError, match="need"):
            make_fast_cache(**options)


def test_the_ctypes_cache_always_misses():
    a, b, out = arrays()
    active = ctypes_launcher("asked for by the test")
    cache = active.fast_cache(capacity=4)
    assert cache.add(a, b, out, bind(a, b, out, active=active)) is False
    assert cache.lookup(a, b, out) is MISS
    cache.clear()
    assert len(cache) == 0
