// The host entry of CK's GEMM kernel with scales. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_quant.hpp"

namespace tilewright_ck {

enum QuantSlot : int { slot_scale_a = 3, slot_scale_b = 4 };

template <typename Host>
int64_t workspace(const tw_args*, QuantGemmHost*)
{
    return 0;
}

// The blocks that a size has; one for a scale that is not for blocks.
constexpr int32_t blocks_of(int32_t size, int block) { return block ? (size + block - 1) / block : 1; }

// Scales of blocks of A lie in rows, those of B in columns.
template <typename Host>
constexpr QuantGemmArgs quant_args(const tw_args* args)
{
    const GemmArgs x = gemm_args<Host>(args, 1);
    const int32_t a = blocks_of(x.k, Host::group_a), b = blocks_of(x.k, Host::group_b);
    return {x.a,
            x.b,
            args->tensors[slot_scale_a],
            args->tensors[slot_scale_b],
            x.out,
            x.m,
            x.n,
            x.k,
            a,
            b,
            x.stride_a,
            x.stride_b,
            x.stride_out,
            Host::group_a ? leading(args, slot_scale_a, true, x.m, a) : 1,
            Host::group_b ? leading(args, slot_scale_b, false, b, blocks_of(x.n, Host::group_b)) : 1,
            1};
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, QuantGemmHost*)
{
    if(args->sizes[3] != 1 || args->launch[1] > 1)
        return fail(args, "CK Tile kernels with scales take one product and no split of K");
    const GemmArgs x = gemm_args<Host>(args, 1);
    const QuantGemmArgs quant = quant_args<Host>(args);
    const int64_t tiles = int64_t((x.m + Host::tile_m - 1) / Host::tile_m) * ((x.n + Host::tile_n - 1) / Host::tile_n);
    const auto stream = static_cast<hipStream_t>(args->stream);
    Host::choose((x.k + Host::tile_k - 1) / Host::tile_k, false, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), QuantGemmArgs>
            <<<dim3(static_cast<uint32_t>(tiles)), dim3(Host::block), 0, stream>>>(quant);
    });
    return check(args, hipGetLastError(), "launch");
}

} // namespace tilewright_ck
