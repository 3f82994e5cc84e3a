"""Tensors, sizes and options that make no sense are refused in words, in every op, before a kernel sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilewright
from tilewright.errors import ProblemError, SelectionError, TensorError, TilewrightError
from tilewright.frontends.attention_options import masking
from tilewright.jit.arrays import view_of
from tilewright.jit.launch_checks import Operand, find_mistakes
from tilewright.model.tensor import PackedTensor, overlap_within
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.contents import content_mistakes
from tilewright.ops.fmha.mask import count_visible, row_bounds
from tilewright.settings import MAX_THREADS, Settings

F32 = np.float32


def ones(*shape: int) -> Any:
    return np.ones(shape, F32)


def shared(shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """A writable tensor some of whose elements are the same memory; strides in elements, none of them 0."""
    return as_strided(np.zeros(4096, F32), shape, tuple(4 * s for s in strides))


SELF_OVERLAPPING = {
    "gemm": lambda: tilewright.gemm(ones(4, 8), ones(8, 4), out=shared((4, 4), (2, 1))),
    "gemm, batch": lambda: tilewright.gemm(ones(2, 4, 8), ones(2, 8, 4), out=shared((2, 4, 4), (8, 4, 1))),
    "conv": lambda: tilewright.conv(ones(1, 2, 4, 4), ones(2, 2, 1, 1), out=shared((1, 2, 4, 4), (32, 8, 4, 1))),
    "attention": lambda: tilewright.attention(*[ones(1, 4, 2, 32)] * 3, out=shared((1, 4, 2, 32), (256, 16, 32, 1))),
}


@pytest.mark.parametrize("call", SELF_OVERLAPPING.values(), ids=SELF_OVERLAPPING.keys())
def test_an_output_whose_elements_share_memory_is_refused(call: Any) -> None:
    with pytest.raises(TensorError, match="share one address"):
        call()


def test_the_launcher_refuses_such_an_output_too() -> None:
    out = shared((4, 4), (2, 1))
    want = Operand("out", 0, out.dtype, out.shape, out.strides, written=True)
    assert "share one address" in find_mistakes([want], [out])[0]
    assert find_mistakes([want._replace(written=False)], [out]) == []


@pytest.mark.parametrize(
    ("shape", "strides", "overlaps"),
    [
        ((3, 4), (4, 1), False),
        ((3, 4), (1, 3), False),
        ((3, 4), (-4, 1), False),
        ((3, 4), (3, 1), True),
        ((1, 4), (0, 1), False),
        ((2, 4), (0, 1), True),
        ((0, 4), (0, 0), False),
        ((2, 2), (3, 2), False),  # interleaved, and yet no two meet
        ((3, 4), (3, 2), True),
        ((1 << 20, 1 << 20), (3, 2), True),  # too many to count
    ],
)
def test_overlap_within_a_tensor(shape: tuple[int, ...], strides: tuple[int, ...], overlaps: bool) -> None:
    assert overlap_within(shape, strides) is overlaps


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.masked_array(ones(4, 4), mask=np.eye(4))
    with pytest.raises(TensorError, match="masked array"):
        tilewright.gemm(masked, ones(4, 4))
    with pytest.raises(TensorError, match="masked array"):
        view_of(masked)
    with pytest.raises(TensorError, match="masked array"):
        view_of(masked.view(type("Own", (np.ma.MaskedArray,), {})))  # a class of the user's own module


class TestPackedTensor:
    @property
    def packed(self) -> PackedTensor:
        return tilewright.pack_weights(ones(64, 48))

    def test_whole_storage_is_read(self) -> None:
        packed = self.packed
        assert tilewright.gemm(ones(2, 64), packed)[0, 0] == 64

    @pytest.mark.parametrize("shape", [(64, 4096), (6400, 48)])
    def test_a_false_shape_is_refused(self, shape: tuple[int, int]) -> None:
        packed = self.packed
        false = PackedTensor(packed.format, packed.dtype, shape, packed.storage)
        with pytest.raises(TensorError, match="needs"):
            tilewright.gemm(ones(2, shape[0]), false)

    def test_short_storage_is_refused(self) -> None:
        packed = self.packed
        short = PackedTensor(packed.format, packed.dtype, packed.shape, packed.storage[:-64])
        with pytest.raises(TensorError, match="needs"):
            tilewright.gemm(ones(3, 64), short)

    def test_storage_with_gaps_is_refused(self) -> None:
        packed = self.packed
        gaps = PackedTensor(packed.format, packed.dtype, packed.shape, np.repeat(packed.storage, 2)[::2])
        with pytest.raises(TensorError, match="strides"):
            tilewright.gemm(ones(5, 64), gaps)

    @pytest.mark.parametrize(
        ("format", "dtype", "shape"),
        [
            (5, "fp32", (8, 8)),
            ('x"', "fp32", (8, 8)),
            ("x", "fp33", (8, 8)),
            ("x", "fp32", (8,)),
            ("x", "fp32", (8, -1)),
            ("x", "fp32", (8, True)),
            ("x", "fp32", [8, 8]),
        ],
    )
    def test_parts_that_make_no_sense_are_refused(self, format: Any, dtype: Any, shape: Any) -> None:
        with pytest.raises(TilewrightError):
            PackedTensor(format, dtype, shape, ones(64))


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": [1]},
        {"alpha": "1"},
        {"alpha": None},
        {"alpha": True},
        {"beta": {}},
        {"combine": ["add"]},
        {"activation": 1},
        {"split_k": "2"},
        {"split_k": 0},
        {"scale_block": "128"},
        {"scale_block": 0},
        {"out_dtype": ["fp32"]},
        {"alpha": np.ones(2)},
        {"alpha": 10**400},
    ],
    ids=repr,
)
def test_bad_options_of_gemm_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TilewrightError):
        tilewright.gemm(ones(3, 5), ones(5, 3), **options)


@pytest.mark.parametrize("two", [np.float32(2), np.float64(2), np.int64(2), 2], ids=lambda x: type(x).__name__)
def test_scalars_of_numpy_are_numbers(two: Any) -> None:
    assert tilewright.gemm(ones(3, 5), ones(5, 3), alpha=two)[0, 0] == 10
    assert tilewright.attention(*[ones(1, 2, 2, 32)] * 3, scale=two).shape == (1, 2, 2, 32)


@pytest.mark.parametrize(
    "options",
    [
        {"window": (1,)},
        {"window": 3},
        {"window": ("a", 1)},
        {"window": (1, 2, 3)},
        {"causal": "yes"},
        {"align": 5},
        {"align": ["top_left"]},
        {"scales": (1,)},
        {"scales": 3},
        {"scale": "1"},
        {"dropout": [0.5]},
        {"dropout": 0.5, "rng": (1, 2)},
        {"sink_tokens": -1},
        {"layout": 7},
        {"soft_cap": float("nan")},
    ],
    ids=repr,
)
def test_bad_options_of_attention_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TilewrightError):
        tilewright.attention(*[ones(1, 2, 2, 32)] * 3, **options)


def test_a_window_may_be_a_list() -> None:
    assert masking(False, [-1, -1], "top_left", 0) == masking(False, (-1, -1), "top_left", 0)


@pytest.mark.parametrize(
    "options",
    [{"groups": [1]}, {"groups": 0}, {"layout": 5}, {"stride": "1"}, {"padding": {}}, {"dilation": None}],
    ids=repr,
)
def test_bad_options_of_conv_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TilewrightError):
        tilewright.conv(ones(1, 2, 4, 4), ones(2, 2, 1, 1), **options)


APPENDING = problem_from_dict(
    {
        "op": "fmha",
        "family": "fwd_appendkv",
        "batch": 2,
        "heads_q": 1,
        "seqlen_q": 2,
        "seqlen_k": 8,
        "hdim_q": 32,
        "dtype": "fp32",
        "seqlen_new": 2,
        "page_size": 4,
        "num_pages": 4,
    }
)


@pytest.mark.parametrize("table", [[[1, 2], [1, 3]], [[0, 2], [1, 2]]])
def test_two_sequences_may_not_append_to_one_page(table: list[list[int]]) -> None:
    lengths = np.array([3, 3]) if table[0][0] == table[1][0] else np.array([5, 6])
    mistakes = content_mistakes(APPENDING, {"seqlens_k": lengths, "page_table": np.array(table)})
    assert ["both append to page" in m for m in mistakes] == [True]


def test_sequences_may_share_pages_that_they_only_read() -> None:
    held = {"seqlens_k": np.array([4, 5]), "page_table": np.array([[0, 1], [0, 2]])}
    assert content_mistakes(APPENDING, held) == []


BIG = 2**31 - 1
GEMM = {"op": "gemm", "m": 8, "n": 8, "k": 8, "dtype": "fp32"}
CONV = {
    "op": "grouped_conv",
    "direction": "forward",
    "n": 1,
    "c": 8,
    "k": 8,
    "input": [8, 8],
    "filter": [1, 1],
    "dtype": "fp32",
}
FMHA = {
    "op": "fmha",
    "batch": 1,
    "heads_q": 4,
    "heads_kv": 4,
    "seqlen_q": 8,
    "seqlen_k": 8,
    "hdim_q": 32,
    "dtype": "fp32",
}


@pytest.mark.parametrize(
    ("problem", "fields"),
    [
        (GEMM, {"m": 2**62, "n": 2**62}),
        (GEMM, {"m": 2**40, "k": 2**40}),
        (GEMM, {"m": 2**30, "n": 2**30, "k": 2**30}),
        (GEMM, {"m": 2**64}),
        (GEMM, {"m": 10**4000}),
        (GEMM, {"batch": 2**63}),
        (GEMM, {"strides": {"a": [0, 2**62, 1]}}),
        (GEMM, {"strides": {"a": 5}}),
        (GEMM, {"strides": {"a": ["x", 1]}}),
        (GEMM, {"layout": ["rcr"]}),
        (GEMM, {"m": True}),
        (GEMM, {"alignment": {"a": "x"}}),
        (GEMM, {"d": [{"dtype": {}}]}),
        (GEMM, {"epilogue": {"alpha": [1]}}),
        (CONV, {"n": 2**62}),
        (CONV, {"input": [2**40, 2**40]}),
        (CONV, {"c": 2**40, "k": 2**40}),
        (CONV, {"pad": [[1]]}),
        (CONV, {"input": [[8], 8]}),
        (CONV, {"stride": {"a": 1}}),
        (CONV, {"layout": {}}),
        (FMHA, {"heads_q": BIG, "heads_kv": 3}),
        (FMHA, {"heads_q": BIG}),
        (FMHA, {"seqlen_q": 2**31}),
        (FMHA, {"batch": 2**62}),
        (FMHA, {"batch": BIG, "seqlen_q": BIG, "seqlen_k": BIG}),
        (FMHA, {"mask": ["none"]}),
        (FMHA, {"scale": [1]}),
        (FMHA, {"mask": "window", "window_left": 2**40}),
        (FMHA, {"seqlen_q": "8"}),
        (FMHA, {"lse": 1}),
    ],
    ids=lambda x: repr(x)[:40],
)
def test_sizes_that_overflow_and_values_of_the_wrong_type_are_refused(problem: Any, fields: Any) -> None:
    with pytest.raises(TilewrightError):
        problem_from_dict({**problem, **fields})


def test_a_long_masked_problem_is_counted_without_an_array() -> None:
    """An array with a number for each row would take 2 GiB, and three of them are needed."""
    p = problem_from_dict(
        {**FMHA, "seqlen_q": 2**28, "seqlen_k": 2**28, "mask": "causal_top_left", "heads_q": 1, "heads_kv": 1}
    )
    assert p.flops == 4 * 32 * (2**28 * (2**28 + 1) // 2)


@pytest.mark.parametrize("mask", ["causal_top_left", "causal_bottom_right", "window", "window_top_left"])
@pytest.mark.parametrize(("rows", "keys"), [(1, 1), (5, 9), (9, 5), (7, 7), (1, 30)])
@pytest.mark.parametrize(("left", "right", "sink"), [(0, 0, 0), (2, 1, 1), (-1, 3, 2), (4, -1, 3), (20, 20, 9)])
def test_counted_pairs_are_those_of_the_rows(mask: str, rows: int, keys: int, left: int, right: int, sink: int) -> None:
    from types import SimpleNamespace

    p = SimpleNamespace(mask=mask, window_left=left, window_right=right, sink_tokens=sink)
    low, high, sinks = row_bounds(p, rows, keys)
    assert count_visible(p, rows, keys) == int((high - low).clip(min=0).sum() + sinks.sum())


@pytest.mark.parametrize("problem", [{**GEMM, "m": 0}, {**FMHA, "batch": 0}])
def test_selecting_for_a_problem_without_elements_says_so(problem: dict[str, Any]) -> None:
    with pytest.raises(SelectionError, match="no elements"):
        tilewright.default_registry(["cpu"]).select(problem_from_dict(problem))
    assert get_op(problem["op"]).is_empty(problem_from_dict(problem))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("THREADS", "1" + "0" * 20),
        ("THREADS", str(MAX_THREADS + 1)),
        ("BUILD_WORKERS", "100000"),
        ("CXX", "g++ 'x"),
        ("CXX_FLAGS", '-DX="'),
        ("CXX_FLAGS", "-O2 \\"),
        ("BUILD_TIMEOUT", "nan"),
        ("BUILD_TIMEOUT", "inf"),
        ("PROBE_TIMEOUT", "inf"),
        ("PROBE_TIMEOUT", "1e300"),
        ("THREADS", "9" * 4301),
    ],
)
def test_settings_are_bounded(name: str, text: str) -> None:
    with pytest.raises(TilewrightError, match=f"TILEWRIGHT_{name}"):
        Settings.from_env({f"TILEWRIGHT_{name}": text})


@pytest.mark.parametrize(
    "options", [{"threads": 10**20}, {"threads": True}, {"threads": "2"}, {"cxx": 5}, {"strict": 1}]
)
def test_settings_that_a_program_gives_are_checked_too(options: dict[str, Any]) -> None:
    with pytest.raises(TilewrightError):
        Settings.from_env({}, **options)
    assert Settings.from_env({}, cache_dir=Path("/x"), build_timeout=5).cache_dir == "/x"


@pytest.mark.parametrize("place", ["cuda:x", "cuda:-1", "cuda:" + "9" * 30, "", None, 5])
def test_a_place_that_is_none_is_refused(place: Any) -> None:
    from tilewright.backends import device_at

    with pytest.raises(TilewrightError):
        device_at(place, Settings.from_env())


@pytest.mark.parametrize("streams", ["<&-", ">&-", "<&- >&-", "2>&-"])
def test_closed_streams_are_no_internal_error(streams: str) -> None:
    command = f"{sys.executable} -m tilewright select - {streams}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    assert streams == "2>&-" or "contains no problem" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        '{"op": "gemm", "m": 0, "n": 4, "k": 4, "dtype": "fp32"}',
        '{"op": "gemm", "m": ' + "9" * 4000 + "}",
        '{"op": [1]}',
        '{"op": "gemm", "op": "gemm"}',
        "[" * 50_000,
        '{"op": "gemm", "m": {}, "n": 4, "k": 4, "dtype": "fp32"}',
    ],
)
def test_select_answers_bad_problems_in_words(text: str, capfd: pytest.CaptureFixture[str]) -> None:
    from tilewright.cli.app import run

    assert run(["select", text]) == 1
    said = capfd.readouterr().err
    assert said.startswith("tilewright: ")
    assert "internal error" not in said


def test_a_problem_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    from tilewright.cli.problems import read_problems

    (tmp_path / "p.jsonl").write_bytes(b'{"op": "\xff"}\n')
    with pytest.raises(ProblemError, match="not UTF-8"):
        read_problems([str(tmp_path / "p.jsonl")])


@pytest.mark.parametrize("name", ["arch_file", "kernel_counts", "load_in_place", "emulated_gpus"])
def test_a_setting_of_the_process_is_refused_in_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was ignored: arch facts are those of the process, whatever one dispatcher is given."""
    value: Any = True if name == "load_in_place" else "gfx90a"
    with pytest.raises(TilewrightError, match=f"{name} = .* not in the environment.*TILEWRIGHT_{name.upper()}"):
        Settings.from_env(**{name: value})
    with pytest.raises(TilewrightError, match="before the program starts"):
        Settings(**{name: value})
    monkeypatch.setenv(f"TILEWRIGHT_{name.upper()}", str(value))
    assert getattr(Settings.from_env(**{name: value}), name) == value


