// The micro kernels of Arm. Units for Arm include this before a pipeline; other units never do, so that a change here
// leaves their build keys alone.
#pragma once
#include "tw/arm/micro_lanes.hpp"
#include "tw/gemm/micro.hpp"

namespace tw {

template <bool Fits, class Config>
struct FmaKernel { using type = MicroLanes<Config, LaneFma>; };
template <class Config>
struct FmaKernel<false, Config> { using type = MicroVector<Config, FloatWords<Config>>; };

#if defined(TW_NEON) || defined(TW_SVE)
template <class Config>
struct MicroKernelOf<Config, Inner::fma> : FmaKernel<MicroLanes<Config, LaneFma>::fits, Config> {};
#endif

}  // namespace tw
