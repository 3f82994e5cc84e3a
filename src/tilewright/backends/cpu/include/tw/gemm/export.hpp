// What a generated GEMM translation unit includes: one `struct Config`, then TW_EXPORT_GEMM(Config).
#pragma once
#include "tw/export.hpp"
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

}  // namespace tw

#define TW_EXPORT_GEMM(Config)                                                                       \
  TW_EXPORT_ABI(Config, tw::GemmPipeline<Config>)                                                    \
  TW_PUBLIC int64_t tw_pack_b_bytes(const tw_args* args) { return tw::PackB<Config>::bytes(*args); } \
  TW_PUBLIC int tw_pack_b(tw_args* args) { return tw::PackB<Config>::run(args); }
