/*===- HostCode.h - What compiled host code calls -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The functions that host code of coda-to-ptx calls. A launch is described   *|
|* argument by argument, so that generated code builds no structs. All use    *|
|* device 0 of the default driver and the default stream. None returns a      *|
|* status: a failure goes to the handler of coda_rt_set_error_handler, and    *|
|* what depends on it is left out.                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_RUNTIME_HOSTCODE_H
#define CODA_RUNTIME_HOSTCODE_H

#include "coda/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory for buffers of the program; 0 bytes give the null address. */
CODA_RT_EXPORT coda_rt_address coda_rt_host_alloc(uint64_t bytes);
CODA_RT_EXPORT void coda_rt_host_free(coda_rt_address address);
CODA_RT_EXPORT void coda_rt_host_copy(coda_rt_address to, coda_rt_address from,
                                      uint64_t bytes);

/* The address of a copy of a constant. `*handle` is null at first and remembers
 * the address, which is never freed. */
CODA_RT_EXPORT coda_rt_address coda_rt_host_constant(void **handle,
                                                     const void *data,
                                                     uint64_t bytes);

/* Starts a launch, and forgets one that was started before. `*handle` is null
 * at first; the kernel that it is set to is used from then on. `image` is PTX
 * that ends in a NUL, and is read while the handle is null only. */
CODA_RT_EXPORT void coda_rt_args_begin(void **handle, const char *image,
                                       const char *kernel);
/* Refuses a size of 0. */
CODA_RT_EXPORT void coda_rt_args_check_positive(int64_t size);
/* The next parameter. */
CODA_RT_EXPORT void coda_rt_args_pointer(coda_rt_address address,
                                         uint32_t alignment);
/* The low bytes of `bits`. */
CODA_RT_EXPORT void coda_rt_args_value(uint64_t bits, uint32_t bytes);
/* A size as 32 bits; refused when it does not fit. */
CODA_RT_EXPORT void coda_rt_args_i32(int64_t size);
/* A tensor map, followed by a call for each dimension, innermost first. */
CODA_RT_EXPORT void coda_rt_args_tensor_map(coda_rt_address address,
                                            int32_t element, int32_t swizzle);
CODA_RT_EXPORT void coda_rt_args_tensor_map_dim(uint64_t size,
                                                uint64_t stride_in_bytes,
                                                uint32_t box);
/* Memory that only this launch uses; with `zeroed` all bytes are zero. */
CODA_RT_EXPORT void coda_rt_args_scratch(uint64_t bytes, int32_t zeroed);
/* Launches one block for each tile, or as many as `blocks_per_multiprocessor`
 * allows when that is not 0. Nothing is launched for 0 tiles. Scratch memory is
 * kept for the next launch of the thread, so that repeated launches allocate
 * nothing. */
CODA_RT_EXPORT void coda_rt_args_launch(uint64_t tiles,
                                        uint32_t blocks_per_multiprocessor,
                                        uint32_t threads,
                                        uint32_t shared_memory);

#ifdef __cplusplus
}
#endif

#endif /* CODA_RUNTIME_HOSTCODE_H */
