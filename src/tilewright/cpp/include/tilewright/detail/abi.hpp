/* The C ABI of kernels: beside the headers in a bundle, in a folder of its own in the package. */
#pragma once
#if __has_include("../tilewright_abi.h")
#include "../tilewright_abi.h"
#else
#include <tilewright_abi.h>
#endif
