//===- CodaEnums.td - Enumerations of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODAENUMS
#define CODA_IR_CODAENUMS

include "coda/IR/CodaDialect.td"
include "mlir/IR/EnumAttr.td"

class Coda_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::coda";
}

def Coda_DimKind : Coda_I32Enum<"DimKind", "kind of an iteration dim", [
  I32EnumAttrCase<"Batch", 0, "batch">,
  I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Column", 2, "column">,
  I32EnumAttrCase<"Member", 3, "member">,
  I32EnumAttrCase<"Contract", 4, "contract">
]>;

def Coda_Combiner : Coda_I32Enum<"Combiner", "how the values of a result are combined", [
  I32EnumAttrCase<"Store", 0, "store">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"LogSumExp", 3, "lse">,
  I32EnumAttrCase<"SquaredDeviation", 4, "sqdev">
]>;

def Coda_GroupReduceKind : Coda_I32Enum<"GroupReduceKind", "reduction inside a region", [
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Max", 2, "max">
]>;

def Coda_Numerics : Coda_I32Enum<"Numerics", "what a rewrite may do to the bits of a result", [
  I32EnumAttrCase<"Bitwise", 0, "bitwise">,
  I32EnumAttrCase<"Algebraic", 1, "algebraic">,
  I32EnumAttrCase<"Relaxed", 2, "relaxed">
]>;

def Coda_ScheduleMode : Coda_I32Enum<"ScheduleMode", "how the consumer warpgroups share tiles", [
  I32EnumAttrCase<"Cooperative", 0, "cooperative">,
  I32EnumAttrCase<"PingPong", 1, "pingpong">
]>;

#endif // CODA_IR_CODAENUMS
