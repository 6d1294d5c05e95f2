// RUN: rm -rf %t && mkdir %t

// RUN: not coda-compile %t/missing.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}missing.mlir': No such file or directory

// RUN: not coda-compile %s --emit=assembly -o %t/out 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: for the --emit option: Cannot find option named 'assembly'!
// RUN: not coda-compile %s --target=sm_70 -o %t/out 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'sm_70', expected sm_90a
// RUN: not coda-compile %s --numerics=fast -o %t/out 2>&1 | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: error: unknown numerics 'fast', expected bitwise, algebraic or relaxed
// RUN: not coda-compile %s --report=html -o %t/out 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: for the --report option: Cannot find option named 'html'!

// RUN: not coda-compile %s -o %t/out 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: coda-compile-errors.mlir:[[# @LINE + 5]]:3: error: custom op 'linalg.nothing' is unknown

// RUN: not ls %t/out

func.func @wrong() {
  linalg.nothing
}
