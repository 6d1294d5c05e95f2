//===- Passes.td - Lowerings out of the coda dialect -*- tablegen -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CODA_CONVERSION_PASSES
#define CODA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// CodaToCPU
//===----------------------------------------------------------------------===//

def CPUCheckShapesPass : Pass<"coda-cpu-check-shapes"> {
  let summary = "Assert what the program takes for granted about its sizes";
  let description = [{
    Operands of one op agree on the sizes they share, slices and elements lie
    inside their tensors, and the parts of a reshaped dimension make up the
    whole. Only what is unknown until run time is checked, once for each op.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::index::IndexDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CPUExpandFloat8Pass : Pass<"coda-cpu-expand-float8"> {
  let summary = "Expand conversions of 8-bit floats into integer arithmetic";
  let description = [{
    LLVM has no type for f8E4M3FN and f8E5M2. Rounds to nearest even; what is too
    large becomes NaN in f8E4M3FN and infinity in f8E5M2.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CPUFuseElementwisePass : Pass<"coda-cpu-fuse-elementwise"> {
  let summary = "Fuse elementwise linalg ops where no work is repeated";
  let description = [{
    Upstream's elementwise fusion, except where the producer would run again for
    every column of a contraction or every point of a broadcast. Roundings stay,
    so results do not change.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CPUKeepRoundingsPass : Pass<"coda-cpu-keep-roundings"> {
  let summary = "Take fast-math flags off casts between floats";
  let description = [{
    Upstream emulates an op on bf16 by casts that carry `contract`, so that the
    canonicaliser may cancel a rounding between two ops. Here every op rounds.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CPULowerLoopsPass : Pass<"coda-cpu-lower-loops"> {
  let summary = "Lower linalg on buffers to loops for the host";
  let description = [{
    The outermost parallel loop that is worth it becomes `scf.parallel`, and the
    others `scf.for`. Contractions become register blocks of `vector.fma` along
    an axis that is contiguous in memory; the order of their sums changes, but
    never depends on timing.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "true",
           "Emit scf.parallel for loops with enough work">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CPUPreparePass : Pass<"coda-cpu-prepare", "::mlir::ModuleOp"> {
  let summary = "Bring a tensor program into the form the host pipeline expects";
  let description = [{
    Marks tensor arguments of functions as read-only, decomposes ops that do not
    bufferize or tile as they are, and lets contractions into a narrow type
    accumulate in f32 and round once.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CPUScheduleLoopsPass : Pass<"coda-cpu-schedule-loops"> {
  let summary = "Let threads take iterations of OpenMP loops as they come";
  let description = [{
    A fixed share for each thread waits for the slowest core, which other
    processes may be using. Iterations write disjoint parts of the results, so
    who runs which one changes nothing.
  }];
}

def CPUTilePass : Pass<"coda-cpu-tile"> {
  let summary = "Cut coda ops on tensors into tiles that run in parallel";
  let description = [{
    Every tile is a smaller coda op inside `scf.forall`, so that accumulators
    never exist as a whole. A result reduced over dims that are cut becomes a
    tensor of partials and a `coda.map` that combines them: sums are formed in
    another order, but always in the same.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::coda::CodaDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// CodaToLinalg
//===----------------------------------------------------------------------===//

def ConvertCodaToLinalgPass : Pass<"convert-coda-to-linalg"> {
  let summary = "Lower coda ops to linalg: the definition of the dialect";
  let description = [{
    For every right-hand side one contraction into a zero f32 tensor over
    batches, rows, columns and its members; for every `coda.group_reduce`, in
    order, one `linalg.generic` that reduces the slice of the region it needs;
    for every result one `linalg.generic` with the region cloned. `lse` first
    takes the maximum and `sqdev` the mean. A member is a constant in the map of
    an operand, and a parallel dim with a `select` on `linalg.index` in a result.

    Work is repeated for every result on purpose: this pass is the meaning of
    the ops, and every other path is tested against it.

    Ops on memrefs are read into tensors, computed, and copied to their
    destinations after all results are known.

    Results do not change numerically: f32 sums are taken in the order of the
    contract dims.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// CodaToNVGPU
//===----------------------------------------------------------------------===//

def ConvertCodaToNVGPUPass : Pass<"convert-coda-to-nvgpu", "::mlir::ModuleOp"> {
  let summary = "Lower coda ops on memrefs to Hopper kernels";
  let description = [{
    Every op becomes one kernel of a `gpu.module` and host code that launches
    it. A `coda.gemm` becomes a persistent, warp-specialised kernel: one thread
    feeds stages of shared memory with bulk tensor copies, two warpgroups
    multiply them with `wgmma` and run the region on the accumulators. The
    kernel's size, `#coda.schedule`, is read from the op or chosen.

    Any number of rows, columns and contracts that a tensor map can describe is
    served, static or dynamic. What is not is refused with an error before
    anything runs: operands that are not K-major bf16 or f16, rows that do not
    start at multiples of 16 bytes, reductions over anything but whole rows,
    functions without a PTX approximation.

    Results may differ from `convert-coda-to-linalg` by the order of f32 sums
    and by the error of PTX approximations (docs/numerics.md). They are the same
    from run to run.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "Target of the kernels">,
    Option<"features", "features", "std::string", "\"+ptx83\"",
           "PTX version of the kernels">,
    Option<"kernelsOnly", "kernels-only", "bool", "false",
           "Generate the kernels and leave the ops in place">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def NVGPUPreparePass : Pass<"coda-nvgpu-prepare", "::mlir::ModuleOp"> {
  let summary = "Mark tensor arguments of functions as read-only";
  let description = [{
    A caller may pass the same tensors again, so that bufferization must not
    write to them.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def NVGPUHostPass : Pass<"coda-nvgpu-host", "::mlir::ModuleOp"> {
  let summary = "Let host code allocate and copy in device memory";
  let description = [{
    Every buffer of the host functions lives on the device: allocations,
    deallocations and copies become calls of the runtime, and constants are
    uploaded when they are first used. An op that would read or write a buffer
    itself is an error, as are copies between buffers that are not contiguous.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def NVGPUFreePass : Pass<"coda-nvgpu-free", "::mlir::ModuleOp"> {
  let summary = "Free device memory in deallocations that were lowered";
  let description = [{
    After `coda-nvgpu-host` and the lowering of `bufferization.dealloc`: buffers
    that a `memref.alloc` gave are lists of the host, and all others are on the
    device.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // CODA_CONVERSION_PASSES
