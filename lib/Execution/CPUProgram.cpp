//===- CPUProgram.cpp - Programs compiled for the host in process -*- C++
//-*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Execution/CPUProgram.h"

#include "coda/Conversion/Pipelines.h"
#include "coda/Registration/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include "AssertGuard.h"
#include "CallFrame.h"

using namespace mlir;
using namespace mlir::coda;

void mlir::coda::registerCPUExecution(DialectRegistry &registry) {
  registerUpstreamDialects(registry);
  registerCodaDialect(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}

// Known when the library is present where the project is built.
#ifndef CODA_OPENMP_LIBRARY
#define CODA_OPENMP_LIBRARY ""
#endif

/// Path of the OpenMP runtime library, empty if it cannot be loaded.
static StringRef findOpenMP() {
  static const StringRef path = [] {
    for (StringRef candidate :
         {CODA_OPENMP_LIBRARY, "libomp.so.5", "libomp.so"}) {
      std::string error;
      if (!candidate.empty() && llvm::sys::DynamicLibrary::getPermanentLibrary(
                                    candidate.data(), &error)
                                    .isValid())
        return candidate;
    }
    return StringRef();
  }();
  return path;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Erases functions that cannot be called, and private ones that nobody needs.
static void eraseUncallable(ModuleOp module,
                            ArrayRef<HostSignature> signatures) {
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> needed;
  for (const HostSignature &signature : signatures)
    if (signature.problem.empty())
      needed.push_back(symbols.lookup<func::FuncOp>(signature.name));
  llvm::SmallPtrSet<Operation *, 8> kept;
  while (!needed.empty()) {
    func::FuncOp function = needed.pop_back_val();
    if (!kept.insert(function).second)
      continue;
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        needed.push_back(callee);
    });
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!kept.contains(function))
      function.erase();
}

/// Lowers in place; the error repeats the first diagnostic.
static llvm::Error lower(ModuleOp module, const CPUProgramOptions &options,
                         bool parallel) {
  std::string message;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (message.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
        return failure(); // Others shall see it, too.
      });
  PassManager pm(module.getContext());
  if (options.lowering) {
    options.lowering(pm);
  } else {
    CodaToCPUOptions cpu;
    cpu.parallel = parallel;
    buildCodaToCPUPipeline(pm, cpu);
  }
  if (succeeded(pm.run(module)))
    return llvm::Error::success();
  return llvm::createStringError("cannot lower the program to the host: " +
                                 message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(unsigned optLevel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOpt::getLevel(optLevel).value_or(
      llvm::CodeGenOptLevel::Default));
  return builder->createTargetMachine();
}

/// LLVM's own pipeline, without unrolling: the loops that matter come in blocks
/// of registers already, and unrolling the others makes compiling a model three
/// times as long.
static void optimize(llvm::Module &module, unsigned optLevel,
                     llvm::TargetMachine &machine) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = tuning.SLPVectorization = optLevel > 1;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel level = levels[std::min(optLevel, 3u)];
  llvm::ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                    : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

/// Libraries that were loaded for good are found like the program's own
/// symbols.
static llvm::Expected<std::unique_ptr<ExecutionEngine>>
compileToNative(ModuleOp module, unsigned optLevel) {
  auto machine = createTargetMachine(optLevel);
  if (!machine)
    return machine.takeError();
  auto transformer = [&](llvm::Module *llvmModule) {
    optimize(*llvmModule, optLevel, **machine);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = transformer;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, options, std::move(*machine));
}

//===----------------------------------------------------------------------===//
// CPUProgram
//===----------------------------------------------------------------------===//

struct CPUProgram::Impl {
  SmallVector<HostSignature> functions;
  void (*release)(void *) = std::free;
  std::unique_ptr<ExecutionEngine> engine;
};

CPUProgram::CPUProgram(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
CPUProgram::~CPUProgram() = default;

llvm::Expected<std::unique_ptr<CPUProgram>>
CPUProgram::compile(OwningOpRef<ModuleOp> module,
                    const CPUProgramOptions &options) {
  DialectRegistry registry;
  registerCPUExecution(registry);
  module->getContext()->appendDialectRegistry(registry);

  auto signatures = getSignatures(*module);
  if (!signatures)
    return signatures.takeError();
  eraseUncallable(*module, *signatures);
  UnitAttr unit = UnitAttr::get(module->getContext());
  for (auto function : module->getOps<func::FuncOp>())
    if (!function.isPrivate() && !function.isExternal())
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), unit);

  StringRef openMP = options.parallel ? findOpenMP() : StringRef();
  if (llvm::Error error = lower(*module, options, !openMP.empty()))
    return error;
  auto engine = compileToNative(*module, options.optLevel);
  if (!engine)
    return engine.takeError();
  auto impl = std::make_unique<Impl>();
  impl->functions = std::move(*signatures);
  impl->release = options.release;
  impl->engine = std::move(*engine);
  redirectAssertions(*impl->engine);
  // Looking a function up compiles it, so that symbols which cannot be resolved
  // are found here and not in the first call.
  for (const HostSignature &function : impl->functions) {
    if (!function.problem.empty())
      continue;
    auto entry = impl->engine->lookupPacked("_mlir_ciface_" + function.name);
    if (!entry)
      return entry.takeError();
  }
  return std::unique_ptr<CPUProgram>(new CPUProgram(std::move(impl)));
}

ArrayRef<HostSignature> CPUProgram::getFunctions() const {
  return impl->functions;
}

llvm::Expected<const HostSignature *> CPUProgram::find(StringRef entry) const {
  std::string names;
  for (const HostSignature &function : impl->functions) {
    if (function.name == entry ||
        (entry.empty() && impl->functions.size() == 1)) {
      if (function.problem.empty())
        return &function;
      return llvm::createStringError("function '" + function.name +
                                     "': " + function.problem);
    }
    names += (names.empty() ? "'" : ", '") + function.name + "'";
  }
  if (names.empty())
    return llvm::createStringError("the module has no public function");
  if (entry.empty())
    return llvm::createStringError("more than one function, choose one of " +
                                   names);
  return llvm::createStringError("no public function '" + entry.str() +
                                 "', found " + names);
}

llvm::Expected<SmallVector<HostTensor>>
CPUProgram::run(StringRef entry, ArrayRef<HostTensor> arguments) const {
  auto function = find(entry);
  if (!function)
    return function.takeError();
  if (llvm::Error error = checkArguments(**function, arguments))
    return error;
  auto address =
      impl->engine->lookupPacked("_mlir_ciface_" + (*function)->name);
  if (!address)
    return address.takeError();
  CallFrame frame(**function, impl->release);
  if (llvm::Error error = frame.setArguments(arguments))
    return error;
  if (llvm::Error error = callGuarded(*address, frame.getPackedArguments()))
    return error;
  return frame.takeResults();
}
