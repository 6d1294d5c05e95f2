//===- Program.cpp - One input file on its way through coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Program.h"
#include "coda/Registration/Registration.h"
#include "coda/Target/PTX.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::coda;

std::optional<Stage> mlir::coda::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("coda", Stage::Coda)
      .Case("linalg", Stage::Linalg)
      .Case("nvvm", Stage::NVVM)
      .Case("llvm", Stage::LLVM)
      .Case("ptx", Stage::PTX)
      .Default(std::nullopt);
}

std::string mlir::coda::checkOptions(const CompileOptions &options) {
  if (!llvm::is_contained({"bitwise", "algebraic", "relaxed"},
                          StringRef(options.numerics)))
    return "unknown numerics '" + options.numerics +
           "', expected bitwise, algebraic or relaxed";
  if (options.target != "sm_90a")
    return "unknown target '" + options.target + "', expected sm_90a";
  return {};
}

Program::Program(std::string name, llvm::raw_ostream &diagnostics)
    : name(std::move(name)), diagnostics(diagnostics) {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerCodaDialect(registry);
  // Compilations are short: starting threads takes longer than they save, and
  // without them remarks come in one order.
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // A user sees the line of the source; the op as a pass had it is noise.
  context->printOpOnDiagnostic(false);
  diagnosticHandler = std::make_unique<SourceMgrDiagnosticHandler>(
      sourceMgr, context.get(), diagnostics);
}

Program::~Program() = default;

bool Program::parse(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  source = parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(context.get()));
  return static_cast<bool>(source);
}

std::unique_ptr<Program> Program::parseFile(StringRef path,
                                            llvm::raw_ostream &diagnostics) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    diagnostics << "error: cannot read '" << path
                << "': " << buffer.getError().message() << '\n';
    return nullptr;
  }
  StringRef name = path == "-" ? "<stdin>" : path;
  std::unique_ptr<Program> program(new Program(name.str(), diagnostics));
  if (!program->parse(std::move(*buffer)))
    return nullptr;
  return program;
}

std::unique_ptr<Program> Program::parseText(StringRef text, StringRef name,
                                            llvm::raw_ostream &diagnostics) {
  std::unique_ptr<Program> program(new Program(name.str(), diagnostics));
  if (!program->parse(llvm::MemoryBuffer::getMemBufferCopy(text, name)))
    return nullptr;
  return program;
}

LogicalResult Program::runPipeline(ModuleOp module, StringRef pipeline) {
  static bool registered = (registerCodaPasses(), true);
  (void)registered;
  PassManager manager(context.get(), ModuleOp::getOperationName());
  if (failed(parsePassPipeline(pipeline, manager, diagnostics)))
    return failure();
  return manager.run(module);
}

static std::string getRewrite(const CompileOptions &options) {
  return "coda-rewrite{numerics=" + options.numerics + "}";
}

/// The pipeline from a rewritten program to a stage.
static StringRef getLowering(Stage stage) {
  switch (stage) {
  case Stage::Coda:
    return "";
  case Stage::Linalg:
    return "convert-coda-to-linalg";
  case Stage::LLVM:
    return "coda-to-cpu";
  case Stage::NVVM:
    return "coda-to-nvgpu{rewrite=false}";
  case Stage::PTX:
    return "coda-to-ptx{rewrite=false}";
  }
  llvm_unreachable("unknown stage");
}

OwningOpRef<ModuleOp> Program::lower(Stage stage, const CompileOptions &options,
                                     ReportBuilder *report) {
  OwningOpRef<ModuleOp> module = source->clone();
  if (options.rewrite && failed(runPipeline(*module, getRewrite(options))))
    return {};
  if (report)
    report->addRewritten(*module);
  StringRef lowering = getLowering(stage);
  if (!lowering.empty() && failed(runPipeline(*module, lowering)))
    return {};
  if (report)
    report->addKernels(*module);
  return module;
}

FailureOr<std::string> Program::emit(Stage stage, const CompileOptions &options,
                                     ReportBuilder *report) {
  // Kernels are MLIR no more once they are part of host code.
  Stage printed = stage == Stage::PTX ? Stage::NVVM : stage;
  OwningOpRef<ModuleOp> module = lower(printed, options, report);
  if (!module)
    return failure();
  if (stage == Stage::PTX) {
    PTXOptions ptx;
    ptx.chip = options.target;
    return compileToPTX(*module, ptx);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}
