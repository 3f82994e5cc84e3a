// The host entry of CK's Stream-K GEMM kernel. Needs the HIP runtime.
#pragma once

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/gemm_stream_k.hpp"

namespace tilewright_ck {

inline ck_tile::index_t compute_units()
{
    int device = 0, units = 0;
    if(hipGetDevice(&device) != hipSuccess ||
       hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device) != hipSuccess)
        return 1;
    return units;
}

template <typename Host>
auto stream_k_shares(const tw_args* args)
{
    const auto size = [&](int i) { return static_cast<ck_tile::index_t>(args->sizes[i]); };
    // One block per unit is always resident, and so none waits for one that cannot start.
    return typename Host::Shares{size(0), size(1), size(2), compute_units()};
}

template <typename Host>
int64_t workspace(const tw_args* args, StreamKHost*)
{
    return stream_k_shares<Host>(args).get_workspace_size(sizeof(typename Host::Sum));
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, StreamKHost*)
{
    if(args->sizes[3] != 1)
        return fail(args, "batch is %lld; Stream-K takes one product", static_cast<long long>(args->sizes[3]));
    const auto shares = stream_k_shares<Host>(args);
    const auto stream = static_cast<hipStream_t>(args->stream);
    StreamKArgs x{gemm_args<Host>(args, 1), args->workspace, {}};
    __builtin_memcpy(x.shares, &shares, sizeof(shares));
    const int failed = Host::atomic ? clear_output<Host>(args, x.product, stream)
                                    : check(args, hipMemsetAsync(x.workspace, 0, shares.get_flags_buffer_size(), stream), "flags");
    if(failed)
        return 1;
    Host::choose(1, Host::atomic, [&](auto kernel) {
        ck_tile::kentry<BlockPerCu, decltype(kernel), StreamKArgs><<<shares.grid_size(), dim3(Host::block), 0, stream>>>(x);
    });
    return check(args, hipGetLastError(), "launch");
}

} // namespace tilewright_ck
