//===- Program.h - One input file on its way through coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What coda-compile, coda-run and the C API share: parse a program once, take
// it to any stage, collect the report on the way.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TOOLS_PROGRAM_H
#define CODA_TOOLS_PROGRAM_H

#include "coda/Report/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>

namespace mlir {
class SourceMgrDiagnosticHandler;
} // namespace mlir

namespace mlir::coda {

/// Where a program can be looked at. Every stage but PTX is MLIR.
enum class Stage {
  Coda,   // after coda-rewrite
  Linalg, // after convert-coda-to-linalg
  NVVM,   // host code and gpu.modules, before PTX
  LLVM,   // the LLVM dialect of the CPU path
  PTX,
};

std::optional<Stage> parseStage(StringRef name);

struct CompileOptions {
  std::string numerics = "algebraic";
  std::string target = "sm_90a";
  /// Whether to run coda-rewrite; without it the program is lowered as it is.
  bool rewrite = true;
};

/// Checks names that a user gave; an error message, or empty.
std::string checkOptions(const CompileOptions &options);

class Program {
public:
  /// Parses a file (`-` is the standard input) or a text. Diagnostics go to
  /// `diagnostics`, which must outlive the program; null on failure.
  static std::unique_ptr<Program> parseFile(StringRef path,
                                            llvm::raw_ostream &diagnostics);
  static std::unique_ptr<Program> parseText(StringRef text, StringRef name,
                                            llvm::raw_ostream &diagnostics);
  ~Program();

  MLIRContext &getContext() { return *context; }
  ModuleOp getSource() { return *source; }
  StringRef getName() const { return name; }

  /// A copy of the program at a stage; null after a diagnostic. For PTX, host
  /// code with the PTX as a constant.
  OwningOpRef<ModuleOp> lower(Stage stage, const CompileOptions &options,
                              ReportBuilder *report = nullptr);

  /// The text of a stage, PTX included.
  FailureOr<std::string> emit(Stage stage, const CompileOptions &options,
                              ReportBuilder *report = nullptr);

  /// Runs a pipeline that is given as text on a module.
  LogicalResult runPipeline(ModuleOp module, StringRef pipeline);

private:
  Program(std::string name, llvm::raw_ostream &diagnostics);
  bool parse(std::unique_ptr<llvm::MemoryBuffer> buffer);

  std::string name;
  llvm::SourceMgr sourceMgr;
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<SourceMgrDiagnosticHandler> diagnosticHandler;
  llvm::raw_ostream &diagnostics;
  OwningOpRef<ModuleOp> source;
};

} // namespace mlir::coda

#endif // CODA_TOOLS_PROGRAM_H
