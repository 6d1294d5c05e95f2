//===- Error.h - What is known of a failure ---------------------*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_RUNTIME_ERROR_H
#define CODA_LIB_RUNTIME_ERROR_H

#include "coda/Runtime/Driver.h"

namespace coda::runtime {

/// Puts "<text>: " before the explanation of a failure that is on its way up.
Status addContext(Status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Hands a failure to the handler, for functions that cannot return it. Says
/// whether `status` was a success.
bool succeededOrReport(Status status, const char *function);

} // namespace coda::runtime

#endif // CODA_LIB_RUNTIME_ERROR_H
