"""Backward data of few channels on Hopper: `hopper`'s forward kernel, whose columns are the pixels of a block.

A column of a tile is a channel of one pixel of a block of the input, which `turning` explains; only the stores differ.
C is a `HopperConvConfig` throughout.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...gemm.kernels.hopper import multiply, ring_barriers, take_turn
from ...ring import specialize, stages_of
from .hopper import _class_of, _pixels, _place, _produce


@gluon.jit
def _store(x, p: gl.constexpr, at, d, h, w, col, dst_ptr, dst_strides, images, cout, of, boxes, C: gl.constexpr):
    """Stores column block `p` of a tile; `of` is (run, tall, line step, lines, line), see `turning.block_arguments`."""
    x = gl.convert_layout(x.to(C.out), C.store_layout)
    n_to, d_to, h_to, w_to = _pixels(gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout)), at, boxes)
    cols = col + p * C.part + gl.arange(0, C.part, gl.SliceLayout(0, C.store_layout))
    row = cols // of[0]
    place = cols % of[0]
    here = (n_to < images) & (d_to < d[2]) & (h_to < h[2]) & (w_to < w[2])
    inside = here[:, None] & (cols < cout)[None, :]
    inside = inside & ((h_to * of[1])[:, None] + row[None, :] < of[3])
    inside = inside & ((w_to * of[0])[:, None] + place[None, :] < of[4])
    to = n_to.to(gl.int64) * dst_strides[0] + d_to.to(gl.int64) * dst_strides[3]
    to += h_to.to(gl.int64) * dst_strides[4] + w_to.to(gl.int64) * of[0]
    across = row.to(gl.int64) * of[2] + place
    gl.store(dst_ptr + (to[:, None] + across[None, :]), x, mask=inside)


@gluon.jit
def _consume(
    which: gl.constexpr, src_smem, wgt_smem, rest_smem, full, empty, turns, dst_ptr, dst_strides, images, cin, cout,
    epilogue, tiles_m, tiles_n, tiles, of, boxes, axes, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    PARTS: gl.constexpr = (C.bn + C.rest) // C.part
    blocks = (cin + C.bk - 1) // C.bk
    position = 0
    i = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        index, d, h, w = _class_of(tile, tiles_m, tiles_n, axes, C)
        count = d[3] * h[3] * w[3] * blocks
        if C.consumers == 1 or i % C.consumers == which:
            at, _, col = _place(index, tiles_m, tiles_n, cout, boxes, C)
            turn = take_turn(turns, i, which, C)
            xs = multiply(src_smem, wgt_smem, rest_smem, full, empty, turn, position, count, C)
            for p in gl.static_range(PARTS):
                x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True) * epilogue[0]
                _store(x, p, at, d, h, w, col, dst_ptr, dst_strides, images, cout, of, boxes, C)
        position += count
        i += 1  # noqa: SIM113 (Triton has no enumerate)


@gluon.jit
def hopper_blocks(
    src_desc, wgt_desc, rest_desc, dst_ptr, dst_strides, images, groups, cin, cout, run, tall, line_step, lines, line,
    boxes, tiles_m, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = alpha * gradient of the input on sm_90; see the module's text."""
    tiles_n = groups * ((cout + C.bn + C.rest - 1) // (C.bn + C.rest))
    tiles = tiles_m * tiles_n
    of = (run, tall, line_step, lines, line)
    src_smem = stages_of(src_desc, C.stages)
    wgt_smem = stages_of(wgt_desc, C.stages)
    rest_smem = wgt_smem
    if C.rest > 0:
        rest_smem = stages_of(rest_desc, C.stages)
    full, empty, turns = ring_barriers(C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (src_desc, wgt_desc, rest_desc, src_smem, wgt_smem, rest_smem, full, empty, (), cin, cout, tiles_m, tiles_n,
         tiles, boxes, axes, C),
        _consume,
        (src_smem, wgt_smem, rest_smem, full, empty, turns, dst_ptr, dst_strides, images, cin, cout, epilogue, tiles_m,
         tiles_n, tiles, of, boxes, axes, C),
        C.consumers, 32,
    )  # fmt: skip
