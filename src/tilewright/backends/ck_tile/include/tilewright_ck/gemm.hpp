// What generated CK Tile GEMM kernels share: the argument struct and the element-wise functors of the epilogue.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/host/kernel_launch.hpp"
#include "ck_tile/ops/elementwise.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"

namespace tilewright_ck {

inline constexpr int max_d = 8;

// The kernel argument. A plain struct with a layout of its own: CK's structs hold std::array, whose size differs
// between standard libraries where it is empty, and a launcher outside C++ must know every offset.
struct GemmArgs
{
    const void* a;
    const void* b;
    const void* d[max_d];
    void* out;
    int32_t m;
    int32_t n;
    int32_t k;
    int32_t stride_a; // distance of two rows (row-major) or columns (column-major), in elements
    int32_t stride_b;
    int32_t stride_d[max_d];
    int32_t stride_out;
    int32_t split_k;
};
static_assert(sizeof(GemmArgs) == 152, "launchers outside C++ rely on this layout");

enum class Combine { add, multiply };
enum class Activation { none, relu, gelu_erf, gelu_tanh, sigmoid, tanh, silu, relu6, hard_swish };

// Comparisons are written so that NaN stays NaN.
template <Activation A>
CK_TILE_HOST_DEVICE float activate(float x)
{
    if constexpr(A == Activation::relu)
        return x < 0.0f ? 0.0f : x;
    else if constexpr(A == Activation::gelu_erf)
        return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    else if constexpr(A == Activation::gelu_tanh)
        return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
    else if constexpr(A == Activation::sigmoid)
        return 1.0f / (1.0f + expf(-x));
    else if constexpr(A == Activation::tanh)
        return tanhf(x);
    else if constexpr(A == Activation::silu)
        return x / (1.0f + expf(-x));
    else if constexpr(A == Activation::relu6)
        return x < 0.0f ? 0.0f : (x > 6.0f ? 6.0f : x);
    else if constexpr(A == Activation::hard_swish)
        return x < -3.0f ? 0.0f : (x > 3.0f ? x : x * (x + 3.0f) / 6.0f);
    else
        return x;
}

// e = activation(c combine d0 combine d1 ...). CK's own functors either combine or activate, never both.
template <Combine C, Activation A>
struct Fused
{
    static constexpr const char* name = "TilewrightFused";

    template <typename Out, typename In, typename... Ds>
    CK_TILE_HOST_DEVICE void operator()(Out& e, const In& c, const Ds&... ds) const
    {
        // Sums of integers stay exact: a float holds no more than 24 bits.
        constexpr bool exact = std::is_integral_v<In> && A == Activation::none;
        using Compute = std::conditional_t<exact, int32_t, float>;
        Compute x = ck_tile::type_convert<Compute>(c);
        if constexpr(C == Combine::add)
            ((x += ck_tile::type_convert<Compute>(ds)), ...);
        else
            ((x *= ck_tile::type_convert<Compute>(ds)), ...);
        if constexpr(exact)
            e = ck_tile::type_convert<Out>(x);
        else
            e = ck_tile::type_convert<Out>(activate<A>(x));
    }
};

// A CK kernel that takes our arguments. `Kernel::KernelArgs` is an aggregate: braces fill each array, whatever its length.
template <typename CkKernel, std::size_t NumD>
struct GemmInstance
{
    using Kernel = CkKernel;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;

    CK_TILE_DEVICE void operator()(GemmArgs args) const { Kernel{}(convert(args, std::make_index_sequence<NumD>{})); }

    template <std::size_t... I>
    CK_TILE_HOST_DEVICE static typename Kernel::KernelArgs convert(const GemmArgs& x, std::index_sequence<I...>)
    {
        return {{x.a},
                {x.b},
                {x.d[I]...},
                x.out,
                x.m,
                x.n,
                x.k,
                {x.stride_a},
                {x.stride_b},
                {x.stride_d[I]...},
                x.stride_out,
                x.split_k};
    }
};

struct GemmHost {}; // tags the hosts of GEMM kernels; entry.hpp knows how to launch them

} // namespace tilewright_ck
