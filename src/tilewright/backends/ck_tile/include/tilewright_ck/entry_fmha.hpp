// The host entry of a generated attention kernel. Needs the HIP runtime.
//
// An attention is made of several device kernels that share buffers, so an entry launches one of them with an argument
// that the caller made: by CK's own `MakeKargs` of the kernel, or by tilewright. In tw_args, tensors[0] is the host
// address of the argument, sizes[0] its size in bytes, and sizes[1], sizes[2], sizes[3] are the grid.
#pragma once

#include <cstring>

#include "tilewright_ck/entry.hpp"
#include "tilewright_ck/fmha.hpp"

namespace tilewright_ck {

enum FmhaSlot : int { slot_argument = 0 };
enum FmhaSize : int { argument_bytes = 0, grid_x = 1, grid_y = 2, grid_z = 3 };

template <typename Host>
int64_t workspace(const tw_args*, FmhaHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, FmhaHost*)
{
    using Arguments = typename Host::Arguments;
    if(args->sizes[argument_bytes] != int64_t(sizeof(Arguments)))
        return fail(args, "the argument has %lld bytes; this kernel takes %lld",
                    static_cast<long long>(args->sizes[argument_bytes]), static_cast<long long>(sizeof(Arguments)));
    Arguments x;
    std::memcpy(static_cast<void*>(&x), args->tensors[slot_argument], sizeof x);
    const auto extent = [&](int i) { return static_cast<uint32_t>(args->sizes[i]); };
    ck_tile::kentry<BlockPerCu, typename Host::Kernel, Arguments>
        <<<dim3(extent(grid_x), extent(grid_y), extent(grid_z)), dim3(Host::block), 0,
           static_cast<hipStream_t>(args->stream)>>>(x);
    return check(args, hipGetLastError(), "launch");
}

} // namespace tilewright_ck
