// What tw_args says about a convolution, as typed values, and the walk over source pixels that both data directions share.
#pragma once
#include "tw/gemm/args.hpp"

namespace tw {

enum class Direction { forward, backward_data, backward_weight };
// direct: register tiles of pixels x channels of one group. lanes: one register holds the channels of several groups.
// depthwise: one channel per group, read in place. implicit: pixels are laid out as a matrix for the GEMM pipeline.
template <bool First, class X, class Y>
struct ReadType { using type = X; };
template <class X, class Y>
struct ReadType<false, X, Y> { using type = Y; };

enum class ConvPipeline { direct, lanes, depthwise, implicit };

// Tensor slots of tw_args for a convolution; strides are along (n, g, c, d, h, w), (g, k, c, z, y, x), (n, g, k, ...).
enum ConvSlot : int { slot_input = 0, slot_weight = 1, slot_output = 2, slot_conv_d = 3 };

struct Axis {
  int64_t in, filter, out, stride, dilation, pad;
};

struct ConvSizes {
  int64_t n, g, c, k;  // c and k of one group
  Axis axis[3];
  explicit ConvSizes(const tw_args& a) : n(a.sizes[0]), g(a.sizes[1]), c(a.sizes[2] / g), k(a.sizes[3] / g) {
    const int64_t* s = a.sizes + 4;
    for (int i = 0; i < 3; ++i) axis[i] = {s[i], s[3 + i], s[6 + i], s[9 + i], s[12 + i], s[15 + i]};
  }
  int64_t taps() const { return axis[0].filter * axis[1].filter * axis[2].filter; }
};

// Along one axis, result positions first, first + step, ... (count of them) that meet the same filter taps. Tap i is
// filter element tap + i * tap_step; for the j-th position it reads source position start + i * start_step + j * move.
struct GatherAxis {
  int64_t first, step, count, move, source, taps, tap, tap_step, start, start_step;
  int64_t low() const { return start_step < 0 ? start + (taps - 1) * start_step : start; }
  int64_t range() const { return taps == 0 ? 1 : (taps - 1) * (start_step < 0 ? -start_step : start_step) + 1; }
  int64_t width(int64_t positions) const { return (positions - 1) * move + range(); }
};

constexpr int64_t gcd64(int64_t a, int64_t b) { return b == 0 ? a : gcd64(b, a % b); }

// Forward: every output position meets every tap.
TW_INLINE GatherAxis forward_axis(const Axis& a) {
  return {0, 1, a.out, a.stride, a.in, a.filter, 0, 1, -a.pad, a.dilation};
}
// Backward data: the input positions of one residue modulo the stride. Nothing is multiplied by the zeros between
// strided outputs; a residue that no tap reaches has taps == 0.
TW_INLINE GatherAxis backward_axis(const Axis& a, int64_t residue) {
  const int64_t period = a.stride / gcd64(a.dilation, a.stride);
  GatherAxis r{residue, a.stride, ceil_div(a.in - residue, a.stride), 1, a.out, 0, 0, period, 0, 0};
  for (int64_t f = 0; f < min(period, a.filter); ++f) {
    if ((residue + a.pad - f * a.dilation) % a.stride != 0) continue;
    r.tap = f;
    r.taps = ceil_div(a.filter - f, period);
    r.start = (residue + a.pad - f * a.dilation) / a.stride;
    r.start_step = -(a.dilation * period) / a.stride;
    break;
  }
  return r;
}

// The source positions that the residues of one result position meet: the lowest, and how many from there on.
struct Reach { int64_t low = 0, range = 1; };
template <class AxisOf>
TW_INLINE Reach reach_of(int64_t residues, const AxisOf& axis_of) {
  int64_t low = 0, high = 1;
  bool any = false;
  for (int64_t r = 0; r < residues; ++r) {
    const GatherAxis a = axis_of(r);
    if (a.taps == 0) continue;
    low = any ? min(low, a.low()) : a.low();
    high = any ? max(high, a.low() + a.range()) : a.low() + a.range();
    any = true;
  }
  return {low, high - low};
}

// Strides of one tensor of the problem, in elements.
struct ConvStrides {
  int64_t outer, group, channel, z, y, x;  // outer: n; for the weight: outer is g and group is k
  ConvStrides(const tw_args& a, int slot)
      : outer(a.strides[slot][0]), group(a.strides[slot][1]), channel(a.strides[slot][2]), z(a.strides[slot][3]),
        y(a.strides[slot][4]), x(a.strides[slot][5]) {}
  // From one channel to the next across groups: where a group has one channel, its own stride is that of the group.
  int64_t along(bool single) const { return single ? group : channel; }
};

// A GEMM's view of one row of result pixels: what the epilogue needs, as the tw_args of a GEMM.
struct RowArgs {
  tw_args args{};
  int d_count;
  RowArgs(const tw_args& conv, int d) : d_count(d) {
    args.scalars[0] = conv.scalars[0];
    args.scalars[1] = conv.scalars[1];
  }
  // Element (pixel, channel) of tensor `slot` is base + pixel * row + channel * col, in elements of `bytes`.
  void set(int slot, void* base, int64_t row, int64_t col) {
    args.tensors[slot] = base;
    args.strides[slot][1] = row;
    args.strides[slot][2] = col;
  }
};

}  // namespace tw
