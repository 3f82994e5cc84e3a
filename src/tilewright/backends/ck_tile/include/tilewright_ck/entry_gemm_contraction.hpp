// The host entry of CK's batched contraction kernel. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_contraction.hpp"

namespace tilewright_ck {

template <typename Host>
int64_t workspace(const tw_args*, ContractionHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, ContractionHost*)
{
    if(args->launch[1] > 1)
        return fail(args, "kernels with D operands do not split K");
    const auto far = [&](int slot) { return static_cast<int32_t>(args->strides[slot][0]); };
    const auto batch = static_cast<int32_t>(args->sizes[3]);
    ContractionArgs x{{gemm_args<Host>(args, 1), far(slot_a), far(slot_b), far(slot_out), batch}, {}};
    for(int i = 0; i < Host::d; i++)
        x.far_d[i] = far(slot_d + i);
    const int32_t m = x.batch.product.m, n = x.batch.product.n;
    const int64_t tiles = int64_t((m + Host::tile_m - 1) / Host::tile_m) * ((n + Host::tile_n - 1) / Host::tile_n);
    const dim3 grid(static_cast<uint32_t>(tiles), batch, 1);
    const auto stream = static_cast<hipStream_t>(args->stream);
    const bool served = Host::choose((x.batch.product.k + Host::tile_k - 1) / Host::tile_k, false, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), ContractionArgs><<<grid, dim3(Host::block), 0, stream>>>(x);
    });
    return served ? check(args, hipGetLastError(), "launch") : fail(args, "no kernel serves this depth");
}

} // namespace tilewright_ck
