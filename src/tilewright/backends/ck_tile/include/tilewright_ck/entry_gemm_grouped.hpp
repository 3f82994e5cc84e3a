// The host entry of CK's grouped GEMM kernel. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_grouped.hpp"

namespace tilewright_ck {

inline constexpr int slot_ends = slot_d + max_d;

template <typename Host>
int64_t workspace(const tw_args*, GroupedGemmHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu, typename Kernel>
int launch_groups(tw_args* args, const GroupedGemmArgs& x, hipStream_t stream)
{
    const auto kernel = ck_tile::kentry<BlockPerCu, Kernel, GroupedGemmArgs>;
    const int64_t columns = (x.product.n + Host::tile_n - 1) / Host::tile_n;
    int64_t blocks = most_group_tiles(x.product.m, x.groups, Host::tile_m) * columns * x.product.split_k;
    if constexpr(Host::persistent)
    {
        int device = 0, units = 0, each = 0;
        if(check(args, hipGetDevice(&device), "device") ||
           check(args, hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device), "units") ||
           check(args, hipOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, Host::block, 0), "occupancy"))
            return 1;
        const int64_t resident = int64_t(units) * (each > 0 ? each : 1);
        blocks = resident < blocks ? resident : blocks;
    }
    kernel<<<dim3(static_cast<uint32_t>(blocks)), dim3(Host::block), 0, stream>>>(x);
    return check(args, hipGetLastError(), "launch");
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, GroupedGemmHost*)
{
    const int32_t split_k = args->launch[1] > 1 ? static_cast<int32_t>(args->launch[1]) : 1;
    const GroupedGemmArgs x{gemm_args<Host>(args, split_k), static_cast<const int32_t*>(args->tensors[slot_ends]),
                            args->strides[slot_b][0], static_cast<int32_t>(args->sizes[4])};
    const auto stream = static_cast<hipStream_t>(args->stream);
    if(split_k > 1 && clear_output<Host>(args, x.product, stream))
        return 1;
    const int32_t depth = split_k * Host::tile_k;
    int status = 0;
    const bool served = Host::choose((x.product.k + depth - 1) / depth, split_k > 1, [&](auto kernel) {
        status = launch_groups<Host, BlockPerCu, decltype(kernel)>(args, x, stream);
    });
    return served ? status : fail(args, "this kernel cannot split K (split_k %d)", split_k);
}

} // namespace tilewright_ck
