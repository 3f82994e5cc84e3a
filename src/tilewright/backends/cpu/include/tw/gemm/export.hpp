// What a generated GEMM translation unit includes: one `struct Config`, then TW_EXPORT_GEMM(Config).
#pragma once
#include "tw/gemm/pack_b.hpp"
#include "tw/gemm/skinny.hpp"
#include "tw/gemm/tiled.hpp"

namespace tw {

template <class Config, Pipeline P = Config::pipeline>
struct PipelineOf { using type = Tiled<Config>; };
template <class Config>
struct PipelineOf<Config, Pipeline::skinny> { using type = Skinny<Config>; };
template <class Config>
using GemmPipeline = typename PipelineOf<Config>::type;

template <class Config>
const tw_kernel_info* kernel_info() {
  static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), Config::digest};
  return &info;
}

}  // namespace tw

#define TW_PUBLIC extern "C" __attribute__((visibility("default")))
#define TW_EXPORT_GEMM(Config)                                                                               \
  TW_PUBLIC const tw_kernel_info* tw_info(void) { return tw::kernel_info<Config>(); }                        \
  TW_PUBLIC int64_t tw_workspace(const tw_args* args) { return tw::GemmPipeline<Config>::workspace(*args); } \
  TW_PUBLIC int tw_run(tw_args* args) { return tw::GemmPipeline<Config>::run(args); }                        \
  TW_PUBLIC int64_t tw_pack_b_bytes(const tw_args* args) { return tw::PackB<Config>::bytes(*args); }         \
  TW_PUBLIC int tw_pack_b(tw_args* args) { return tw::PackB<Config>::run(args); }
