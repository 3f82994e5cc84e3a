// The arguments of a generated convolution, made by CK's own host code, for launchers outside of C++.
//
// It must be compiled with the C++ library of the device code: the layout of the arguments depends on it.
#pragma once

#include <cstring>
#include <new>

#include "tilewright_ck/entry_conv.hpp"

#ifdef _LIBCPP_VERSION
// The library is linked with the host's C++ library, which has all that is needed of libc++ but these.
std::bad_alloc::bad_alloc() noexcept {}
std::bad_array_new_length::bad_array_new_length() noexcept {}

// Nor does it have libc++'s streams: CK's log is off, and what would write it is dropped.
template <>
inline bool ck_tile::EnvIsEnabled(ck_tile::env::CK_TILE_LOGGING)
{
    return false;
}
#endif

namespace tilewright_ck {

// Writes the argument of the kernels and the grid; `tensors` are input, weight (or the sums of the first stage), output.
template <typename Host, typename Kernel>
int64_t conv_arguments(const tw_args* args, int32_t split_k, void* into, int64_t capacity, uint32_t* grid)
{
    const typename Host::HostArguments host(conv_param<Host>(args), args->tensors[slot_input],
                                            args->tensors[slot_weight], {}, args->tensors[slot_output], split_k);
    const auto made = Kernel::MakeKernelArgs(host);
    if(capacity < int64_t(sizeof made))
        return -1;
    const dim3 size = Kernel::GridSize(made);
    grid[0] = size.x, grid[1] = size.y, grid[2] = size.z;
    std::memcpy(into, static_cast<const void*>(&made), sizeof made);
    return sizeof made;
}

} // namespace tilewright_ck

#define TILEWRIGHT_CK_ARGUMENTS(space, main)                                                              \
    extern "C" __attribute__((visibility("default"))) int64_t tw_arguments(                               \
        const tw_args* args, int32_t split_k, void* into, int64_t capacity, uint32_t* grid)               \
    {                                                                                                     \
        return tilewright_ck::conv_arguments<space::Host, space::main>(args, split_k, into, capacity, grid); \
    }
