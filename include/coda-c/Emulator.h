/*===- Emulator.h - The emulated GPU from C ------------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libcoda_emulator.so adds the driver "emulator" to libcoda_runtime.so, for  *|
|* coda_rt_device_get. A launch fails with the text of all faults that the    *|
|* emulator has found.                                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_EMULATOR_H
#define CODA_C_EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CODA_EMULATOR_EXPORT __attribute__((visibility("default")))

/* Makes the driver known; further calls change the number of multiprocessors.
 * Without checks only what makes an execution impossible is found. */
CODA_EMULATOR_EXPORT void coda_emulator_register(unsigned multiprocessors,
                                                 int checks);

/* How warps and asynchronous operations of later launches take turns. Number 0
 * is the plain schedule, 1 to 4 are adversarial ones with `seed`, 5 to 9 are
 * all with the next seed, and so on. */
CODA_EMULATOR_EXPORT void coda_emulator_set_schedule(uint64_t seed,
                                                     unsigned number);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_EMULATOR_H */
