// CK's Stream-K GEMM kernel with tilewright's arguments.
#pragma once

#include "tilewright_ck/gemm.hpp"

namespace tilewright_ck {

inline constexpr int most_shares = 16;

// The kernel argument: a product, and how the steps along k of all tiles are shared out among the blocks.
struct StreamKArgs
{
    GemmArgs product;
    void* workspace;            // flags of the blocks, then their parts of tiles; without it atomics add the parts
    int32_t shares[most_shares]; // the members of CK's tile partitioner, which only host code can make
};
static_assert(sizeof(StreamKArgs) == 224, "launchers outside C++ rely on this layout");

template <typename CkKernel>
struct StreamKInstance
{
    using Kernel = CkKernel;
    using Args = typename Kernel::KernelArgs;
    using Partitioner = typename Kernel::TilePartitioner;
    using Universal = GemmInstance<typename Kernel::UniversalGemmKernel, 0>;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;
    static_assert(sizeof(Partitioner) == (Partitioner::PERSISTENT ? 14 : 15) * sizeof(int32_t));
    static_assert(std::is_trivially_copyable_v<Partitioner>);

    CK_TILE_DEVICE void operator()(StreamKArgs x) const
    {
        // The constructor of CK's arguments is host code, so they are put together member by member.
        alignas(Args) unsigned char space[sizeof(Args)];
        auto& args = *reinterpret_cast<Args*>(space);
        const auto product = Universal::convert(x.product, std::index_sequence<>{});
        __builtin_memcpy(space, &product, sizeof(product));
        args.reduction_strategy = Partitioner::ReductionStrategy;
        args.workspace_ptr = x.workspace;
        __builtin_memcpy(&args.tile_partitioner, x.shares, sizeof(Partitioner));
        Kernel{}(args);
    }
};

struct StreamKHost {}; // tags the hosts of these kernels; entry_gemm_stream_k.hpp knows how to launch them

} // namespace tilewright_ck
