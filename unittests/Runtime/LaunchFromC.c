/*===- LaunchFromC.c - The interface as a C program sees it ---------------===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions.                                                                *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "LaunchFromC.h"
#include "coda/Runtime/MLIREntryPoints.h"

coda_rt_status launchFromC(coda_rt_kernel *kernel,
                           const coda_rt_tensor_map *map,
                           coda_rt_address output, int32_t rows,
                           coda_rt_stream stream) {
  coda_rt_launch_config config = {{132, 1, 1}, {384, 1, 1}, {0, 0, 0}, 0};
  coda_rt_arg args[3];
  args[0] = coda_rt_arg_tensor_map(map);
  args[1] = coda_rt_arg_pointer(output, 16);
  args[2] = coda_rt_arg_value(&rows, sizeof(rows));
  return coda_rt_launch(kernel, &config, args, 3, stream);
}
