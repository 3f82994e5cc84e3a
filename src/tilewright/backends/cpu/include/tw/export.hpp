// The three functions of the C ABI that every CPU kernel has: TW_EXPORT_ABI(Config, kernel), where kernel is a class with
// `workspace` and `run`.
#pragma once
#include "tw/config.hpp"

#define TW_PUBLIC extern "C" __attribute__((visibility("default")))
#define TW_EXPORT_ABI(Config, ...)                                                                     \
  TW_PUBLIC const tw_kernel_info* tw_info(void) {                                                      \
    static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), Config::digest};              \
    return &info;                                                                                      \
  }                                                                                                    \
  TW_PUBLIC int64_t tw_workspace(const tw_args* args) { return __VA_ARGS__::workspace(*args); }        \
  TW_PUBLIC int tw_run(tw_args* args) { return __VA_ARGS__::run(args); }
