//===- CompileMain.cpp - The driver of coda-compile -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/CompileMain.h"
#include "coda/Tools/AtomicFile.h"
#include "coda/Tools/Program.h"
#include "coda/Tools/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::coda;
namespace cl = llvm::cl;

namespace {

enum class ReportFormat { None, Text, JSON };

struct Options {
  cl::OptionCategory category{"coda-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::Required, cl::desc("IN.mlir"),
                             cl::cat(category)};
  cl::opt<std::string> output{
      "o", cl::desc("Where the result goes (default: standard output)"),
      cl::value_desc("OUT"), cl::init("-"), cl::cat(category)};
  cl::opt<Stage> emit{
      "emit", cl::desc("What to write"), cl::init(Stage::PTX),
      cl::values(clEnumValN(Stage::Coda, "coda", "the rewritten program"),
                 clEnumValN(Stage::Linalg, "linalg",
                            "the rewritten program, its coda ops as linalg"),
                 clEnumValN(Stage::NVVM, "nvvm",
                            "host code and GPU kernels as MLIR, before PTX"),
                 clEnumValN(Stage::LLVM, "llvm",
                            "the CPU program in the LLVM dialect of MLIR"),
                 clEnumValN(Stage::PTX, "ptx", "the kernels as PTX (default)")),
      cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("GPU to compile for"),
                              cl::init("sm_90a"), cl::cat(category)};
  cl::opt<std::string> numerics{
      "numerics",
      cl::desc("What the rewrite may change: bitwise, algebraic or relaxed"),
      cl::init("algebraic"), cl::cat(category)};
  cl::opt<ReportFormat> report{
      "report",
      cl::desc("Report on standard output, or on standard error when the "
               "result is there"),
      cl::init(ReportFormat::Text),
      cl::values(clEnumValN(ReportFormat::Text, "text", "for people (default)"),
                 clEnumValN(ReportFormat::JSON, "json", "for programs"),
                 clEnumValN(ReportFormat::None, "none", "no report")),
      cl::cat(category)};
};

} // namespace

static void print(const Report &report, ReportFormat format,
                  llvm::raw_ostream &os) {
  if (format == ReportFormat::Text)
    printReport(report, os);
  else if (format == ReportFormat::JSON)
    os << llvm::formatv("{0:2}", reportToJSON(report)) << '\n';
}

static int compile(const Options &options) {
  CompileOptions compileOptions;
  compileOptions.numerics = options.numerics;
  compileOptions.target = options.target;
  std::string mistake = checkOptions(compileOptions);
  if (!mistake.empty()) {
    llvm::errs() << "error: " << mistake << '\n';
    return 1;
  }
  auto program = Program::parseFile(options.input, llvm::errs());
  if (!program)
    return 1;

  ReportBuilder report(program->getSource(), program->getName(),
                       options.numerics);
  FailureOr<std::string> text =
      program->emit(options.emit, compileOptions, &report);
  if (failed(text))
    return 1;
  llvm::Error error = writeFileAtomically(
      options.output, [&](llvm::raw_ostream &os) { os << *text; });
  if (error) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  print(report.take(), options.report,
        options.output == "-" ? llvm::errs() : llvm::outs());
  return 0;
}

int mlir::coda::compileMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(
      argc, argv,
      "coda-compile: linear algebra to GPU kernels with fused epilogues\n");
  return compile(options);
}
