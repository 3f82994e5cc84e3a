// The functions that a generated convolution translation unit exports: TW_EXPORT_CONV(Config, Kernel), where Kernel is the
// pipeline's class. The unit includes the header of its pipeline only, which keeps compile times short.
#pragma once
#include "tw/conv/args.hpp"

namespace tw {

template <class Config>
const tw_kernel_info* conv_info() {
  static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), Config::digest};
  return &info;
}

}  // namespace tw

#define TW_CONV_PUBLIC extern "C" __attribute__((visibility("default")))
#define TW_EXPORT_CONV(Config, Kernel)                                                              \
  TW_CONV_PUBLIC const tw_kernel_info* tw_info(void) { return tw::conv_info<Config>(); }            \
  TW_CONV_PUBLIC int64_t tw_workspace(const tw_args* args) { return Kernel::workspace(*args); }     \
  TW_CONV_PUBLIC int tw_run(tw_args* args) { return Kernel::run(args); }
