// Which micro kernel a configuration uses.
#pragma once
#include "tw/micro_fma.hpp"

namespace tw {

template <class Config, Inner I = Config::inner>
struct MicroKernelOf;
template <class Config>
struct MicroKernelOf<Config, Inner::fma> { using type = MicroFma<Config>; };
template <class Config>
struct MicroKernelOf<Config, Inner::portable> { using type = MicroFma<Config>; };
template <class Config>
using MicroKernel = typename MicroKernelOf<Config>::type;

}  // namespace tw
