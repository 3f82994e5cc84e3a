// CK's GEMM kernel with several tensors for A and B, combined on their way in.
#pragma once

#include "tilewright_ck/gemm.hpp"

namespace tilewright_ck {

inline constexpr int max_more = 3;

// The kernel argument: a product, and the tensors that A and B are combined with. CK reads all tensors of an operand at
// the offsets of the first one, so they have its strides.
struct MultiAbdArgs
{
    GemmArgs product;
    const void* more_a[max_more];
    const void* more_b[max_more];
};
static_assert(sizeof(MultiAbdArgs) == 200, "launchers outside C++ rely on this layout");

// The steps of a prologue. The names of activations are those of `Activation`.
enum class Step { add, multiply, relu, gelu_erf, gelu_tanh, sigmoid, tanh, silu, relu6, hard_swish };

constexpr Activation activation_of(Step step)
{
    return static_cast<Activation>(static_cast<int>(step) - 1); // `Activation` has "none" in place of the first two
}
static_assert(activation_of(Step::relu) == Activation::relu && activation_of(Step::hard_swish) == Activation::hard_swish);

// x = steps of a; `rest` are the values of the other tensors, one for each step that has one.
template <Step First, Step... Others, typename... Rest>
CK_TILE_HOST_DEVICE float through(float x, const Rest&... rest);

template <Step... Others, typename Next, typename... Rest>
CK_TILE_HOST_DEVICE float combined(bool add, float x, const Next& next, const Rest&... rest)
{
    const float y = ck_tile::type_convert<float>(next);
    x = add ? x + y : x * y;
    if constexpr(sizeof...(Others) > 0)
        return through<Others...>(x, rest...);
    else
        return x;
}

template <Step First, Step... Others, typename... Rest>
CK_TILE_HOST_DEVICE float through(float x, const Rest&... rest)
{
    if constexpr(First == Step::add || First == Step::multiply)
        return combined<Others...>(First == Step::add, x, rest...);
    else if constexpr(sizeof...(Others) > 0)
        return through<Others...>(activate<activation_of(First)>(x), rest...);
    else
        return activate<activation_of(First)>(x);
}

template <Step... Steps>
struct Prologue
{
    static constexpr const char* name = "TilewrightPrologue";

    template <typename Out, typename In, typename... Rest>
    CK_TILE_HOST_DEVICE void operator()(Out& e, const In& a, const Rest&... rest) const
    {
        const float x = ck_tile::type_convert<float>(a);
        if constexpr(sizeof...(Steps) > 0)
            e = ck_tile::type_convert<Out>(through<Steps...>(x, rest...));
        else
            e = a;
    }
};

// A CK kernel that takes our arguments: NumA and NumB count the tensors that A and B are combined with.
template <typename CkKernel, std::size_t NumA, std::size_t NumB, std::size_t NumD>
struct MultiAbdInstance
{
    using Kernel = CkKernel;
    static constexpr ck_tile::index_t kBlockSize = Kernel::kBlockSize;
    static_assert(NumA <= max_more && NumB <= max_more);

    CK_TILE_DEVICE void operator()(MultiAbdArgs args) const
    {
        Kernel{}(convert(args, std::make_index_sequence<NumA>{}, std::make_index_sequence<NumB>{},
                         std::make_index_sequence<NumD>{}));
    }

    template <std::size_t... I, std::size_t... J, std::size_t... L>
    CK_TILE_HOST_DEVICE static typename Kernel::KernelArgs
    convert(const MultiAbdArgs& args, std::index_sequence<I...>, std::index_sequence<J...>, std::index_sequence<L...>)
    {
        const GemmArgs& x = args.product;
        return {{x.a, args.more_a[I]...},
                {x.b, args.more_b[J]...},
                {x.d[L]...},
                x.out,
                x.m,
                x.n,
                x.k,
                {x.stride_a, ((void)I, x.stride_a)...},
                {x.stride_b, ((void)J, x.stride_b)...},
                {x.stride_d[L]...},
                x.stride_out,
                x.split_k};
    }
};

struct MultiAbdHost {}; // tags the hosts of these kernels; entry_gemm_multi_abd.hpp knows how to launch them

} // namespace tilewright_ck
