// The three functions of the C ABI for a kernel class with `workspace` and `run`.
#pragma once
#include "tw/config.hpp"

namespace tw {

template <class Config>
const tw_kernel_info* kernel_info() {
  static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), Config::digest};
  return &info;
}

}  // namespace tw

#define TW_EXPORT(Kernel, Config)                                                                            \
  extern "C" __attribute__((visibility("default"))) const tw_kernel_info* tw_info(void) {                    \
    return tw::kernel_info<Config>();                                                                        \
  }                                                                                                          \
  extern "C" __attribute__((visibility("default"))) int64_t tw_workspace(const tw_args* args) {              \
    return tw::Kernel<Config>::workspace(*args);                                                             \
  }                                                                                                          \
  extern "C" __attribute__((visibility("default"))) int tw_run(tw_args* args) { return tw::Kernel<Config>::run(args); }
