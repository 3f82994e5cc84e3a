// The host entry of a generated kernel: tilewright's C ABI over CK Tile. Needs the HIP runtime.
//
// A library of one kernel exports tw_info, tw_workspace and tw_run. With TW_CK_COMBINED the names end in the kernel's
// namespace, so that many kernels fit into one library.
#pragma once

#include <cstdarg>
#include <cstdio>

#include <hip/hip_runtime.h>

#include "tilewright_abi.h"
#include "tilewright_ck/gemm.hpp"


namespace tilewright_ck {

inline int fail(tw_args* args, const char* format, ...)
{
    va_list values;
    va_start(values, format);
    std::vsnprintf(args->error, TW_ERROR_BYTES, format, values);
    va_end(values);
    return 1;
}

inline int check(tw_args* args, hipError_t error, const char* what)
{
    return error == hipSuccess ? 0 : fail(args, "%s: %s", what, hipGetErrorString(error));
}

// Slots of tw_args for a GEMM: a, b, out, two scales, then the D operands; sizes are m, n, k, batch.
enum GemmSlot : int { slot_a = 0, slot_b = 1, slot_out = 2, slot_d = 5 };

// The stride of the dimension that is not contiguous: rows of a row-major matrix, columns of a column-major one. That of
// a single row may be any number. CK takes it for the length of the matrix, so it is the row's own length.
constexpr int32_t leading(const tw_args* args, int slot, bool row_major, int64_t rows, int64_t columns)
{
    if(row_major)
        return static_cast<int32_t>(rows > 1 ? args->strides[slot][1] : columns);
    return static_cast<int32_t>(columns > 1 ? args->strides[slot][2] : rows);
}

template <typename Host>
constexpr GemmArgs gemm_args(const tw_args* args, int32_t split_k)
{
    GemmArgs x{};
    x.a = args->tensors[slot_a];
    x.b = args->tensors[slot_b];
    x.out = args->tensors[slot_out];
    x.m = static_cast<int32_t>(args->sizes[0]);
    x.n = static_cast<int32_t>(args->sizes[1]);
    x.k = static_cast<int32_t>(args->sizes[2]);
    x.stride_a = leading(args, slot_a, Host::row_major[0], x.m, x.k);
    x.stride_b = leading(args, slot_b, Host::row_major[1], x.k, x.n);
    x.stride_out = leading(args, slot_out, Host::row_major[2], x.m, x.n);
    for(int i = 0; i < Host::d; i++)
    {
        x.d[i] = args->tensors[slot_d + i];
        x.stride_d[i] = Host::repeated_d >> i & 1 ? 0 : leading(args, slot_d + i, Host::row_major[2], x.m, x.n);
    }
    x.split_k = split_k;
    return x;
}

// Splits of K add to the output, so it starts at zero.
template <typename Host>
int clear_output(tw_args* args, const GemmArgs& x, hipStream_t stream)
{
    const size_t size = sizeof(typename Host::Output);
    const size_t rows = Host::row_major[2] ? x.m : x.n, columns = Host::row_major[2] ? x.n : x.m;
    return check(args, hipMemset2DAsync(x.out, x.stride_out * size, 0, columns * size, rows, stream), "clearing the output");
}

template <typename Host, int BlockPerCu, typename Kernel>
int launch_gemm(tw_args* args, const GemmArgs& x, hipStream_t stream)
{
    const auto kernel = ck_tile::kentry<BlockPerCu, Kernel, GemmArgs>;
    const int64_t tiles = int64_t((x.m + Host::tile_m - 1) / Host::tile_m) * ((x.n + Host::tile_n - 1) / Host::tile_n);
    dim3 grid(static_cast<uint32_t>(tiles), 1, static_cast<uint32_t>(x.split_k));
    if constexpr(Host::persistent)
    {
        int device = 0, units = 0, blocks = 0;
        if(check(args, hipGetDevice(&device), "device") ||
           check(args, hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device), "units") ||
           check(args, hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Host::block, 0), "occupancy"))
            return 1;
        const int64_t resident = int64_t(units) * (blocks > 0 ? blocks : 1), work = tiles * x.split_k;
        grid = dim3(static_cast<uint32_t>(resident < work ? resident : work), 1, 1);
    }
    kernel<<<grid, dim3(Host::block), 0, stream>>>(x);
    return check(args, hipGetLastError(), "launch");
}

template <typename Host>
int64_t workspace(const tw_args*, GemmHost*)
{
    return 0;
}

template <typename Host, int BlockPerCu>
int run(tw_args* args, GemmHost*)
{
    const int32_t split_k = args->launch[1] > 1 ? static_cast<int32_t>(args->launch[1]) : 1;
    if(args->sizes[3] != 1)
        return fail(args, "batch is %lld; CK Tile kernels take one product", static_cast<long long>(args->sizes[3]));
    const GemmArgs x = gemm_args<Host>(args, split_k);
    const auto stream = static_cast<hipStream_t>(args->stream);
    if(split_k > 1 && clear_output<Host>(args, x, stream))
        return 1;
    const int32_t depth = split_k * Host::tile_k;
    int status = 0;
    const bool served = Host::choose((x.k + depth - 1) / depth, split_k > 1, [&](auto kernel) {
        status = launch_gemm<Host, BlockPerCu, decltype(kernel)>(args, x, stream);
    });
    return served ? status : fail(args, "this kernel cannot split K (split_k %d)", split_k);
}

} // namespace tilewright_ck

#ifdef TW_CK_COMBINED
#define TILEWRIGHT_CK_JOIN(function, space) function##_##space
#else
#define TILEWRIGHT_CK_JOIN(function, space) function
#endif

#define TILEWRIGHT_CK_ENTRY(space, block_per_cu, digest)                                          \
    extern "C" __attribute__((visibility("default"))) const tw_kernel_info*                       \
    TILEWRIGHT_CK_JOIN(tw_info, space)(void)                                                      \
    {                                                                                             \
        static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), digest};             \
        return &info;                                                                             \
    }                                                                                             \
    extern "C" __attribute__((visibility("default"))) int64_t                                     \
    TILEWRIGHT_CK_JOIN(tw_workspace, space)(const tw_args* args)                                  \
    {                                                                                             \
        return tilewright_ck::workspace<space::Host>(args, static_cast<space::Host*>(nullptr));   \
    }                                                                                             \
    extern "C" __attribute__((visibility("default"))) int                                         \
    TILEWRIGHT_CK_JOIN(tw_run, space)(tw_args* args)                                              \
    {                                                                                             \
        return tilewright_ck::run<space::Host, block_per_cu>(args, static_cast<space::Host*>(nullptr)); \
    }
