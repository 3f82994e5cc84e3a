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

template <typename Host, int BlockPerCu>
int run(tw_args* args, QuantGemmHost*)
{
    if(args->sizes[3] != 1 || args->launch[1] > 1)
        return fail(args, "CK Tile kernels with scales take one product and no split of K");
    const GemmArgs x = gemm_args<Host>(args, 1);
    const auto groups = [&](int steps) { return steps ? (x.k + steps - 1) / steps : 1; };
    const int32_t a = groups(Host::group_a), b = groups(Host::group_b);
    const QuantGemmArgs quant{x.a, x.b, args->tensors[slot_scale_a], args->tensors[slot_scale_b], x.out, x.m, x.n, x.k,
                              a, b, x.stride_a, x.stride_b, x.stride_out, a, b, 1};
    const int64_t tiles = int64_t((x.m + Host::tile_m - 1) / Host::tile_m) * ((x.n + Host::tile_n - 1) / Host::tile_n);
    const auto stream = static_cast<hipStream_t>(args->stream);
    Host::choose((x.k + Host::tile_k - 1) / Host::tile_k, false, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), QuantGemmArgs>
            <<<dim3(static_cast<uint32_t>(tiles)), dim3(Host::block), 0, stream>>>(quant);
    });
    return check(args, hipGetLastError(), "launch");
}

} // namespace tilewright_ck
