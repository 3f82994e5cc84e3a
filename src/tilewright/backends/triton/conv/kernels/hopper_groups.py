"""Gradients of the weights of many small groups on Hopper, written by the program that sums all pixels.

As `hopper_weight` with `merge`, of whose tiles the blocks on the diagonal are wanted: here they go straight to the
gradient, which saves the workspace and the launch that adds shares. It pays where few pixels are summed.

C is a `HopperConvConfig` throughout; `boxes` as in `hopper`, of output pixels.
"""

from __future__ import annotations

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from ...gemm.kernels.epilogue import activate
from ...gemm.kernels.hopper import multiply, ring_barriers, take_turn
from ...ring import specialize, stages_of
from .common import tap_place
from .hopper_weight import _produce, _tile


@gluon.jit
def _store(x, p: gl.constexpr, group, tap, dst_ptr, dst_strides, merged, cin, cout, axes, epilogue, C: gl.constexpr):
    """Stores the blocks of column block `p` that lie on the diagonal of a tile."""
    # A layout in which neighbouring threads write neighbouring elements.
    x = gl.convert_layout(activate(x * epilogue[0], C).to(C.out), C.store_layout)
    rows = gl.arange(0, C.bm, gl.SliceLayout(1, C.store_layout))
    cols = p * C.part + gl.arange(0, C.part, gl.SliceLayout(0, C.store_layout))
    # The channels of the merged groups fill the tile, so that constants divide.
    of = rows * merged // C.bm
    own = cols * merged // C.bn
    fd, fh, fw = tap_place(tap, axes)
    at = (group * merged + of).to(gl.int64) * dst_strides[0]
    at += (rows - of * (cout // merged)).to(gl.int64) * dst_strides[1]
    at += fd * dst_strides[3] + fh * dst_strides[4] + fw * dst_strides[5]
    gl.store(dst_ptr + (at[:, None] + (cols - own * (cin // merged))[None, :]), x, mask=of[:, None] == own[None, :])


@gluon.jit
def _consume(
    which: gl.constexpr, grad_smem, src_smem, full, empty, turns, dst_ptr, dst_strides, merged, cin, cout, epilogue,
    tiles_n, steps, axes, C: gl.constexpr,
):  # fmt: skip
    if C.pdl:
        gdc_wait()
    position = 0
    i = 0
    for tile in range(gl.program_id(0), tiles_n, gl.num_programs(0)):
        _, group, tap, _ = _tile(tile, 1, tiles_n, cin, axes, C)
        if C.consumers == 1 or i % C.consumers == which:
            turn = take_turn(turns, i, which, C)
            xs = multiply(grad_smem, src_smem, src_smem, full, empty, turn, position, steps, C)
            for p in gl.static_range(C.bn // C.part):
                x = gl.convert_layout(xs[p], C.part_layout, assert_trivial=True)
                _store(x, p, group, tap, dst_ptr, dst_strides, merged, cin, cout, axes, epilogue, C)
        position += steps
        i += 1  # noqa: SIM113 (Triton has no enumerate)


@gluon.jit
def hopper_groups(
    grad_desc, src_desc, dst_ptr, dst_strides, groups, merged, cin, cout, boxes, steps, axes, epilogue,
    C: gl.constexpr,
):  # fmt: skip
    """dst = alpha * gradient of the weights on sm_90, `merged` groups to a tile; see the module's text."""
    tiles_n = groups * (axes[0][2] * axes[1][2] * axes[2][2])
    grad_smem = stages_of(grad_desc, C.stages)
    src_smem = stages_of(src_desc, C.stages)
    full, empty, turns = ring_barriers(C)
    if C.pdl:
        gdc_launch_dependents()
    specialize(
        _produce,
        (grad_desc, src_desc, src_desc, grad_smem, src_smem, src_smem, full, empty, cin, cout, 1, tiles_n, tiles_n,
         steps, 1, boxes, axes, C),
        _consume,
        (grad_smem, src_smem, full, empty, turns, dst_ptr, dst_strides, merged, cin, cout, epilogue, tiles_n, steps,
         axes, C),
        C.consumers, 32,
    )  # fmt: skip
