/*===- Runtime.h - Launching kernels through a C ABI --------------*- C -*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libcoda_runtime: devices, memory, modules and launches. The CUDA driver is *|
|* opened at run time, so the library builds and loads without one.           *|
|*                                                                            *|
|* Every function that can fail returns a status. The text that explains a    *|
|* failure is kept for each thread: coda_rt_last_error. Functions may be      *|
|* called from any thread and leave the caller's current CUDA context as it   *|
|* was. docs/runtime.md has an example.                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_RUNTIME_RUNTIME_H
#define CODA_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CODA_RT_EXPORT __attribute__((visibility("default")))
#else
#define CODA_RT_EXPORT
#endif

/* C++ gives an enumeration from elsewhere no more values than its names need,
 * unless it is told the type; then numbers out of range can be refused. */
#ifdef __cplusplus
#define CODA_RT_ENUM_TYPE : int
#else
#define CODA_RT_ENUM_TYPE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Errors ------------------------------------------------------------===*/

typedef enum coda_rt_status CODA_RT_ENUM_TYPE {
  CODA_RT_SUCCESS = 0,
  /* The driver library was not found, or is too old. */
  CODA_RT_MISSING_DRIVER = 1,
  CODA_RT_NO_DEVICE = 2,
  /* The device cannot run the code: what is needed and what was found. */
  CODA_RT_WRONG_ARCHITECTURE = 3,
  CODA_RT_OUT_OF_MEMORY = 4,
  /* An address or a stride: which argument, what was found and expected. */
  CODA_RT_MISALIGNED = 5,
  CODA_RT_INVALID_ARGUMENT = 6,
  /* The driver refused a module; the text has the log of its compiler. */
  CODA_RT_MODULE_LOAD = 7,
  /* The launch was refused, or a kernel failed while running. */
  CODA_RT_LAUNCH_FAILURE = 8,
  /* Any other failure of the driver; the text has its name and meaning. */
  CODA_RT_DRIVER_ERROR = 9
} coda_rt_status;

/* "wrong architecture", "out of memory" ... */
CODA_RT_EXPORT const char *coda_rt_status_name(coda_rt_status status);

/* What went wrong in the last call of this thread that failed; empty if none
 * did. Valid until the next failure in this thread. */
CODA_RT_EXPORT const char *coda_rt_last_error(void);

/*===-- Devices -----------------------------------------------------------===*/

typedef struct coda_rt_device coda_rt_device;

typedef struct coda_rt_device_info {
  char name[256];
  /* 10 * major + minor: 90 for sm_90. */
  int sm;
  int multiprocessors;
  size_t total_memory;
  size_t free_memory;
  /* What one block may ask for, in bytes. */
  int max_shared_memory;
  size_t l2_bytes;
  /* As the driver counts: 12040 for CUDA 12.4. */
  int driver_version;
} coda_rt_device_info;

/* `driver` is "cuda", another driver that was registered, or NULL for the
 * default one. */
CODA_RT_EXPORT coda_rt_status coda_rt_device_count(const char *driver,
                                                   int *count);
/* Handles live as long as the process; the same device gives the same one. */
CODA_RT_EXPORT coda_rt_status coda_rt_device_get(const char *driver,
                                                 int ordinal,
                                                 coda_rt_device **device);
CODA_RT_EXPORT coda_rt_status
coda_rt_device_get_info(coda_rt_device *device, coda_rt_device_info *info);
/* Waits for everything on the device, and reports kernels that failed. */
CODA_RT_EXPORT coda_rt_status
coda_rt_device_synchronize(coda_rt_device *device);

/* The driver that NULL stands for: "cuda" unless changed. The name must have
 * been registered. */
CODA_RT_EXPORT coda_rt_status coda_rt_set_default_driver(const char *driver);

/*===-- Streams and events ------------------------------------------------===*/

/* A CUstream, a cudaStream_t, or torch.cuda.Stream.cuda_stream. NULL is the
 * default stream. */
