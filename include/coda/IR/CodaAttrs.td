//===- CodaAttrs.td - Attributes of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODAATTRS
#define CODA_IR_CODAATTRS

include "coda/IR/CodaEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Coda_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Coda_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Coda_DimKindAttr : Coda_EnumAttr<Coda_DimKind, "dim_kind">;
def Coda_CombinerAttr : Coda_EnumAttr<Coda_Combiner, "combiner">;
def Coda_GroupReduceKindAttr : EnumAttr<Coda_Dialect, Coda_GroupReduceKind, "group_reduce_kind">;
def Coda_NumericsAttr : Coda_EnumAttr<Coda_Numerics, "numerics">;

def Coda_DimKindArrayAttr
    : TypedArrayAttrBase<Coda_DimKindAttr, "array of dim kinds">;
def Coda_CombinerArrayAttr
    : TypedArrayAttrBase<Coda_CombinerAttr, "array of combiners">;

def Coda_ScheduleAttr : AttrDef<Coda_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a product is cut into tiles on the GPU";
  let description = [{
    A schedule is a hint to `convert-coda-to-nvgpu` and never changes meaning.

    - `tile`: rows x columns x contracts of one block tile, in elements. Columns
      count all members and all right-hand sides.
    - `stages`: tiles of lhs and rhs in flight in shared memory.
    - `cluster`: thread blocks of a cluster along the rows.
    - `mode`: `cooperative` splits one tile over two consumer warpgroups,
      `pingpong` gives each its own.

    Example: `#coda.schedule<tile = [128, 256, 64], stages = 4, cluster = 1, mode = cooperative>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "rows, columns, contracts">:$tile,
    "int64_t":$stages,
    "int64_t":$cluster,
    EnumParameter<Coda_ScheduleMode>:$mode
  );
  let assemblyFormat = [{
    `<` `tile` `=` `[` $tile `]` `,` `stages` `=` $stages `,`
    `cluster` `=` $cluster `,` `mode` `=` $mode `>`
  }];
  let genVerifyDecl = 1;
}

#endif // CODA_IR_CODAATTRS
