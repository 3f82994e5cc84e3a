"""1x1 convolutions of few channels: a stream of pixels past weights that stay where they are.

Every pixel is read and written once, all its channels at a time (with `merge`: those of some groups); programs stay and
walk through the tiles, so that the loads of the next tiles are under way while one is multiplied. C is a `ThinConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .common import along, as_index, finish, row_operands


@triton.jit
def _weights(wgt_ptr, wgt_strides, depth, cols, part, merged, cin, cout, inside, C: tl.constexpr):
    """The weights of a program, [channels read, channels written]: those of several groups lie along the diagonal."""
    if C.merge:
        of = depth // cin
        own = cols // cout
        at = along(part * merged + of, wgt_strides[0], C)
        at = (at + (depth % cin) * as_index(wgt_strides[2], C.wide))[:, None]
        at += ((cols % cout) * as_index(wgt_strides[1], C.wide))[None, :]
        inside = inside & (of[:, None] == own[None, :])
    else:
        at = (depth * as_index(wgt_strides[2], False))[:, None] + (cols * as_index(wgt_strides[1], False))[None, :]
    return tl.load(wgt_ptr + at, mask=inside, other=0.0)


@triton.jit
def thin_conv(
    src_ptr, wgt_ptr, dst_ptr, src_row, dst_row, wgt_strides, pixels, cin, cout, parts, merged, src_block, dst_block,
    src_total, dst_total, epilogue, C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(src * wgt) over `pixels` rows that lie `src_row` and `dst_row` elements apart.

    With `merge`, `merged` groups make a part of the channels, `src_block` read and `dst_block` written.
    """
    depth = tl.arange(0, C.bk)
    cols = tl.arange(0, C.bn)
    begin = tl.program_id(0)
    step = tl.num_programs(0)
    if C.merge:
        part = begin % parts
        begin = begin // parts
        step = step // parts
        chan_in = (depth < src_block) & (depth < src_total - part * src_block)
        col_in = (cols < dst_block) & (cols < dst_total - part * dst_block)
        src_ptr += part * src_block
        dst_ptr += part * dst_block
        channel = part * dst_block + cols
    else:
        part = 0
        chan_in = depth < cin
        col_in = cols < cout
        channel = cols
    b = _weights(wgt_ptr, wgt_strides, depth, cols, part, merged, cin, cout, chan_in[:, None] & col_in[None, :], C)
    bias = row_operands(channel, col_in, epilogue, C)
    tiles = tl.cdiv(pixels, C.bm)
    for tile in tl.range(begin, tiles, step, num_stages=C.stages):
        rows = tile * C.bm + tl.arange(0, C.bm)
        here = rows < pixels
        at = along(rows, src_row, C)
        a = tl.load(src_ptr + (at[:, None] + depth[None, :]), mask=here[:, None] & chan_in[None, :], other=0.0)
        acc = tl.dot(a, b, out_dtype=tl.float32, input_precision=C.precision)
        inside = here[:, None] & col_in[None, :]
        x = finish(acc, rows, rows, rows, rows, channel, inside, bias, epilogue, C).to(C.out)
        to = along(rows, dst_row, C)
        tl.store(dst_ptr + (to[:, None] + cols[None, :]), x, mask=inside)
