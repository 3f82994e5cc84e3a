// The host entry of a generated convolution: CK's own host code makes the kernel arguments.
#pragma once

#include <numeric>
#include <vector>

#include "tilewright_ck/conv.hpp"
#include "tilewright_ck/entry.hpp"

namespace tilewright_ck {

// Sizes of tw_args for a convolution: n, g, c, k, then six triples (depth, height, width).
enum ConvSlot : int { slot_input = 0, slot_weight = 1, slot_output = 2 };
enum ConvTriple : int { in_extent = 4, filter_extent = 7, out_extent = 10, conv_stride = 13, conv_dilation = 16, left_pad = 19 };

template <typename Host>
std::vector<ck_tile::index_t> conv_extents(const tw_args* args, int first)
{
    std::vector<ck_tile::index_t> found;
    for(int axis = 3 - Host::dims; axis < 3; axis++)
        found.push_back(static_cast<ck_tile::index_t>(args->sizes[first + axis]));
    return found;
}

template <typename Host>
ck_tile::conv::ConvParam conv_param(const tw_args* args)
{
    const auto input = conv_extents<Host>(args, in_extent), filter = conv_extents<Host>(args, filter_extent);
    const auto output = conv_extents<Host>(args, out_extent), stride = conv_extents<Host>(args, conv_stride);
    const auto dilation = conv_extents<Host>(args, conv_dilation), left = conv_extents<Host>(args, left_pad);
    std::vector<ck_tile::index_t> right;
    for(int i = 0; i < Host::dims; i++)
    {
        const auto reach = (output[i] - 1) * stride[i] + (filter[i] - 1) * dilation[i] + 1 - input[i] - left[i];
        right.push_back(reach > 0 ? reach : 0);
    }
    const auto size = [&](int i) { return static_cast<ck_tile::index_t>(args->sizes[i]); };
    const auto groups = size(1);
    return {Host::dims, groups, size(0), size(3) / groups, size(2) / groups, filter, input, stride, dilation, left, right};
}

template <typename Host>
int64_t weight_count(const tw_args* args)
{
    int64_t count = args->sizes[2] / args->sizes[1] * args->sizes[3];
    for(int axis = 0; axis < 3; axis++)
        count *= args->sizes[filter_extent + axis];
    return count;
}

// The depth of the implicit GEMM.
template <typename Host>
int64_t conv_depth(const tw_args* args)
{
    const auto product = [&](int first) {
        return args->sizes[first] * args->sizes[first + 1] * args->sizes[first + 2];
    };
    if constexpr(Host::direction == 2)
        return args->sizes[0] * product(out_extent);
    return args->sizes[Host::direction == 0 ? 2 : 3] / args->sizes[1] * product(filter_extent);
}

// Whether a stride passes over pixels of the gradient of the input: no tap reaches them, and CK does not write them.
template <typename Host>
bool leaves_gaps(const tw_args* args)
{
    if constexpr(Host::direction != 1)
        return false;
    for(int axis = 3 - Host::dims; axis < 3; axis++)
    {
        const int64_t stride = args->sizes[conv_stride + axis];
        const int64_t phases = stride / std::gcd(stride, args->sizes[conv_dilation + axis]);
        if(args->sizes[filter_extent + axis] < phases || phases < stride)
            return true;
    }
    return false;
}

template <typename Host>
int64_t input_count(const tw_args* args)
{
    int64_t count = args->sizes[0] * args->sizes[2];
    for(int axis = 3 - Host::dims; axis < 3; axis++)
        count *= args->sizes[in_extent + axis];
    return count;
}

template <typename Host>
int64_t workspace(const tw_args* args, ConvHost*)
{
    return Host::two_stage ? weight_count<Host>(args) * int64_t(sizeof(float)) : 0;
}

template <typename Host, int BlockPerCu, typename Kernel>
int launch_conv(tw_args* args, void* const (&tensors)[3], int32_t split_k, hipStream_t stream)
{
    const typename Host::HostArguments host(
        conv_param<Host>(args), tensors[slot_input], tensors[slot_weight], {}, tensors[slot_output], split_k);
    const auto kargs = Kernel::MakeKernelArgs(host);
    if(!Kernel::IsSupportedArgument(kargs))
        return fail(args, "CK refuses this convolution for the kernel");
    ck_tile::kentry<BlockPerCu, Kernel, typename Host::Arguments>
        <<<Kernel::GridSize(kargs), dim3(Host::block), 0, stream>>>(kargs);
    return check(args, hipGetLastError(), "launch");
}

template <typename Host>
int convert_weight(tw_args* args, int64_t count, hipStream_t stream)
{
    using Second = typename Host::SecondStage;
    const ConvertArgs x{static_cast<const float*>(args->workspace), args->tensors[slot_weight], count};
    const auto blocks = static_cast<uint32_t>((count + Second::kBlockSize - 1) / Second::kBlockSize);
    ck_tile::kentry<1, Second, ConvertArgs><<<dim3(blocks), dim3(Second::kBlockSize), 0, stream>>>(x);
    return check(args, hipGetLastError(), "second stage");
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, ConvHost*)
{
    const auto stream = static_cast<hipStream_t>(args->stream);
    const int32_t split_k = args->launch[1] > 1 ? static_cast<int32_t>(args->launch[1]) : 1;
    void* const tensors[3] = {args->tensors[slot_input],
                              Host::two_stage ? args->workspace : args->tensors[slot_weight],
                              args->tensors[slot_output]};
    if(split_k > 1)
    {
        const size_t bytes = weight_count<Host>(args) * sizeof(typename Host::Stored);
        if(check(args, hipMemsetAsync(tensors[slot_weight], 0, bytes, stream), "clearing the sums"))
            return 1;
    }
    if(leaves_gaps<Host>(args))
    {
        const size_t bytes = input_count<Host>(args) * sizeof(typename Host::Stored);
        if(check(args, hipMemsetAsync(tensors[slot_input], 0, bytes, stream), "clearing the gradient of the input"))
            return 1;
    }
    const int64_t depth = int64_t(split_k) * Host::tile_k;
    int status = 0;
    const int steps = static_cast<int>((conv_depth<Host>(args) + depth - 1) / depth);
    const bool served = Host::choose(steps, split_k > 1, [&](auto kernel) {
        status = launch_conv<Host, BlockPerCu, decltype(kernel)>(args, tensors, split_k, stream);
    });
    if(!served)
        return fail(args, "this kernel cannot split K (split_k %d)", split_k);
    if constexpr(Host::two_stage)
        if(status == 0)
            status = convert_weight<Host>(args, weight_count<Host>(args), stream);
    return status;
}

} // namespace tilewright_ck
