"""Forward and backward data on Hopper: the ring of the gemm kernel, filled with boxes of pixels.

A tile's rows are a box of destination pixels (images x depth x height x width, powers of two whose product is bm). For
a filter tap and a block of channels, the source pixels of the box are a box themselves: one TMA copy, whose tensor map
steps by the convolution's stride and answers zeros outside of the image. The loop runs over taps, then over channels.
Backward data has one class of tiles per residue of the position modulo the stride (see `axis_class`).

C is a `HopperConvConfig` throughout. `boxes` is (log2 of the box along n, d, h, w; number of boxes along d, h, w; what
divides by those numbers).
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, tma
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...gemm.kernels.hopper import (
    free_buffer,
    multiply,
    release_residual,
    residual_part,
    residual_ring,
    ring_barriers,
    take_turn,
)
from ...gemm.kernels.schedule import place
from ...ring import begin, specialize, stages_of
from .common import class_axes, finish, row_operands, split_off


@gluon.jit
def corner(index, boxes):
    """The first position (image, d, h, w) of box `index`."""
    line, w = split_off(index, boxes[6], boxes[9])
    plane, h = split_off(line, boxes[5], boxes[8])
    image, d = split_off(plane, boxes[4], boxes[7])
    return image << boxes[0], d << boxes[1], h << boxes[2], w << boxes[3]


@gluon.jit
def _pixels(rows, at, boxes):
    """The positions of a box's rows along (image, d, h, w)."""
    w = rows & ((1 << boxes[3]) - 1)
    rows = rows >> boxes[3]
    h = rows & ((1 << boxes[2]) - 1)
    rows = rows >> boxes[2]
    d = rows & ((1 << boxes[1]) - 1)
    return at[0] + (rows >> boxes[1]), at[1] + d, at[2] + h, at[3] + w


@gluon.jit
def _class_of(index, tiles_m, tiles_n, axes, C: gl.constexpr):
    """(tile inside of its class, d, h, w) of a tile; forward has one class."""
    cls = 0
    if not C.forward:
        per_class = tiles_m * tiles_n
        cls = index // per_class
        index = index % per_class
    d, h, w = class_axes(cls, axes, C.forward)
    return index, d, h, w


@gluon.jit
def _place(index, tiles_m, tiles_n, cout, boxes, C: gl.constexpr):
    """(corner, group, first column) of a tile inside of its class."""
    _, m, n = place(index, tiles_m, tiles_n, C.group)
    per_group = (cout + C.bn + C.rest - 1) // (C.bn + C.rest)
    return corner(m, boxes), n // per_group, (n % per_group) * (C.bn + C.rest)


@gluon.jit
def _load_weight(desc, barrier, smem, group, col, low, cin, cout, d, h, w, C: gl.constexpr):
    if C.forward:
        tma.async_copy_global_to_shared(desc, [group * cout + col, d, h, w, low], barrier, smem)
    else:
        tma.async_copy_global_to_shared(desc, [group * cin + low, d, h, w, col], barrier, smem)


