// CK's GEMM kernel with scales. Its argument is CK's own, a plain struct.
#pragma once

#include "tilewright_ck/gemm.hpp"

#include "ck_tile/ops/gemm_quant.hpp"

namespace tilewright_ck {

using QuantGemmArgs = ck_tile::QuantGemmKernelArgs;
static_assert(sizeof(QuantGemmArgs) == 88, "launchers outside C++ rely on this layout");

template <typename CkKernel>
struct QuantGemmInstance
{
    using Kernel = CkKernel;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;

    CK_TILE_DEVICE void operator()(QuantGemmArgs x) const { Kernel{}(x); }
};

struct QuantGemmHost {}; // tags the hosts of these kernels; entry_gemm_quant.hpp knows how to launch them

} // namespace tilewright_ck
