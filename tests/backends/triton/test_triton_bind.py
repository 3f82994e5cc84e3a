"""Grids, descriptors and workspaces."""

from __future__ import annotations

import pytest

from tilewright.backends.triton.gemm.algorithm import TILE_COLUMNS, TritonGemm, column_blocks, view_of
from tilewright.backends.triton.gemm.bind import copies, geometry, values, workspace_bytes
from tilewright.backends.triton.gemm.pipelines.hopper.ring import part_width, parts_together
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops.gemm.problem import GemmProblem


def problem(**fields):
    return GemmProblem.from_dict({"m": 512, "n": 1024, "k": 4096, "dtype": "fp16", **fields})


ADDRESSES = {"a": 0x1000, "b": 0x2000, "out": 0x3000}


def bound(p, launch=None, **fields):
    a = TritonGemm(**{"pipeline": "hopper", "warps": 8, "stages": 4, **fields})
    spec = KernelSpec("gemm", "triton", "sm_90", p.signature, a)
    return values(spec, p, launch or Launch(), 132, ADDRESSES, 0x100000)


def test_a_persistent_grid_is_no_larger_than_the_gpu():
    assert bound(problem(m=8192, n=8192))[0] == (132, 1, 1)
    assert bound(problem())[0] == (32, 1, 1)
    assert bound(problem(m=8192, n=8192), pipeline="pointer")[0] == (64 * 64, 1, 1)


def test_split_k_multiplies_the_programs_and_asks_for_workspace():
    a = TritonGemm(pipeline="hopper", warps=8, stages=4, split=True)
    shape = geometry(problem(), a, Launch(split_k=4), 132)
    assert (shape.programs, shape.whole, shape.slots) == (128, 0, 1)
    assert shape.partial_bytes == 128 * 128 * 128 * 4
    assert workspace_bytes(problem(), a, Launch(split_k=4), 132) == shape.partial_bytes + 256
    assert workspace_bytes(problem(), a, Launch(), 132) == 0


def test_stream_k_shares_the_last_wave_only():
    a = TritonGemm(pipeline="hopper", warps=8, stages=4, split=True)
    shape = geometry(problem(m=4096, n=4096), a, Launch(grid=(132,)), 132)
    assert shape.tiles == 1024
    assert shape.whole == 1024 - 1024 % 132 - 132
    assert shape.slots == 2


def test_descriptors_have_the_slowest_dimension_first():
    _, args = bound(problem())
    assert args["a_desc"] == {"address": 0x1000, "shape": [1, 512, 4096], "strides": [512 * 4096, 4096, 1]}
    assert args["b_desc"] == {"address": 0x2000, "shape": [1, 1024, 4096], "strides": [1024 * 4096, 4096, 1]}
    assert args["out_desc"]["shape"] == [1, 512, 1024]


def test_a_swapped_kernel_computes_the_transposed_product():
    p = problem(m=5, scale_a="row", dtype="fp8", d=[{"dtype": "fp32", "broadcast": "row"}])
    a = TritonGemm(pipeline="hopper", warps=4, tile_n=8, swap_ab=True)
    view = view_of(p.signature, a)
    assert (view.a_k, view.b_k, view.out_row, view.scale_b, view.d) == (True, True, False, "row", ("col",))
    spec = KernelSpec("gemm", "triton", "sm_90", p.signature, a)
    _, args = values(spec, p, Launch(), 132, {**ADDRESSES, "scale_a": 7, "d0": 9}, 0)
    assert (args["M"], args["N"]) == (1024, 5)
    assert (args["epilogue.2"], args["epilogue.3"], args["epilogue.4.0"]) == (0, 7, 9)
    assert args["epilogue.5.0.1"] == 1


def test_a_batch_that_is_shared_has_one_map_entry():
    _, args = bound(problem(batch=3, strides={"b": [0, 1, 4096]}))
    assert (args["a_batch"], args["b_batch"]) == (1, 0)
    assert args["b_desc"]["shape"][0] == 1
    assert args["a_desc"]["shape"][0] == 3


@pytest.mark.parametrize(("k", "copied"), [(4096, []), (4095, ["a", "b"]), (4100, ["a", "b"])])
def test_only_operands_that_tma_cannot_read_are_copied(k, copied):
    p = problem(k=k)
    a = TritonGemm(pipeline="hopper", warps=8, stages=4, operands="staged")
    found = copies(p, a, ADDRESSES, 0)
    assert [c.role for c in found] == copied
    for c in found:
        assert c.line * 2 % 128 == 0
        assert c.line >= k


def test_rows_that_are_the_same_memory_are_copied():
    """A tensor map has no stride of 0: read directly, the rows would be those behind the first one."""
    p = problem(strides={"a": [0, 0, 1], "b": [0, 1, 4100]})
    found = copies(p, TritonGemm(pipeline="hopper", warps=8, stages=4, operands="staged"), ADDRESSES, 0)
    assert [c.role for c in found] == ["a", "b"]


def test_staged_operands_are_read_from_the_workspace():
    _, args = bound(problem(k=4095), operands="staged")
    assert args["a_desc"] == {"address": 0x100000, "shape": [1, 512, 4095], "strides": [512 * 4096, 4096, 1]}
    assert args["b_desc"]["address"] == 0x100000 + 512 * 4096 * 2