@gluon.jit
def _produce(
    src_desc, wgt_desc, rest_desc, src_smem, wgt_smem, rest_smem, full, empty, residual, cin, cout, tiles_m, tiles_n,
    tiles, boxes, axes, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    REST_BYTES: gl.constexpr = rest_desc.block_type.nbytes if C.rest > 0 else 0
    BYTES: gl.constexpr = src_desc.block_type.nbytes + wgt_desc.block_type.nbytes + REST_BYTES
    blocks = (cin + C.bk - 1) // C.bk
    position = 0
    i = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        index, d, h, w = _class_of(tile, tiles_m, tiles_n, axes, C)
        at, group, col = _place(index, tiles_m, tiles_n, cout, boxes, C)
        for tap in range(d[3] * h[3] * w[3]):
            tw = tap % w[3]
            th = (tap // w[3]) % h[3]
            td = tap // (w[3] * h[3])
            sw = w[6] + at[3] * w[7] + tw * w[8]
            sh = h[6] + at[2] * h[7] + th * h[8]
            sd = d[6] + at[1] * d[7] + td * d[8]
            fw = w[4] + tw * w[5]
            fh = h[4] + th * h[5]
            fd = d[4] + td * d[5]
            for block in range(blocks):
                low = block * C.bk
                stage, ready = begin(full, empty, position, BYTES, C.stages)
                tma.async_copy_global_to_shared(
                    src_desc, [at[0], sd, sh, sw, group * cin + low], ready, src_smem.index(stage)
                )
                _load_weight(wgt_desc, ready, wgt_smem.index(stage), group, col, low, cin, cout, fd, fh, fw, C)
                if C.rest > 0:
                    _load_weight(
                        rest_desc, ready, rest_smem.index(stage), group, col + C.bn, low, cin, cout, fd, fh, fw, C
                    )
                position += 1
        _load_residual(residual, i, at, group * cout + col, C)
        i += 1  # noqa: SIM113 (Triton has no enumerate)


@gluon.jit
def _load_residual(residual, i, at, channel, C: gl.constexpr):
    """Fill the ring of a residual with the column blocks of work item `i`."""
    if C.epilogue.residual >= 0:
        PARTS: gl.constexpr = (C.bn + C.rest) // C.part
        BYTES: gl.constexpr = residual[0].block_type.nbytes
        for p in gl.static_range(PARTS):
            stage, ready = begin(residual[3], residual[4], i * PARTS + p, BYTES, C.residual_parts)
            tma.async_copy_global_to_shared(
                residual[0], [at[0], at[1], at[2], at[3], channel + p * C.part], ready, residual[2].index(stage)
            )


@gluon.jit
def _store(
    x, y, p: gl.constexpr, which: gl.constexpr, at, d, h, w, group, col, out_desc, dst_ptr, dst_strides, out_smem,
    images, cout, boxes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """Finishes column block `p` of a tile, whose residual is `y`, and stores it."""
    col += p * C.part
    n_at, d_at, h_at, w_at = _pixels(gl.arange(0, C.bm, gl.SliceLayout(1, C.part_layout)), at, boxes)
    cols = col + gl.arange(0, C.part, gl.SliceLayout(0, C.part_layout))
    here = (n_at < images) & (d_at < d[2]) & (h_at < h[2]) & (w_at < w[2])
    channel = group * cout + cols
    bias = row_operands(channel, cols < cout, epilogue, C)
    x = finish(
        x, n_at, d[0] + d_at * d[1], h[0] + h_at * h[1], w[0] + w_at * w[1], channel,
        here[:, None] & (cols < cout)[None, :], bias, epilogue, C, y,
    ).to(C.out)  # fmt: skip
    if C.tma_store:
        buffer = free_buffer(out_smem, p, which, C)
        buffer.reshape([C.bm, C.part]).store(x)
        fence_async_shared()
        tma.async_copy_shared_to_global(out_desc, [at[0], at[1], at[2], at[3], group * cout + col], buffer)
    else:
        # A layout in which neighbouring threads write neighbouring elements.
        x = gl.convert_layout(x, C.store_layout)
        n_to, d_to, h_to, w_to = _pixels(gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout)), at, boxes)
        cols = col + gl.arange(0, C.part, gl.SliceLayout(0, C.store_layout))
        here = (n_to < images) & (d_to < d[2]) & (h_to < h[2]) & (w_to < w[2])
        to = n_to.to(gl.int64) * dst_strides[0] + (d[0] + d_to * d[1]).to(gl.int64) * dst_strides[3]
        to += (h[0] + h_to * h[1]).to(gl.int64) * dst_strides[4] + (w[0] + w_to * w[1]).to(gl.int64) * dst_strides[5]
        base = dst_ptr + group.to(gl.int64) * dst_strides[1]
        gl.store(base + (to[:, None] + cols[None, :]), x, mask=here[:, None] & (cols < cout)[None, :])


@gluon.jit
def _consume(
    which: gl.constexpr, src_smem, wgt_smem, rest_smem, out_smem, full, empty, turns, residual, out_desc, dst_ptr,
    dst_strides, images, cin, cout, epilogue, tiles_m, tiles_n, tiles, boxes, axes, C: gl.constexpr,
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
            at, group, col = _place(index, tiles_m, tiles_n, cout, boxes, C)
            turn = take_turn(turns, i, which, C)
            xs = multiply(src_smem, wgt_smem, rest_smem, full, empty, turn, position, count, C)
            for p in gl.static_range(PARTS):
                x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                y = residual_part(residual, i, p, C)
                _store(x, y, p, which, at, d, h, w, group, col, out_desc, dst_ptr, dst_strides, out_smem, images, cout,
                       boxes, epilogue, C)  # fmt: skip
                release_residual(residual, i, p, C)
        position += count
        i += 1  # noqa: SIM113 (Triton has no enumerate)
    if C.tma_store:
        tma.store_wait(0)


@gluon.jit
def hopper_conv(
    src_desc, wgt_desc, rest_desc, out_desc, residual_desc, dst_ptr, dst_strides, images, groups, cin, cout, boxes,
    tiles_m, classes, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """dst = epilogue(conv(src, wgt)) on sm_90; see the module's text."""
    tiles_n = groups * ((cout + C.bn + C.rest - 1) // (C.bn + C.rest))
    tiles = tiles_m * tiles_n * classes
    src_smem = stages_of(src_desc, C.stages)
    wgt_smem = stages_of(wgt_desc, C.stages)
    rest_smem = wgt_smem
    if C.rest > 0:
        rest_smem = stages_of(rest_desc, C.stages)
    out_smem = src_smem
    if C.tma_store:
        out_smem = stages_of(out_desc, C.consumers * C.out_buffers)
    full, empty, turns = ring_barriers(C)
    residual = residual_ring(residual_desc, 1, C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (src_desc, wgt_desc, rest_desc, src_smem, wgt_smem, rest_smem, full, empty, residual, cin, cout, tiles_m,
         tiles_n, tiles, boxes, axes, C),
        _consume,
        (src_smem, wgt_smem, rest_smem, out_smem, full, empty, turns, residual, out_desc, dst_ptr, dst_strides, images,
         cin, cout, epilogue, tiles_m, tiles_n, tiles, boxes, axes, C),
        C.consumers, 32,
    )  # fmt: skip