def test_settings_go_to_another_process_as_variables() -> None:
    given = Settings(threads=3, strict=True, vendor=False, build_timeout=2.5, cxx="g++ -x")
    assert Settings.from_env(given.to_env()) == given


@pytest.mark.parametrize("name", ["arch_file", "kernel_counts", "load_in_place", "emulated_gpus"])
def test_settings_made_in_code_leave_those_of_the_process_to_the_environment(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that measures lost the arch file that this one reads."""
    variable = f"TILEWRIGHT_{name.upper()}"
    monkeypatch.setenv(variable, "1" if name == "load_in_place" else "gfx90a")
    assert variable not in Settings(threads=2).to_env()
    assert Settings.from_env().to_env()[variable] in ("1", "gfx90a")


def factor_calls(number: Any) -> dict[str, Any]:
    """Each number that a caller gives and a kernel is handed as a float, in a call that gives `number`."""
    x, rows, ends = ones(1, 4, 2, 32), ones(4, 4), np.array([2, 4], np.int32)
    image, filters = ones(1, 2, 4, 4), ones(2, 2, 1, 1)
    attention, weight_gradient = tilewright.attention, tilewright.conv_backward_weight
    of = {"op": "fmha", "batch": 1, "heads_q": 2, "seqlen_q": 4, "hdim_q": 32}
    return {
        "gemm alpha": lambda: tilewright.gemm(rows, rows, alpha=number),
        "gemm beta": lambda: tilewright.gemm(rows, rows, d=rows, beta=number),
        "grouped_gemm alpha": lambda: tilewright.grouped_gemm(rows, ones(2, 4, 4), ends, alpha=number),
        "conv alpha": lambda: tilewright.conv(image, filters, alpha=number),
        "conv beta": lambda: tilewright.conv(image, filters, bias=ones(2), d=image, beta=number),
        "conv_backward_data alpha": lambda: tilewright.conv_backward_data(image, filters, (4, 4), alpha=number),
        "conv_backward_weight beta": lambda: weight_gradient(image, image, (1, 1), d=filters, beta=number),
        "attention scale": lambda: attention(x, x, x, scale=number),
        "attention soft_cap": lambda: attention(x, x, x, soft_cap=number),
        "attention dropout": lambda: attention(x, x, x, dropout=number, rng=(1, 2, 3)),
        "problem scale": lambda: problem_from_dict({**of, "dtype": "fp16", "scale": number}),
    }  # fmt: skip


@pytest.mark.parametrize("number", [1e39, -1e39, np.inf, -np.inf, np.nan, np.float64(1e39), 10**400, True, "1"])
@pytest.mark.parametrize("call", factor_calls(0))
def test_numbers_that_float32_does_not_hold_are_refused(call: str, number: Any) -> None:
    name = call.split()[-1]
    with pytest.raises(ProblemError, match=f"{name} is .*; it must be a finite number"):
        factor_calls(number)[call]()


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 10**400, True, "1"])
@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_an_epilogue_has_finite_numbers(name: str, number: Any) -> None:
    with pytest.raises(ProblemError, match=f"{name} is .*; it must be a finite number"):
        tilewright.Epilogue(**{name: number})


def test_products_in_fp64_take_any_finite_factor() -> None:
    """They were refused because float32 does not hold the factor. No kernel in fp64 is handed one."""
    rows, dispatcher = np.ones((4, 4)), tilewright.Dispatcher(build="wait", settings=Settings.from_env(vendor=True))
    found = tilewright.gemm(rows, rows, alpha=1e300, d=rows, beta=-1e200, dispatcher=dispatcher)
    np.testing.assert_allclose(found, np.full((4, 4), 4e300 - 1e200))
    for op in ({"op": "gemm", "m": 4, "n": 4, "k": 4}, {"op": "conv", "direction": "forward", "n": 1, "c": 4, "k": 4,
               "input": [4, 4], "filter": [1, 1]}):  # fmt: skip
        given = {**op, "epilogue": {"alpha": 1e39}}
        assert problem_from_dict({**given, "dtype": "fp64"}).epilogue.alpha == 1e39
        with pytest.raises(ProblemError, match=r"alpha is 1e.39; it must be a finite number that float32 holds"):
            problem_from_dict({**given, "dtype": "fp32"})


def test_the_largest_numbers_of_float32_are_taken() -> None:
    for number in (float(np.finfo(F32).max), 3.4028235e38, -3.4028235e38, 0, np.float16(2)):
        assert F32(tilewright.Epilogue(alpha=number).alpha) == F32(number)


@pytest.mark.parametrize("cap", [1e-46, 1e-39])
def test_a_soft_cap_without_a_reciprocal_in_float32_is_refused(cap: float) -> None:
    """A score of 0 by the reciprocal was 0 * infinity."""
    x = ones(1, 4, 2, 32)
    with pytest.raises(ProblemError, match=r"soft_cap is 1e-\d+ .give a cap of at least 1.175e-38"):
        tilewright.attention(0 * x, x, x, soft_cap=cap)
    dispatcher = tilewright.Dispatcher(build="wait")
    assert (tilewright.attention(0 * x, x, x, soft_cap=2.0**-126, dispatcher=dispatcher) == 1).all()
