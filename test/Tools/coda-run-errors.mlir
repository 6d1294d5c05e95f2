// RUN: rm -rf %t && mkdir %t

// RUN: not coda-run %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}missing.mlir': No such file or directory

// RUN: not coda-run %s 2>&1 | FileCheck %s --check-prefix=CHOOSE
// CHOOSE: error: choose a function with --entry=NAME: 'copy', 'other'
// RUN: not coda-run %s --entry=nothing 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: there is no public function 'nothing', expected one of 'copy', 'other'

// Sizes.
// RUN: not coda-run %s --entry=copy 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: dimension 0 of argument 0 (tensor<?x4xf32>) is dynamic: give it with --size=0=V or through an --input
// RUN: not coda-run %s --entry=copy --size=1=2 2>&1 | FileCheck %s --check-prefix=NOSIZE
// NOSIZE: error: there is no dynamic size 1: the arguments of 'copy' have 1
// RUN: not coda-run %s --entry=copy --size=0=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: size 0 is -3, expected 0 or more
// RUN: not coda-run %s --entry=copy --size=0=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: 'many' in --size=0=many is not a number
// RUN: not coda-run %s --entry=copy --size=2 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: cannot read --size=2, expected --size=N=V

// Files.
// RUN: %python %S/Inputs/make-npy.py %t/f64.npy '<f8' 2x4 d=1
// RUN: not coda-run %s --entry=copy --input=0=%t/f64.npy --output=%t/out 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: argument 0: {{.*}}f64.npy: the array has type '<f8', expected '<f4' (f32)
// RUN: %python %S/Inputs/make-npy.py %t/shape.npy '<f4' 2x5 f=1
// RUN: not coda-run %s --entry=copy --input=0=%t/shape.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: argument 0: {{.*}}shape.npy is a tensor<2x5xf32>, expected tensor<?x4xf32>
// RUN: %python %S/Inputs/make-npy.py %t/x.npy '<f4' 2x4 f=1
// RUN: not coda-run %s --entry=copy --input=0=%t/x.npy --size=0=3 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: error: sizes that must be equal differ: 2 from dimension 0 of argument 0, but 3 from --size=0
// RUN: not coda-run %s --entry=copy --input=1=%t/x.npy 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: there is no argument 1: 'copy' has 1
// RUN: not coda-run %s --entry=copy --input=0=%s 2>&1 | FileCheck %s --check-prefix=NOTNPY
// NOTNPY: error: argument 0: {{.*}}: not a .npy file
// RUN: %python %S/Inputs/make-npy.py %t/fortran.npy '<f4' 2x4 f=1 fortran
// RUN: not coda-run %s --entry=copy --input=0=%t/fortran.npy 2>&1 | FileCheck %s --check-prefix=FORTRAN
// FORTRAN: error: argument 0: {{.*}}: Fortran order is not supported
// RUN: %python %S/Inputs/make-npy.py %t/big.npy '>f4' 2x4 f=1
// RUN: not coda-run %s --entry=copy --input=0=%t/big.npy 2>&1 | FileCheck %s --check-prefix=ENDIAN
// ENDIAN: error: argument 0: {{.*}}: the array has type '>f4', expected '<f4'
// RUN: %python %S/Inputs/make-npy.py %t/short.npy '<f4' 2x4 f=1 short
// RUN: not coda-run %s --entry=copy --input=0=%t/short.npy 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: argument 0: {{.*}}: the file has 16 bytes of data, its shape needs 32

// Outputs: a file where the folder should be.
// RUN: not coda-run %s --no-rewrite --entry=copy --size=0=2 --output=%t/x.npy/out 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: cannot make folder '{{.*}}x.npy/out':

// Nothing was left behind.
// RUN: not ls %t/out

func.func @copy(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
