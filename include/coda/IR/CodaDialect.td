//===- CodaDialect.td - The coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_IR_CODADIALECT
#define CODA_IR_CODADIALECT

include "mlir/IR/OpBase.td"

def Coda_Dialect : Dialect {
  let name = "coda";
  let cppNamespace = "::mlir::coda";
  let summary = "Matrix products whose neighbours run in their epilogue";
  let description = [{
    An epilogue is a `linalg.generic` whose iteration domain is the output of a
    product that is still on chip. `coda.gemm` is a contraction plus a region
    that runs once for each point of the output; `coda.map` is the same op
    without a product.

    The iteration domain has named dims of five kinds:

    | kind     | clause      | meaning                                                                     |
    | -------- | ----------- | --------------------------------------------------------------------------- |
    | batch    | `batches`   | indexes lhs, every rhs and the results                                      |
    | row      | `rows`      | indexes lhs and results                                                     |
    | column   | `columns`   | indexes rhs and results                                                     |
    | member   | `members`   | a column dim of static size 1..8 that the region sees unrolled              |
    | contract | `contracts` | summed over, in f32                                                         |

    Every operand is followed by `at (...)`, the dims that index it in the order
    of its layout. A dim appears at most once; `0` stands for a dimension of
    size 1. Layout is nothing but this map: transposed, head-split, broadcast
    and interleaved operands need no other feature.

    Lowering to linalg (`convert-coda-to-linalg`) is the definition of what the
    ops mean.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Coda_Op<string mnemonic, list<Trait> traits = []>
    : Op<Coda_Dialect, mnemonic, traits>;

#endif // CODA_IR_CODADIALECT
