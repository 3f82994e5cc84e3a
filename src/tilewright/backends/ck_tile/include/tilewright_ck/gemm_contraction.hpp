// CK's batched contraction kernel with tilewright's arguments: a batch of equal products with D operands.
#pragma once

#include "tilewright_ck/gemm_batched.hpp"

#include "ck_tile/ops/batched_contraction.hpp"

namespace tilewright_ck {

// The kernel argument: a batch, and how far its D operands are from those of the next product.
struct ContractionArgs
{
    BatchedGemmArgs batch;
    int32_t far_d[max_d]; // in elements
};
static_assert(sizeof(ContractionArgs) == 200, "launchers outside C++ rely on this layout");

// The dimensions of G, M, N and K are folded into one each: that is what CK's kernel computes with.
template <typename CkKernel>
struct ContractionInstance
{
    using Kernel = CkKernel;
    using Args = typename Kernel::KernelArgs;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;

    CK_TILE_DEVICE void operator()(ContractionArgs x) const
    {
        const GemmArgs& p = x.batch.product;
        Args args;
        args.a_ptr = p.a;
        args.b_ptr = p.b;
        args.e_ptr = p.out;
        args.k_batch = p.split_k;
        args.M_dims[0] = args.M_total = p.m;
        args.N_dims[0] = args.N_total = p.n;
        args.K_dims[0] = args.K_total = p.k;
        args.G_dims[0] = args.G_total = x.batch.batch;
        args.batch_stride_A = x.batch.far_a;
        args.batch_stride_B = x.batch.far_b;
        args.batch_stride_E = x.batch.far_out;
        args.stride_A = p.stride_a;
        args.stride_B = p.stride_b;
        args.stride_E = p.stride_out;
        ck_tile::static_for<0, Kernel::NumDTensor, 1>{}([&](auto i) {
            args.ds_ptr[i] = p.d[i];
            args.stride_Ds[i] = p.stride_d[i];
            args.batch_stride_Ds[i] = x.far_d[i];
        });
        Kernel{}(args);
    }
};

struct ContractionHost {}; // tags the hosts of these kernels; entry_gemm_contraction.hpp knows how to launch them

} // namespace tilewright_ck
