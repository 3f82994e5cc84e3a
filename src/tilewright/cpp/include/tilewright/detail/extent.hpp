/* Where tensors lie in memory: beside the headers in a bundle, in a folder of its own in the package. */
#pragma once
#if __has_include("../tilewright_extent.h")
#include "../tilewright_extent.h"
#else
#include <tilewright_extent.h>
#endif
