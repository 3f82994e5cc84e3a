/* The C ABI of every kernel that tilewright compiles ahead of a call (backends `cpu` and `ck_tile`).
 *
 * One struct carries a whole launch, so that a plan can fill it once and then only swap pointers. What each slot
 * means is decided by the operation (see `tilewright.model.abi.AbiLayout`); the struct itself never changes shape
 * within one ABI version. A loader compares `struct_size` and `abi_version` before the first call. */
#ifndef TILEWRIGHT_ABI_H
#define TILEWRIGHT_ABI_H
#include <stdint.h>

#define TW_ABI_VERSION 1
#define TW_MAX_TENSORS 16
#define TW_MAX_RANK 6
#define TW_MAX_SIZES 32
#define TW_MAX_SCALARS 8
#define TW_MAX_LAUNCH 8
#define TW_ERROR_BYTES 256

#ifdef __cplusplus
extern "C" {
#endif

/* Threads are lent by the caller: kernels own none, so nothing fights over cores and nothing leaks at fork.
 * `parallel` runs task(context, index, count, team) for index = 0 .. count-1, index 0 on the calling thread, and
 * returns when all are done. `barrier` may be called only inside a task, by every member of the team alike. */
typedef struct tw_team tw_team;
typedef void (*tw_task)(void* context, int index, int count, tw_team* team);
typedef struct tw_runtime {
  uint32_t abi_version;
  uint32_t struct_size;
  void (*parallel)(int count, tw_task task, void* context);
  void (*barrier)(tw_team* team, int index);
} tw_runtime;

typedef struct tw_args {
  uint32_t struct_size;
  uint32_t abi_version;
  void* tensors[TW_MAX_TENSORS];                 /* by role; null where a role is absent */
  int64_t sizes[TW_MAX_SIZES];                   /* by the op's size names */
  int64_t strides[TW_MAX_TENSORS][TW_MAX_RANK];  /* in elements, by role */
  double scalars[TW_MAX_SCALARS];
  int64_t launch[TW_MAX_LAUNCH];                 /* run-time choices: threads, split_k, ... */
  const tw_runtime* runtime;                     /* null: run on the calling thread only */
  void* stream;                                  /* GPU backends; null on the CPU */
  void* workspace;
  int64_t workspace_bytes;
  char error[TW_ERROR_BYTES];                    /* filled when a call returns non-zero */
} tw_args;

typedef struct tw_kernel_info {
  uint32_t abi_version;
  uint32_t args_size;
  const char* digest;                            /* the spec digest the kernel was generated from */
} tw_kernel_info;

/* What a compiled kernel exports: */
typedef const tw_kernel_info* (*tw_info_fn)(void);        /* tw_info */
typedef int64_t (*tw_workspace_fn)(const tw_args*);       /* tw_workspace: bytes needed for these sizes and launch */
typedef int (*tw_run_fn)(tw_args*);                       /* tw_run: 0 on success */

#ifdef __cplusplus
}
#endif
#endif
