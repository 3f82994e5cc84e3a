"""1x1 convolutions of few channels: a stream of pixels past weights that stay where they are.

Every pixel is read and written once, all its channels at a time; programs stay and walk through the tiles, so that the
loads of the next tiles are under way while one is multiplied. C is a `ThinConfig`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .common import along, as_index, finish


@triton.jit
def thin_conv(
    src_ptr, wgt_ptr, dst_ptr, src_row, dst_row, wgt_strides, pixels, cin, cout, epilogue, C: tl.constexpr,
):  # fmt: skip
    """dst = epilogue(src * wgt) over `pixels` rows that lie `src_row` and `dst_row` elements apart."""
    depth = tl.arange(0, C.bk)
    cols = tl.arange(0, C.bn)
    chan_in = depth < cin
    col_in = cols < cout
    wgt_at = (depth * as_index(wgt_strides[2], False))[:, None] + (cols * as_index(wgt_strides[1], False))[None, :]
    b = tl.load(wgt_ptr + wgt_at, mask=chan_in[:, None] & col_in[None, :], other=0.0)
    tiles = tl.cdiv(pixels, C.bm)
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), num_stages=C.stages):
        rows = tile * C.bm + tl.arange(0, C.bm)
        here = rows < pixels
        at = along(rows, src_row, C)
        a = tl.load(src_ptr + (at[:, None] + depth[None, :]), mask=here[:, None] & chan_in[None, :], other=0.0)
        acc = tl.dot(a, b, out_dtype=tl.float32, input_precision=C.precision)
        inside = here[:, None] & col_in[None, :]
        x = finish(acc, rows, rows, rows, rows, cols, inside, epilogue, C, col_in).to(C.out)
        to = along(rows, dst_row, C)
        tl.store(dst_ptr + (to[:, None] + cols[None, :]), x, mask=inside)
