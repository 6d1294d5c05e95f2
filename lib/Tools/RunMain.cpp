//===- RunMain.cpp - The driver of coda-run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/RunMain.h"
#include "coda/Emulator/Driver.h"
#include "coda/Execution/F64Reference.h"
#include "coda/Runtime/Runtime.h"
#include "coda/Tools/Compare.h"
#include "coda/Tools/GPUDevice.h"
#include "coda/Tools/Npy.h"
#include "coda/Tools/RunInputs.h"
#include "coda/Tools/Runner.h"
#include "coda/Tools/TensorType.h"
#include "coda/Tools/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace mlir::coda;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"coda-run options"};
  cl::opt<std::string> input{cl::Positional, cl::Required, cl::desc("IN.mlir"),
                             cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to run (default: the only public one)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<Device> device{
      "device", cl::desc("Where to run"), cl::init(Device::CPU),
      cl::values(clEnumValN(Device::CPU, "cpu", "this machine (default)"),
                 clEnumValN(Device::CUDA, "cuda", "an NVIDIA GPU"),
                 clEnumValN(Device::Emulator, "emulator",
                            "an emulated GPU that looks for faults")),
      cl::cat(category)};
  cl::opt<unsigned> schedules{
      "schedules",
      cl::desc("Runs on the emulator, each with another schedule of its warps"),
      cl::value_desc("N"), cl::init(1), cl::cat(category)};
  cl::opt<unsigned> multiprocessors{
      "multiprocessors", cl::desc("Multiprocessors of the emulated GPU"),
      cl::value_desc("N"), cl::init(4), cl::cat(category)};
  cl::list<std::string> inputs{
      "input",
      cl::desc("Argument N from a .npy file; bf16: before the name takes "
               "uint16 as bf16"),
      cl::value_desc("N=[bf16:]FILE.npy"), cl::cat(category)};
  cl::list<std::string> sizes{
      "size",
      cl::desc("Value of the N-th '?' among the arguments, counted from 0"),
      cl::value_desc("N=V"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random arguments"),
                         cl::init(0), cl::cat(category)};
  cl::opt<std::string> output{"output",
                              cl::desc("Folder for the results as .npy files"),
                              cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> numerics{
      "numerics",
      cl::desc("What the rewrite may change: bitwise, algebraic or relaxed"),
      cl::init("algebraic"), cl::cat(category)};
  cl::opt<bool> noRewrite{"no-rewrite", cl::desc("Run the program as it is"),
                          cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc("Compare fused and unfused with f64; exit code 1 when the fused "
               "error exceeds twice the unfused one"),
      cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Print median and spread of run times"),
                     cl::cat(category)};
};

/// Everything that one invocation works with.
class Invocation {
public:
  explicit Invocation(const Options &options) : options(options) {}
  llvm::Error run();
  bool passedCheck() const { return passed; }

private:
  llvm::Error prepare();
  llvm::Error prepareEmulator();
  /// Runs again with other schedules; the results must stay the same.
  llvm::Error runOtherSchedules(const Runner &runner,
                                ArrayRef<NamedTensor> results);
  llvm::Expected<InputOptions> parseInputOptions() const;
  llvm::Expected<Runner> createRunner(bool rewrite, Device device);
  llvm::Error writeOutputs(ArrayRef<NamedTensor> results) const;
  llvm::Error printTiming(StringRef label, const Runner &runner) const;
  llvm::Error check(ArrayRef<NamedTensor> fused);

  const Options &options;
  CompileOptions compileOptions;
  std::unique_ptr<Program> program;
  ::coda::emulator::Device *emulated = nullptr;
  HostSignature function;
  SmallVector<HostTensor> inputs;
  bool passed = true;
};

} // namespace

/// Splits `N=REST`.
static llvm::Error parseNumbered(StringRef option, StringRef text,
                                 unsigned &number, StringRef &rest) {
  auto [left, right] = text.split('=');
  rest = right;
  if (!left.getAsInteger(10, number) && !right.empty())
    return llvm::Error::success();
  return llvm::createStringError("cannot read --" + option + "=" + text +
                                 ", expected --" + option +
                                 "=N=" + (option == "size" ? "V" : "FILE.npy"));
}

llvm::Expected<InputOptions> Invocation::parseInputOptions() const {
  InputOptions result;
  result.seed = options.seed;
  for (StringRef text : options.inputs) {
    unsigned number;
    StringRef path;
    if (llvm::Error error = parseNumbered("input", text, number, path))
      return std::move(error);
    bool isBF16 = path.consume_front("bf16:");
    if (!result.files.try_emplace(number, InputFile{path.str(), isBF16}).second)
      return llvm::createStringError("argument " + llvm::Twine(number) +
                                     " is given twice");
  }
  for (StringRef text : options.sizes) {
    unsigned number;
    StringRef value;
    if (llvm::Error error = parseNumbered("size", text, number, value))
      return std::move(error);
    int64_t size;
    if (value.getAsInteger(10, size))
      return llvm::createStringError("'" + value + "' in --size=" + text +
                                     " is not a number");
    if (!result.sizes.try_emplace(number, size).second)
      return llvm::createStringError("size " + llvm::Twine(number) +
                                     " is given twice");
  }
  return result;
}

/// A failure whose cause was already emitted as a diagnostic.
static llvm::Error makeReported() { return llvm::createStringError(""); }

static llvm::Expected<const HostSignature *>
findSignature(ArrayRef<HostSignature> signatures, StringRef entry) {
  if (entry.empty() && signatures.size() == 1)
    return &signatures.front();
  for (const HostSignature &signature : signatures)
    if (!entry.empty() && signature.name == entry)
      return &signature;
  std::string names =
      llvm::join(llvm::map_range(signatures,
                                 [](const HostSignature &signature) {
                                   return "'" + signature.name + "'";
                                 }),
                 ", ");
  if (signatures.empty())
    return llvm::createStringError("there is no public function to run");
  if (entry.empty())
    return llvm::createStringError("choose a function with --entry=NAME: " +
                                   names);
  return llvm::createStringError("there is no public function '" + entry +
                                 "', expected one of " + names);
}

llvm::Error Invocation::prepare() {
  compileOptions.numerics = options.numerics;
  std::string mistake = checkOptions(compileOptions);
  if (!mistake.empty())
    return llvm::createStringError(mistake);
  if (options.check && options.noRewrite)
    return llvm::createStringError("--check compares the rewritten program, "
                                   "which --no-rewrite leaves out");
  llvm::Expected<InputOptions> inputOptions = parseInputOptions();
  if (!inputOptions)
    return inputOptions.takeError();
  if (options.device == Device::CUDA)
    if (llvm::Error error = checkCudaDevice(compileOptions.target))
      return error;
  if (options.device == Device::Emulator)
    if (llvm::Error error = prepareEmulator())
      return error;

  program = Program::parseFile(options.input, llvm::errs());
  if (!program)
    return makeReported();
  llvm::Expected<SmallVector<HostSignature>> signatures =
      getSignatures(program->getSource());
  if (!signatures)
    return signatures.takeError();
  llvm::Expected<const HostSignature *> signature =
      findSignature(*signatures, options.entry);
  if (!signature)
    return signature.takeError();
  function = **signature;
  llvm::Expected<SmallVector<HostTensor>> made = makeInputs(
      program->getSource().lookupSymbol<FunctionOpInterface>(function.name),
      function, *inputOptions);
  if (!made)
    return made.takeError();
  inputs = std::move(*made);
  return llvm::Error::success();
}

llvm::Error Invocation::prepareEmulator() {
  if (options.multiprocessors == 0)
    return llvm::createStringError("--multiprocessors=0, expected at least 1");
  ::coda::emulator::DeviceOptions deviceOptions;
  deviceOptions.multiprocessors = options.multiprocessors;
  deviceOptions.setSchedule(options.seed, 0);
  emulated = &::coda::emulator::registerEmulatorDriver(deviceOptions);
  if (coda_rt_set_default_driver("emulator") != CODA_RT_SUCCESS)
    return llvm::createStringError(coda_rt_last_error());
  return llvm::Error::success();
}

static bool haveSameBits(const HostTensor &a, const HostTensor &b) {
  size_t bytes = a.getNumElements() * getElementSize(a.getElement());
  return a.getShape() == b.getShape() &&
         std::memcmp(a.getData(), b.getData(), bytes) == 0;
}

llvm::Error Invocation::runOtherSchedules(const Runner &runner,
                                          ArrayRef<NamedTensor> results) {
  for (unsigned number = 1; number < options.schedules; ++number) {
    emulated->getOptions().setSchedule(options.seed, number);
    llvm::Expected<SmallVector<NamedTensor>> others = runner.run(inputs);
    if (!others)
      return others.takeError();
    for (auto [result, other] : llvm::zip_equal(results, *others))
      if (!haveSameBits(result.tensor, other.tensor))
        return llvm::createStringError(
            result.name + " differs between schedules 0 and " +
            llvm::Twine(number) + " of seed " + llvm::Twine(options.seed));
  }
  return llvm::Error::success();
}

llvm::Expected<Runner> Invocation::createRunner(bool rewrite, Device device) {
  CompileOptions variant = compileOptions;
  variant.rewrite = rewrite;
  Stage stage = device == Device::CPU ? Stage::Coda : Stage::PTX;
  OwningOpRef<ModuleOp> module = program->lower(stage, variant);
  if (!module)
    return makeReported();
  return Runner::create(std::move(module), function, device);
}

static void printResult(const NamedTensor &result, llvm::raw_ostream &os) {
  const HostTensor &tensor = result.tensor;
  os << llvm::left_justify(result.name, 12) << ' '
     << llvm::left_justify(getTensorType(tensor).str(), 28);
  int64_t count = tensor.getNumElements();
  if (!isFloat(tensor.getElement()) || count == 0) {
    os << '\n';
    return;
  }
  double sum = 0, squares = 0, min = INFINITY, max = -INFINITY;
  int64_t notFinite = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = tensor.getFloat(i);
    notFinite += !std::isfinite(value);
    sum += value;
    squares += value * value;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  os << llvm::format("  mean %11.4e  rms %10.4e  min %11.4e  max %11.4e",
                     sum / count, std::sqrt(squares / count), min, max);
  if (notFinite)
    os << "  " << notFinite << " not finite";
  os << '\n';
}

llvm::Error Invocation::writeOutputs(ArrayRef<NamedTensor> results) const {
  if (options.output.empty())
    return llvm::Error::success();
  if (std::error_code code = llvm::sys::fs::create_directories(options.output))
    return llvm::createStringError("cannot make folder '" + options.output +
                                   "': " + code.message());
  for (const NamedTensor &result : results) {
    SmallString<128> path(options.output);
    llvm::sys::path::append(path, result.name + ".npy");
    HostTensor tensor = result.tensor;
    if (!tensor.isRowMajor()) {
      llvm::Expected<HostTensor> copy = tensor.copy();
      if (!copy)
        return copy.takeError();
      tensor = std::move(*copy);
    }
    if (llvm::Error error = writeNpy(path, tensor))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Invocation::printTiming(StringRef label,
                                    const Runner &runner) const {
  llvm::Expected<Timing> timing = runner.time(inputs);
  if (!timing)
    return timing.takeError();
  llvm::outs() << llvm::left_justify(label, 8)
               << llvm::format("median %.3f ms, %.3f to %.3f ms in %u runs\n",
                               timing->median * 1e3, timing->min * 1e3,
                               timing->max * 1e3, timing->runs);
  return llvm::Error::success();
}

llvm::Error Invocation::check(ArrayRef<NamedTensor> fused) {
  llvm::Expected<Runner> unfusedRunner =
      createRunner(/*rewrite=*/false, Device::CPU);
  if (!unfusedRunner)
    return unfusedRunner.takeError();
  llvm::Expected<SmallVector<NamedTensor>> unfused = unfusedRunner->run(inputs);
  if (!unfused)
    return unfused.takeError();

  FailureOr<OwningOpRef<ModuleOp>> module =
      buildF64Reference(program->getSource());
  if (failed(module))
    return makeReported();
  llvm::Expected<Runner> reference =
      Runner::create(std::move(*module), function);
  if (!reference)
    return reference.takeError();
  llvm::Expected<SmallVector<HostTensor>> wide = widenInputs(inputs);
  if (!wide)
    return wide.takeError();
  llvm::Expected<SmallVector<NamedTensor>> expected = reference->run(*wide);
  if (!expected)
    return expected.takeError();

  std::vector<ResultComparison> comparisons;
  for (auto [index, result] : llvm::enumerate(fused)) {
    comparisons.push_back(compareResult(result.name, result.tensor,
                                        (*unfused)[index].tensor,
                                        (*expected)[index].tensor));
    passed &= comparisons.back().passed;
  }
  printComparisons(comparisons, llvm::outs());
  if (options.time)
    return printTiming("unfused", *unfusedRunner);
  return llvm::Error::success();
}

llvm::Error Invocation::run() {
  if (llvm::Error error = prepare())
    return error;
  llvm::Expected<Runner> runner =
      createRunner(!options.noRewrite, options.device);
  if (!runner)
    return runner.takeError();
  llvm::Expected<SmallVector<NamedTensor>> results = runner->run(inputs);
  if (!results)
    return results.takeError();
  if (emulated)
    if (llvm::Error error = runOtherSchedules(*runner, *results))
      return error;
  for (const NamedTensor &result : *results)
    printResult(result, llvm::outs());
  if (llvm::Error error = writeOutputs(*results))
    return error;
  if (options.check)
    if (llvm::Error error = check(*results))
      return error;
  if (options.time)
    return printTiming(options.noRewrite ? "unfused" : "fused", *runner);
  return llvm::Error::success();
}

int mlir::coda::runMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(argc, argv,
                              "coda-run: compile and run a function\n");
  Invocation invocation(options);
  if (llvm::Error error = invocation.run()) {
    std::string message = llvm::toString(std::move(error));
    if (!message.empty())
      llvm::errs() << "error: " << message << '\n';
    return 1;
  }
  return invocation.passedCheck() ? 0 : 1;
}