def test_tiles_are_a_power_of_two_and_a_rest_or_its_first_columns():
    assert [column_blocks(TritonGemm(tile_n=n)) for n in (8, 96, 128, 160, 192, 256)] == [
        (8, 0), (64, 32), (128, 0), (128, 32), (128, 64), (256, 0)]  # fmt: skip
    assert [column_blocks(TritonGemm(tile_n=n)) for n in (24, 112, 136, 240)] == [
        (32, -8), (128, -16), (256, -120), (256, -16)]  # fmt: skip
    assert [column_blocks(TritonGemm(tile_n=n, one_block=True)) for n in (64, 96, 160, 192)] == [
        (64, 0), (128, -32), (256, -96), (256, -64)]  # fmt: skip


@pytest.mark.parametrize(("m", "n", "k"), [(272, 5120, 13824), (17, 2048, 64), (1100, 28672, 4096), (400, 1024, 512)])
def test_programs_abreast_have_equal_parts_of_every_column(m, n, k):
    p = problem(m=m, n=n, k=k)
    algorithm = TritonGemm(pipeline="hopper", tile_m=128, tile_n=136, split=True, order="abreast", swap_ab=True)
    found, columns, rows = geometry(p, algorithm, Launch(grid=(132,)), 132), -(-m // 136), -(-n // 128)
    programs = found.programs // columns
    assert found.programs % columns == 0
    assert found.programs <= 132
    assert found.whole % programs == 0 or found.whole == rows
    shared = rows - found.whole
    assert shared == 0 or found.whole == 0 or programs < shared < 2 * programs  # whole waves, and no share for nothing
    assert found.partial_bytes == (found.programs * 2 * 4 * 128 * 136 if shared else 0)
    assert found.counter_bytes == 4 * shared * columns
    assert geometry(p, algorithm, Launch(), 132) == found


@pytest.mark.parametrize("tile_n", TILE_COLUMNS)
def test_blocks_of_a_tile_divide_it_and_what_is_copied_together_fits(tile_n):
    for tile_m in (64, 128, 256):
        for swap in (False, True):
            a = TritonGemm(pipeline="hopper", tile_m=tile_m, tile_n=tile_n, swap_ab=swap)
            part = part_width(problem().signature, a)
            assert tile_n % part == 0
            assert part & (part - 1) == 0
            assert part * parts_together(problem().signature, a) <= 64


def test_an_empty_k_has_descriptors_that_are_never_read():
    p = problem(k=0)
    a = TritonGemm(pipeline="hopper", warps=8, stages=4)
    spec = KernelSpec("gemm", "triton", "sm_90", p.signature, a)
    grid, args = values(spec, p, Launch(), 132, {"a": 0, "b": 0, "out": 0x3000}, 0)
    assert grid == (32, 1, 1)
    assert args["K"] == 0
    for name in ("a_desc", "b_desc"):
        assert args[name]["address"] % 16 == 0
        assert args[name]["address"] > 0
        assert min(args[name]["shape"]) == 1
        assert args[name]["strides"][1] * 2 % 16 == 0


def test_a_launch_on_other_memory_differs_in_its_addresses_alone():
    import ctypes

    from tilewright.backends.gpu.call import GpuCall, GpuKernel
    from tilewright.backends.gpu.stage import _shift
    from tilewright.model.tensor import TensorView

    class Driver:
        name, ordinal = "none", 0

        def __init__(self):
            self.launch = lambda *args: 0

        def encode(self, into, arg, address, shape, strides):
            ctypes.c_uint64.from_address(into).value = address

        def move_map(self, at, address):
            ctypes.c_uint64.from_address(at).value = address

    kinds = {"a": "tensormap", "a_ptr": "pointer", "b_ptr": "pointer", "n": "i32", "space": "pointer"}
    args = [{"path": path, "kind": kind} for path, kind in kinds.items()]
    meta = {"schema": 1, "name": "k", "args": args, "shared": 0, "threads": 32, "pdl": False, "backend": "cuda",
            "global_scratch": 0, "profile_scratch": 0}  # fmt: skip
    kernel = GpuKernel(None, "", meta)
    driver = Driver()
    kernel._functions[driver] = 1
    sets = [{role: TensorView(base + at, "fp16", (64,), (1,), "cuda:0", False) for role, at in (("a", 0), ("b", 4096))}
            for base in (1 << 20, 1 << 21)]  # fmt: skip
    a, b = sets[0]["a"].address, sets[0]["b"].address
    there = {"a": {"address": a, "shape": [64], "strides": [1]}, "a_ptr": a, "b_ptr": b + 32, "n": a % 7, "space": 99}
    call = GpuCall(kernel, driver, (1, 1, 1), there)
    moved = call.moved(_shift(*sets))

    def held(call):
        kinds = [{"i32": ctypes.c_uint32}.get(x["kind"], ctypes.c_uint64) for x in args]
        return [kind.from_address(at).value for kind, at in zip(kinds, call._params, strict=False)]

    assert held(call) == [a, a, b + 32, a % 7, 99]
    assert held(moved) == [1 << 21, 1 << 21, (1 << 21) + 4096 + 32, a % 7, 99]
    assert held(moved.moved(_shift(*reversed(sets)))) == held(call)
