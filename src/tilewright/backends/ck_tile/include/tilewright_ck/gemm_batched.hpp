// CK's batched GEMM kernel with tilewright's arguments.
#pragma once

#include "tilewright_ck/gemm.hpp"

namespace tilewright_ck {

// The kernel argument: a product, and how far its matrices are from those of the next one.
struct BatchedGemmArgs
{
    GemmArgs product;
    int32_t far_a; // in elements
    int32_t far_b;
    int32_t far_out;
    int32_t batch;
};
static_assert(sizeof(BatchedGemmArgs) == 168, "launchers outside C++ rely on this layout");

// A kernel that computes a batch of equal products. It has no D operands.
template <typename CkKernel>
struct BatchedGemmInstance
{
    using Kernel = CkKernel;
    using Universal = GemmInstance<typename Kernel::UniversalGemmKernel, 0>;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;

    CK_TILE_DEVICE void operator()(BatchedGemmArgs x) const
    {
        Kernel{}({Universal::convert(x.product, std::index_sequence<>{}), x.far_a, x.far_b, x.far_out, x.batch});
    }
};

struct BatchedGemmHost {}; // tags the hosts of these kernels; entry_gemm_batched.hpp knows how to launch them

} // namespace tilewright_ck
