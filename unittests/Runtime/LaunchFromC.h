/*===- LaunchFromC.h - The interface as a C program sees it -------*- C -*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_UNITTESTS_RUNTIME_LAUNCHFROMC_H
#define CODA_UNITTESTS_RUNTIME_LAUNCHFROMC_H

#include "coda/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a kernel with a tensor map, a pointer and a number. */
coda_rt_status launchFromC(coda_rt_kernel *kernel,
                           const coda_rt_tensor_map *map,
                           coda_rt_address output, int32_t rows,
                           coda_rt_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* CODA_UNITTESTS_RUNTIME_LAUNCHFROMC_H */
