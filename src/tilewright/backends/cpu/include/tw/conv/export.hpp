// The functions that a generated convolution translation unit exports: TW_EXPORT_CONV(Config, Kernel), where Kernel is the
// pipeline's class. The unit includes the header of its pipeline only, which keeps compile times short.
#pragma once
#include "tw/conv/args.hpp"
#include "tw/export.hpp"

#define TW_EXPORT_CONV(Config, Kernel) TW_EXPORT_ABI(Config, Kernel)
