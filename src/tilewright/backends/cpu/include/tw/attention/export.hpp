// What a generated attention translation unit exports.
#pragma once
#include "tw/export.hpp"

#define TW_EXPORT(Kernel, Config) TW_EXPORT_ABI(Config, tw::Kernel<Config>)
