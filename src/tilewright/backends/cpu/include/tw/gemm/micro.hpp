// Which micro kernel a configuration uses.
#pragma once
#include "tw/gemm/micro_fma.hpp"
#if defined(__AMX_TILE__)
#include "tw/gemm/micro_amx.hpp"
#endif

namespace tw {

template <class Config, Inner I = Config::inner>
struct MicroKernelOf;  // missing: this instruction set was not enabled for the translation unit
#if !defined(TW_NEON) && !defined(TW_SVE)  // Arm has kernels of its own: tw/arm/micro.hpp
template <class Config, class Acc = typename Config::Acc>
struct FloatKernel { using type = MicroVector<Config, FloatWords<Config>>; };
#if defined(TW_AVX512)
template <class Config>
struct FloatKernel<Config, float> { using type = MicroFma<Config>; };
#endif
template <class Config>
struct MicroKernelOf<Config, Inner::fma> : FloatKernel<Config> {};
#endif
template <class Config>
struct MicroKernelOf<Config, Inner::portable> { using type = MicroVector<Config, FloatWords<Config>>; };
template <class Config>
struct MicroKernelOf<Config, Inner::vnni> { using type = MicroVector<Config, ByteWords<Config>>; };
#if defined(__AMX_TILE__)
template <class Config>
struct MicroKernelOf<Config, Inner::amx> { using type = MicroAmx<Config>; };
template <class Config>
struct MicroKernelOf<Config, Inner::amx_bf16x3> { using type = MicroAmx<Config>; };
#endif
template <class Config>
using MicroKernel = typename MicroKernelOf<Config>::type;

}  // namespace tw
