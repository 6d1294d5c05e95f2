//===- Coda.h - The coda dialect -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only header that a user of the dialect includes.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODA_H
#define CODA_IR_CODA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

#include "coda/IR/CodaDialect.h.inc"
#include "coda/IR/CodaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coda/IR/CodaAttrs.h.inc"

#include "coda/IR/CodaInterfaces.h.inc"

#define GET_OP_CLASSES
#include "coda/IR/CodaOps.h.inc"

#endif // CODA_IR_CODA_H
