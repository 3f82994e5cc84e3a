// What generated CK Tile attention kernels include. Types and traits are spelt out in each generated header.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/host/kernel_launch.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/fmha.hpp"

#if !defined(CK_TILE_FMHA_FWD_FAST_EXP2) || !CK_TILE_FMHA_FWD_FAST_EXP2
#error "compile attention kernels with -DCK_TILE_FMHA_FWD_FAST_EXP2=1: soft caps and scales are given in base 2"
#endif
