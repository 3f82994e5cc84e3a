"""Gradients of the weights on Hopper: rows are out channels, columns in channels of one tap, k-steps boxes of pixels.

Both operands are boxes of pixels with the channels contiguous, which wgmma reads as they lie. Without `stream` a
program finishes its tiles; with it, shares of the pixels go to a workspace [share, group, out channel, tap, in channel]
in fp32, which `finish_weight` adds in a fixed order. With `merge` several groups count as one in all arguments.

C is a `HopperConvConfig` throughout; `boxes` as in `hopper`, of output pixels.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, tma
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...gemm.kernels.epilogue import activate
from ...gemm.kernels.hopper import free_buffer, multiply, ring_barriers, take_turn
from ...gemm.kernels.schedule import item, item_count, place, program_number
from ...ring import begin, specialize, stages_of
from .common import tap_place
from .hopper import corner


@gluon.jit
def _tile(index, tiles_m, tiles_n, cin, axes, C: gl.constexpr):
    """(first row, group, tap, first column) of a tile."""
    _, m, n = place(index, tiles_m, tiles_n, C.group)
    taps = axes[0][2] * axes[1][2] * axes[2][2]
    if C.rows > 0:
        planes = taps // C.rows
        return m * C.bm, n // planes, (n % planes) * C.rows, 0
    else:
        across = (cin + C.bn + C.rest - 1) // (C.bn + C.rest)
        return m * C.bm, n // (across * taps), (n // across) % taps, (n % across) * (C.bn + C.rest)


@gluon.jit
def _produce(
    grad_desc, src_desc, rest_desc, grad_smem, src_smem, rest_smem, full, empty, cin, cout, tiles_m, tiles_n, tiles,
    steps, splits, boxes, axes, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    REST_BYTES: gl.constexpr = rest_desc.block_type.nbytes if C.rest > 0 else 0
    ROWS: gl.constexpr = max(C.rows, 1)
    BYTES: gl.constexpr = grad_desc.block_type.nbytes + ROWS * src_desc.block_type.nbytes + REST_BYTES
    BUFFERS: gl.constexpr = C.bn // C.part if C.rows > 0 else 1
    program = program_number(tiles, splits, C.tiles_first)
    programs = gl.num_programs(0)
    position = 0
    for i in range(item_count(program, programs, tiles, tiles, steps, splits, C.stream)):
        tile, first, count = item(i, program, programs, tiles, tiles, steps, splits, C.stream)
        row, group, tap, col = _tile(tile, tiles_m, tiles_n, cin, axes, C)
        fw = (tap % axes[2][2]) * axes[2][4] - axes[2][5]
        fh = ((tap // axes[2][2]) % axes[1][2]) * axes[1][4] - axes[1][5]
        fd = (tap // (axes[2][2] * axes[1][2])) * axes[0][4] - axes[0][5]
        for j in range(count):
            n, d, h, w = corner(first + j * splits, boxes)
            stage, ready = begin(full, empty, position, BYTES, C.stages)
            tma.async_copy_global_to_shared(grad_desc, [n, d, h, w, group * cout + row], ready, grad_smem.index(stage))
            sd = d * axes[0][3] + fd
            sh = h * axes[1][3] + fh
            sw = w * axes[2][3] + fw
            chan = group * cin + col
            for r in gl.static_range(ROWS):
                to = src_smem.index(stage * BUFFERS + r)
                tma.async_copy_global_to_shared(src_desc, [n, sd, sh + r * axes[1][4], sw, chan], ready, to)
            if C.rest > 0:
                tma.async_copy_global_to_shared(rest_desc, [n, sd, sh, sw, chan + C.bn], ready, rest_smem.index(stage))
            position += 1


@gluon.jit
def _store(
    x, p: gl.constexpr, which: gl.constexpr, row, group, tap, col, share, out_desc, shares, out_smem, groups, merged,
    cin, cout, axes, epilogue, C: gl.constexpr,
):  # fmt: skip
    """Stores column block `p` of a tile: the finished gradient, or a share of it."""
    if C.rows > 0:
        tap += p
    else:
        col += p * C.part
    if C.stream:
        rows = row + gl.arange(0, C.bm, gl.SliceLayout(1, C.part_layout))
        cols = col + gl.arange(0, C.part, gl.SliceLayout(0, C.part_layout))
        taps = axes[0][2] * axes[1][2] * axes[2][2]
        inside = (rows < cout)[:, None] & (cols < cin)[None, :]
        run = cin
        if C.merge:
            run = cin // merged
            inside = inside & ((rows // (cout // merged))[:, None] == (cols // run)[None, :])
            cols = cols % run
        line = ((group * cout + rows) * taps + tap).to(gl.int64) * run
        base = shares + share.to(gl.int64) * (groups.to(gl.int64) * cout * taps * run)
        gl.store(base + (line[:, None] + cols[None, :]), x, mask=inside)
    else:
        x = activate(x * epilogue[0], C).to(C.out)
        fd, fh, fw = tap_place(tap, axes)
        buffer = free_buffer(out_smem, p, which, C)
        buffer.reshape([C.bm, C.part]).store(x)
        fence_async_shared()
        tma.async_copy_shared_to_global(out_desc, [group * cout + row, fd, fh, fw, col], buffer)


@gluon.jit
def _consume(
    which: gl.constexpr, grad_smem, src_smem, rest_smem, out_smem, full, empty, turns, out_desc, shares, groups,
    merged, cin, cout, epilogue, tiles_m, tiles_n, tiles, steps, splits, axes, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    PARTS: gl.constexpr = C.rows if C.rows > 0 else (C.bn + C.rest) // C.part
    if C.rows > 0:
        # The boxes of all rows lie one after the other, as the columns of a tile do.
        src_smem = src_smem._reinterpret(src_smem.dtype, [C.stages, C.bk, C.bn], C.tile_layout)
    program = program_number(tiles, splits, C.tiles_first)
    programs = gl.num_programs(0)
    position = 0
    for i in range(item_count(program, programs, tiles, tiles, steps, splits, C.stream)):
        tile, first, count = item(i, program, programs, tiles, tiles, steps, splits, C.stream)
        row, group, tap, col = _tile(tile, tiles_m, tiles_n, cin, axes, C)
        if C.consumers == 1 or i % C.consumers == which:
            turn = take_turn(turns, i, which, C)
            xs = multiply(grad_smem, src_smem, rest_smem, full, empty, turn, position, count, C)
            for p in gl.static_range(PARTS):
                x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                _store(x, p, which, row, group, tap, col, first, out_desc, shares, out_smem, groups, merged, cin,
                       cout, axes, epilogue, C)  # fmt: skip
        position += count
    if not C.stream:
        tma.store_wait(0)


@gluon.jit
def hopper_weight(
    grad_desc, src_desc, rest_desc, out_desc, shares, groups, merged, cin, cout, boxes, steps, splits, axes, epilogue,
    C: gl.constexpr,
):  # fmt: skip
    """out = alpha * gradient of the weights, or its shares, on sm_90; see the module's text."""
    tiles_m = (cout + C.bm - 1) // C.bm
    taps = axes[0][2] * axes[1][2] * axes[2][2]
    if C.rows > 0:
        tiles_n = groups * (taps // C.rows)
    else:
        tiles_n = groups * taps * ((cin + C.bn + C.rest - 1) // (C.bn + C.rest))
    tiles = tiles_m * tiles_n
    if not C.stream:
        splits = 1
    grad_smem = stages_of(grad_desc, C.stages)
    src_smem = stages_of(src_desc, C.stages * (C.bn // C.part) if C.rows > 0 else C.stages)
    rest_smem = src_smem
    if C.rest > 0:
        rest_smem = stages_of(rest_desc, C.stages)
    out_smem = src_smem
    if not C.stream:
        out_smem = stages_of(out_desc, C.consumers * C.out_buffers)
    full, empty, turns = ring_barriers(C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (grad_desc, src_desc, rest_desc, grad_smem, src_smem, rest_smem, full, empty, cin, cout, tiles_m, tiles_n,
         tiles, steps, splits, boxes, axes, C),
        _consume,
        (grad_smem, src_smem, rest_smem, out_smem, full, empty, turns, out_desc, shares, groups, merged, cin, cout,
         epilogue, tiles_m, tiles_n, tiles, steps, splits, axes, C),
        C.consumers, 32,
    )  # fmt: skip
