// What generated CK Tile convolution kernels share.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/host/kernel_launch.hpp"
#include "ck_tile/ops/elementwise.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"
#include "ck_tile/ops/grouped_convolution.hpp"

namespace tilewright_ck {

// The second stage of two-stage backward weight: fp32 sums to the dtype of the weight.
struct ConvertArgs
{
    const float* from;
    void* to;
    int64_t count;
};

template <typename To>
struct Convert
{
    static constexpr ck_tile::index_t kBlockSize = 256;

    CK_TILE_DEVICE void operator()(ConvertArgs args) const
    {
        const int64_t step = int64_t(gridDim.x) * blockDim.x;
        for(int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < args.count; i += step)
            static_cast<To*>(args.to)[i] = ck_tile::type_convert<To>(args.from[i]);
    }
};

struct ConvHost {}; // tags the hosts of convolution kernels; entry_conv.hpp knows how to launch them

} // namespace tilewright_ck
