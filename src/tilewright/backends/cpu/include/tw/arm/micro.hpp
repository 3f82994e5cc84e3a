// The micro kernels of Arm. Units for Arm include this before a pipeline; other units never do, so that a change here
// leaves their build keys alone.
#pragma once
#include "tw/arm/micro_lanes.hpp"
#include "tw/arm/micro_pairs.hpp"
#include "tw/arm/skinny.hpp"
#include "tw/gemm/micro.hpp"

namespace tw {

#if defined(TW_NEON) || defined(TW_SVE)
// Tiles whose rows do not fill registers, or too many of them, are multiplied by broadcast values as on other CPUs.
template <bool Fits, class Config>
struct FmaKernel { using type = MicroLanes<Config, LaneFma>; };
template <class Config>
struct FmaKernel<false, Config> { using type = MicroVector<Config, FloatWords<Config>>; };
template <class Config>
struct MicroKernelOf<Config, Inner::fma> : FmaKernel<MicroLanes<Config, LaneFma>::fits, Config> {};

template <class Config, class A = typename Formats<Config>::A::Stored>
struct DotKernel { using type = MicroLanes<Config, LaneDot>; };
template <class Config>
struct DotKernel<Config, bf16> { using type = MicroLanes<Config, LaneBf16Dot>; };
template <class Config>
struct MicroKernelOf<Config, Inner::dot> : DotKernel<Config> {
  static_assert(DotKernel<Config>::type::fits, "mr*(nr/lanes) + nr/lanes + mr/4 must not exceed the vector registers");
};
#endif
#if defined(TW_NEON)
template <class Config>
struct MicroKernelOf<Config, Inner::mm> { using type = MicroPairs<Config>; };
#endif

}  // namespace tw