typedef void *coda_rt_stream;
/* A CUevent. */
typedef void *coda_rt_event;

CODA_RT_EXPORT coda_rt_status coda_rt_stream_create(coda_rt_device *device,
                                                    coda_rt_stream *stream);
CODA_RT_EXPORT coda_rt_status coda_rt_stream_destroy(coda_rt_device *device,
                                                     coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_stream_synchronize(coda_rt_device *device,
                                                         coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_stream_wait_event(coda_rt_device *device,
                                                        coda_rt_stream stream,
                                                        coda_rt_event event);

/* Events measure time. */
CODA_RT_EXPORT coda_rt_status coda_rt_event_create(coda_rt_device *device,
                                                   coda_rt_event *event);
CODA_RT_EXPORT coda_rt_status coda_rt_event_destroy(coda_rt_device *device,
                                                    coda_rt_event event);
CODA_RT_EXPORT coda_rt_status coda_rt_event_record(coda_rt_device *device,
                                                   coda_rt_event event,
                                                   coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_event_synchronize(coda_rt_device *device,
                                                        coda_rt_event event);
/* Both events must have been reached: synchronize with `end` first. */
CODA_RT_EXPORT coda_rt_status coda_rt_event_elapsed(coda_rt_device *device,
                                                    coda_rt_event start,
                                                    coda_rt_event end,
                                                    float *milliseconds);

/*===-- Memory ------------------------------------------------------------===*/

/* An address in device memory. */
typedef uint64_t coda_rt_address;

/* 0 bytes give the null address, which may be freed. */
CODA_RT_EXPORT coda_rt_status coda_rt_alloc(coda_rt_device *device,
                                            size_t bytes,
                                            coda_rt_address *address);
CODA_RT_EXPORT coda_rt_status coda_rt_free(coda_rt_device *device,
                                           coda_rt_address address);

/* Copies are ordered by the stream. Host memory must stay valid, and results
 * must not be read, before the stream was synchronized. */
CODA_RT_EXPORT coda_rt_status coda_rt_copy_to_device(coda_rt_device *device,
                                                     coda_rt_address to,
                                                     const void *from,
                                                     size_t bytes,
                                                     coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_copy_to_host(coda_rt_device *device,
                                                   void *to,
                                                   coda_rt_address from,
                                                   size_t bytes,
                                                   coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_copy_on_device(coda_rt_device *device,
                                                     coda_rt_address to,
                                                     coda_rt_address from,
                                                     size_t bytes,
                                                     coda_rt_stream stream);
CODA_RT_EXPORT coda_rt_status coda_rt_fill(coda_rt_device *device,
                                           coda_rt_address to, uint8_t value,
                                           size_t bytes, coda_rt_stream stream);

/*===-- Modules and kernels -----------------------------------------------===*/

typedef struct coda_rt_module coda_rt_module;
typedef struct coda_rt_kernel coda_rt_kernel;

/* Loads PTX text, which need not end in a NUL, or a binary that the driver
 * knows. The `.target` of PTX is compared with the device first. The same bytes
 * on the same device are compiled once: the handle is the same, and each load
 * is matched by a release. Not to be called while a stream is captured. */
CODA_RT_EXPORT coda_rt_status coda_rt_module_load(coda_rt_device *device,
                                                  const void *image,
                                                  size_t size,
                                                  coda_rt_module **module);
/* The code stays loaded, for the next load of the same bytes, until a purge. */
CODA_RT_EXPORT coda_rt_status coda_rt_module_release(coda_rt_module *module);

/* The kernel belongs to the module. Lookups after the first are cheap, but keep
 * the handle. */
CODA_RT_EXPORT coda_rt_status coda_rt_module_get_kernel(
    coda_rt_module *module, const char *name, coda_rt_kernel **kernel);

typedef struct coda_rt_kernel_info {
  /* Registers of one thread. */
  int registers;
  /* Static shared memory in bytes. */
  int shared_memory;
  /* Local memory of one thread in bytes: spills, mostly. */
  int local_memory;
  int max_threads_per_block;
  /* Number of parameters, or -1 if the driver does not tell (before 12.4). */
  int parameters;
} coda_rt_kernel_info;

CODA_RT_EXPORT coda_rt_status
coda_rt_kernel_get_info(coda_rt_kernel *kernel, coda_rt_kernel_info *info);

/*===-- Tensor maps -------------------------------------------------------===*/

#define CODA_RT_TENSOR_MAP_MAX_RANK 5
#define CODA_RT_TENSOR_MAP_BYTES 128

/* The numbers are those of CUtensorMapDataType. Types of 8 bits are U8. */
typedef enum coda_rt_element_type CODA_RT_ENUM_TYPE {
  CODA_RT_U8 = 0,
  CODA_RT_U16 = 1,
  CODA_RT_U32 = 2,
  CODA_RT_S32 = 3,
  CODA_RT_U64 = 4,
  CODA_RT_S64 = 5,
  CODA_RT_F16 = 6,
  CODA_RT_F32 = 7,
  CODA_RT_F64 = 8,
  CODA_RT_BF16 = 9,
  CODA_RT_F32_FTZ = 10,
  CODA_RT_TF32 = 11,
  CODA_RT_TF32_FTZ = 12
} coda_rt_element_type;

typedef enum coda_rt_swizzle CODA_RT_ENUM_TYPE {
  CODA_RT_SWIZZLE_NONE = 0,
  CODA_RT_SWIZZLE_32B = 1,
  CODA_RT_SWIZZLE_64B = 2,
  CODA_RT_SWIZZLE_128B = 3
} coda_rt_swizzle;

typedef enum coda_rt_l2_promotion CODA_RT_ENUM_TYPE {
  CODA_RT_L2_NONE = 0,
  CODA_RT_L2_64B = 1,
  CODA_RT_L2_128B = 2,
  CODA_RT_L2_256B = 3
} coda_rt_l2_promotion;

/* What a copy reads outside of the tensor. */
typedef enum coda_rt_oob_fill CODA_RT_ENUM_TYPE {
  CODA_RT_OOB_ZERO = 0,
  CODA_RT_OOB_NAN = 1
} coda_rt_oob_fill;

/* A strided tensor in device memory and the box that one bulk copy moves.
 * Innermost dimension first; the innermost is contiguous. Limits, checked
 * before a launch: address aligned to 16, dims from 1 to 2^32, strides
 * multiples of 16 below 2^40, box sizes from 1 to 256, the innermost box a
 * multiple of 16 bytes and within the swizzle span. */
typedef struct coda_rt_tensor_map {
  coda_rt_address address;
  /* Elements. */
  uint64_t dims[CODA_RT_TENSOR_MAP_MAX_RANK];
  /* Bytes from one index to the next of dims[1], dims[2] ...; that of a
   * dimension of size 1 is ignored. */
  uint64_t strides[CODA_RT_TENSOR_MAP_MAX_RANK - 1];
  /* Elements. */
  uint32_t box[CODA_RT_TENSOR_MAP_MAX_RANK];
  uint32_t rank;
  coda_rt_element_type element;
  coda_rt_swizzle swizzle;
  coda_rt_l2_promotion l2_promotion;
  coda_rt_oob_fill oob_fill;
} coda_rt_tensor_map;

/* Checks and encodes a tensor map into CODA_RT_TENSOR_MAP_BYTES bytes, for who
 * launches by other means. A launch does this itself, with a cache. */
CODA_RT_EXPORT coda_rt_status coda_rt_tensor_map_encode(
    coda_rt_device *device, const coda_rt_tensor_map *map, void *encoded);

/*===-- Launches ----------------------------------------------------------===*/

typedef enum coda_rt_arg_kind CODA_RT_ENUM_TYPE {
  CODA_RT_ARG_VALUE = 0,
  CODA_RT_ARG_POINTER = 1,
  CODA_RT_ARG_TENSOR_MAP = 2
} coda_rt_arg_kind;

/* One kernel parameter. What is pointed to is read during the call only. */
typedef struct coda_rt_arg {
  coda_rt_arg_kind kind;
  union {
    /* The bytes of the parameter. */
    struct {
      const void *data;
      size_t size;
    } value;
    /* A device address, refused unless it is a multiple of `alignment`; 0
     * stands for 16. */
    struct {
      coda_rt_address address;
      uint32_t alignment;
    } pointer;
    /* Encoded and passed by value: 128 bytes, aligned to 64. */
    const coda_rt_tensor_map *tensor_map;
  } u;
} coda_rt_arg;

static inline coda_rt_arg coda_rt_arg_value(const void *data, size_t size) {
  coda_rt_arg arg;
  arg.kind = CODA_RT_ARG_VALUE;
  arg.u.value.data = data;
  arg.u.value.size = size;
  return arg;
}

static inline coda_rt_arg coda_rt_arg_pointer(coda_rt_address address,
                                              uint32_t alignment) {
  coda_rt_arg arg;
  arg.kind = CODA_RT_ARG_POINTER;
  arg.u.pointer.address = address;
  arg.u.pointer.alignment = alignment;
  return arg;
}

static inline coda_rt_arg
coda_rt_arg_tensor_map(const coda_rt_tensor_map *map) {
  coda_rt_arg arg;
  arg.kind = CODA_RT_ARG_TENSOR_MAP;
  arg.u.tensor_map = map;
  return arg;
}

/* Sizes in x, y, z. */
typedef struct coda_rt_launch_config {
  uint32_t grid[3];
  uint32_t block[3];
  /* Blocks of a cluster; all 0 launches without, or with the size that the
   * kernel was compiled for. */
  uint32_t cluster[3];
  /* Dynamic shared memory of one block. Above 48 KiB the kernel is told first,
   * as CUDA asks for. */
  uint32_t shared_memory;
} coda_rt_launch_config;

#define CODA_RT_MAX_ARGS 256
#define CODA_RT_MAX_TENSOR_MAP_ARGS 32

/* Launches a kernel. Everything is checked before anything runs; the text of a
 * refusal names the argument by its index. Does not synchronize, and does not
 * allocate once the tensor maps have been seen: usable while the stream is
 * captured into a CUDA graph. */
CODA_RT_EXPORT coda_rt_status
coda_rt_launch(coda_rt_kernel *kernel, const coda_rt_launch_config *config,
               const coda_rt_arg *args, size_t num_args, coda_rt_stream stream);

/*===-- Caches ------------------------------------------------------------===*/

typedef struct coda_rt_cache_statistics {
  uint64_t modules;
  uint64_t module_hits;
  uint64_t tensor_maps;
  uint64_t tensor_map_hits;
} coda_rt_cache_statistics;

/* What is cached now, and how often it was found. */
CODA_RT_EXPORT coda_rt_status coda_rt_get_cache_statistics(
    coda_rt_device *device, coda_rt_cache_statistics *statistics);
/* Unloads modules that were released by all who loaded them, with their
 * kernels, and forgets tensor maps. */
CODA_RT_EXPORT coda_rt_status coda_rt_purge(coda_rt_device *device);

/*===-- Failures of functions without a status ----------------------------===*/

/* The entry points that MLIR's gpu-to-llvm calls (MLIREntryPoints.h) return no
 * status. When one fails it calls the handler. That given by default, and by
 * NULL, prints one line to stderr and calls exit(1). When a handler returns,
 * the entry point returns null or does nothing. */
typedef void (*coda_rt_error_handler)(coda_rt_status status,
                                      const char *message, void *user);
CODA_RT_EXPORT void coda_rt_set_error_handler(coda_rt_error_handler handler,
                                              void *user);

#ifdef __cplusplus
}
#endif

#endif /* CODA_RUNTIME_RUNTIME_H */
