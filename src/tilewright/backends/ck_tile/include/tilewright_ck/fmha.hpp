// What generated CK Tile attention kernels include. Types and traits are spelt out in each generated header.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/host/kernel_launch.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/fmha.hpp"

#if !defined(CK_TILE_FMHA_FWD_FAST_EXP2) || !CK_TILE_FMHA_FWD_FAST_EXP2
#error "compile attention kernels with -DCK_TILE_FMHA_FWD_FAST_EXP2=1: soft caps and scales are given in base 2"
#endif

namespace tilewright_ck {

// The argument of SumHeads: strides in elements; the rows of a sequence, or of all of them, which follow each other.
struct SumHeadsArgs
{
    const void* from;
    void* to;
    int64_t in_batch, in_row, in_head;
    int64_t out_batch, out_row, out_head;
    int32_t rows, heads, width, ratio;
};
static_assert(sizeof(SumHeadsArgs) == 80, "launchers outside C++ rely on this layout");

// The last stage of a backward pass with grouped heads: CK writes dK and dV for each query head, and a key head has the
// sum of its group.
template <typename Element>
struct SumHeads
{
    using Kargs = SumHeadsArgs;
    static constexpr ck_tile::index_t kBlockSize = 256, kBlockPerCu = 1;

    CK_TILE_DEVICE void operator()(Kargs x) const
    {
        const int64_t step = int64_t(gridDim.x) * blockDim.x, count = int64_t(x.rows) * x.heads * x.width;
        const Element* in = static_cast<const Element*>(x.from) + blockIdx.z * x.in_batch;
        Element* out = static_cast<Element*>(x.to) + blockIdx.z * x.out_batch;
        for(int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        {
            const int64_t column = i % x.width, head = i / x.width % x.heads, row = i / x.width / x.heads;
            const Element* first = in + row * x.in_row + head * x.ratio * x.in_head + column;
            float sum = 0;
            for(int32_t member = 0; member < x.ratio; member++)
                sum += ck_tile::type_convert<float>(first[member * x.in_head]);
            out[row * x.out_row + head * x.out_head + column] = ck_tile::type_convert<Element>(sum);
        }
    }
};

// The argument of Scaled: that of the kernel, and where the scale of each tensor is in GPU memory.
template <typename Kargs>
struct ScaledArgs : Kargs
{
    const float *scale_q_ptr, *scale_k_ptr, *scale_v_ptr;
};

// A kernel with one scale per tensor. CK takes their products by value, so the host would have to wait for the scales;
// here each block reads them. The host gives scale_s and scale_o without them.
template <typename Kernel>
struct Scaled : Kernel
{
    using Kargs = ScaledArgs<typename Kernel::Kargs>;

    CK_TILE_DEVICE void operator()(Kargs x) const
    {
        typename Kernel::Kargs args = x;
        args.scale_s *= *x.scale_q_ptr * *x.scale_k_ptr;
        args.scale_o *= *x.scale_v_ptr;
        Kernel::operator()(args);
    }
};

struct FmhaHost {}; // tags the hosts of attention kernels; entry_fmha.hpp knows how to launch them

} // namespace tilewright_ck
