// The host entry of CK's batched GEMM kernel. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_batched.hpp"

namespace tilewright_ck {

template <typename Host>
int64_t workspace(const tw_args*, BatchedGemmHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, BatchedGemmHost*)
{
    const int32_t split_k = args->launch[1] > 1 ? static_cast<int32_t>(args->launch[1]) : 1;
    const auto far = [&](int slot) { return static_cast<int32_t>(args->strides[slot][0]); };
    const auto batch = static_cast<int32_t>(args->sizes[3]);
    const BatchedGemmArgs x{gemm_args<Host>(args, split_k), far(slot_a), far(slot_b), far(slot_out), batch};
    const auto stream = static_cast<hipStream_t>(args->stream);
    for(int32_t i = 0; split_k > 1 && i < batch; i++)
    {
        GemmArgs one = x.product;
        one.out = static_cast<typename Host::Output*>(one.out) + int64_t(i) * x.far_out;
        if(clear_output<Host>(args, one, stream))
            return 1;
    }
    const int32_t depth = split_k * Host::tile_k, m = x.product.m, n = x.product.n;
    const int64_t tiles = int64_t((m + Host::tile_m - 1) / Host::tile_m) * ((n + Host::tile_n - 1) / Host::tile_n);
    const dim3 grid(static_cast<uint32_t>(tiles), batch, split_k);
    const bool served = Host::choose((x.product.k + depth - 1) / depth, split_k > 1, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), BatchedGemmArgs><<<grid, dim3(Host::block), 0, stream>>>(x);
    });
    return served ? check(args, hipGetLastError(), "launch")
                  : fail(args, "this kernel cannot split K (split_k %d)", split_k);
}

} // namespace tilewright_ck
