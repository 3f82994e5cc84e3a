// The host entry of GEMM kernels with several tensors for A and B. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_multi_abd.hpp"

namespace tilewright_ck {

enum MultiAbdSlot : int { slot_more_a = 10, slot_more_b = slot_more_a + max_more };

template <typename Host>
int64_t workspace(const tw_args*, MultiAbdHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, MultiAbdHost*)
{
    if(args->sizes[3] != 1 || args->launch[1] > 1)
        return fail(args, "these kernels take one product and do not split K");
    MultiAbdArgs x{gemm_args<Host>(args, 1), {}, {}};
    for(int i = 0; i < max_more; i++)
    {
        x.more_a[i] = args->tensors[slot_more_a + i];
        x.more_b[i] = args->tensors[slot_more_b + i];
    }
    const auto stream = static_cast<hipStream_t>(args->stream);
    const int32_t m = x.product.m, n = x.product.n;
    const int64_t tiles = int64_t((m + Host::tile_m - 1) / Host::tile_m) * ((n + Host::tile_n - 1) / Host::tile_n);
    const dim3 grid(static_cast<uint32_t>(tiles), 1, 1);
    const bool served = Host::choose((x.product.k + Host::tile_k - 1) / Host::tile_k, false, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), MultiAbdArgs><<<grid, dim3(Host::block), 0, stream>>>(x);
    });
    return served ? check(args, hipGetLastError(), "launch") : fail(args, "no kernel serves this depth");
}

} // namespace tilewright_ck
