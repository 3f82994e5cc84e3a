/* What a library of many generated kernels (libdispatcher_kernels.so) exports: one table.
 *
 * Built with ROCm, a kernel has its three functions of the C ABI. Built by a cross compiler, on a machine without a HIP
 * runtime, it has its code object instead, ready for hipModuleLoadData. What is absent is null. */
#ifndef TILEWRIGHT_CK_LIBRARY_H
#define TILEWRIGHT_CK_LIBRARY_H
#include "tilewright_abi.h"

#define TW_LIBRARY_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_library_kernel {
  const char* name;
  const char* digest;
  const char* arch;
  const void* code;      /* the code object */
  uint64_t code_bytes;
  tw_info_fn info;
  tw_workspace_fn workspace;
  tw_run_fn run;
} tw_library_kernel;

typedef struct tw_library {
  uint32_t version;      /* TW_LIBRARY_VERSION */
  uint32_t kernel_size;  /* sizeof(tw_library_kernel) */
  uint64_t count;
  const tw_library_kernel* kernels;
} tw_library;

const tw_library* tw_dispatcher_kernels(void);

#ifdef __cplusplus
}
#endif
#endif
