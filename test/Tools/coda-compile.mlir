// RUN: rm -rf %t && mkdir %t

// RUN: coda-compile %s --emit=coda -o %t/coda.mlir | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=CODA --input-file=%t/coda.mlir
// RUN: coda-compile %s --emit=linalg --report=none | FileCheck %s --check-prefix=LINALG
// RUN: coda-compile %s --emit=llvm --report=none | FileCheck %s --check-prefix=LLVM

// What was written is a program again.
// RUN: coda-compile %t/coda.mlir --emit=linalg --report=none | FileCheck %s --check-prefix=LINALG
// RUN: coda-compile - --emit=coda --report=none < %s | FileCheck %s --check-prefix=CODA

// The report leaves the standard output to the result.
// RUN: coda-compile %s --emit=coda 2>%t/report.txt | FileCheck %s --check-prefix=CODA
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t/report.txt
// RUN: coda-compile %s --emit=coda --report=json -o %t/out.mlir | %python -c "import json, sys; print(json.load(sys.stdin)['functions'][0]['after']['passes'])" | FileCheck %s --check-prefix=JSON
// JSON: {{^}}0{{$}}

// An output that cannot be written is an error, and no temporary file stays.
// RUN: not coda-compile %s --emit=coda --report=none -o %t/no/where.mlir 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// UNWRITABLE: error: cannot write '{{.*}}where.mlir': No such file or directory
// RUN: not coda-compile %s --emit=coda --report=none -o %t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write '{{.*}}': {{[Ii]}}s a directory
// RUN: ls %t | FileCheck %s --check-prefix=LEFT
// LEFT-NOT: tmp

// REPORT: @linear
// REPORT-NEXT: memory-bound passes 1 -> 0
// REPORT-NEXT: products 1
// REPORT-NEXT: memory traffic {{.*}} -> {{.*}} less)

// CODA-LABEL: func.func @linear
// CODA: coda.gemm
// LINALG-LABEL: func.func @linear
// LINALG-NOT: coda.
// LINALG: linalg.generic
// LLVM: llvm.func @linear

func.func @linear(%x: tensor<8x16xbf16>, %w: tensor<32x16xbf16>, %b: tensor<32xf32>) -> tensor<8x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x32xf32>) -> tensor<8x32xf32>
  %product = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<8x16xbf16>, tensor<32x16xbf16>) outs(%init : tensor<8x32xf32>) -> tensor<8x32xf32>
  %narrow = tensor.empty() : tensor<8x32xbf16>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %b : tensor<8x32xf32>, tensor<32xf32>) outs(%narrow : tensor<8x32xbf16>) {
  ^bb0(%acc: f32, %bias: f32, %out: bf16):
    %sum = arith.addf %acc, %bias : f32
    %rounded = arith.truncf %sum : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<8x32xbf16>
  return %y : tensor<8x32xbf16>
}
