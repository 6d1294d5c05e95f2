//===- EmulateMain.cpp - The driver of coda-emulate -----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/EmulateMain.h"

#include "coda/Emulator/Device.h"
#include "coda/Tools/AtomicFile.h"
#include "coda/Tools/KernelArguments.h"
#include "coda/Tools/Npy.h"
#include "coda/Tools/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>
#include <cstring>

using namespace mlir::coda;
using namespace coda::emulator;
namespace cl = llvm::cl;
using llvm::StringRef;
using llvm::Twine;

namespace {

enum class Report { Text, JSON };

struct Options {
  cl::OptionCategory category{"coda-emulate options"};
  cl::opt<std::string> input{cl::Positional, cl::Required, cl::desc("K.ptx"),
                             cl::cat(category)};
  cl::opt<std::string> entry{"entry",
                             cl::desc("Kernel to run (default: the only one)"),
                             cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> grid{"grid", cl::desc("Blocks"), cl::init("1"),
                            cl::value_desc("X[,Y,Z]"), cl::cat(category)};
  cl::opt<std::string> block{"block", cl::desc("Threads of a block"),
                             cl::init("1"), cl::value_desc("X[,Y,Z]"),
                             cl::cat(category)};
  cl::opt<unsigned> shared{"shared", cl::desc("Bytes of dynamic shared memory"),
                           cl::init(0), cl::cat(category)};
  cl::list<std::string> buffers{
      "buffer", cl::desc("Memory of the GPU, from a file or not initialised"),
      cl::value_desc("NAME=TYPE:FILE.npy|NAME=TYPE[2x3]"), cl::cat(category)};
  cl::list<std::string> arguments{
      "arg",
      cl::desc("One for each parameter: a buffer, a number or a tensor map"),
      cl::value_desc("NAME[+BYTES]|u32:7|map:NAME,box=64x8"),
      cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::desc("File for a buffer after the launch"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of the schedules"), cl::init(0),
                         cl::cat(category)};
  cl::opt<unsigned> schedules{
      "schedules", cl::desc("Launches, each with another schedule"),
      cl::init(1), cl::value_desc("N"), cl::cat(category)};
  cl::opt<unsigned> firstSchedule{
      "first-schedule", cl::desc("Number of the first of them, to replay one"),
      cl::init(0), cl::value_desc("N"), cl::cat(category)};
  cl::opt<Schedule> schedule{
      "schedule",
      cl::desc("One kind for all launches, each with the next seed"),
      cl::values(
          clEnumValN(Schedule::RoundRobin, "round-robin", "warps take turns"),
          clEnumValN(Schedule::Random, "random", "everything at random"),
          clEnumValN(Schedule::LateCompletions, "late",
                     "asynchronous operations end as late as possible"),
          clEnumValN(Schedule::StarvedWarp, "starved",
                     "one warp runs only when no other can"),
          clEnumValN(Schedule::FavouredWarpgroup, "favoured",
                     "one warpgroup runs whenever it can")),
      cl::cat(category)};
  cl::opt<unsigned> multiprocessors{
      "multiprocessors", cl::desc("Multiprocessors of the emulated GPU"),
      cl::init(DeviceOptions().multiprocessors), cl::value_desc("N"),
      cl::cat(category)};
  cl::opt<bool> noChecks{"no-checks",
                         cl::desc("Find only what stops an execution"),
                         cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Print thread instructions and speed"),
                     cl::cat(category)};
  cl::opt<Report> report{
      "report", cl::desc("How findings are printed"), cl::init(Report::Text),
      cl::values(clEnumValN(Report::Text, "text", "for people (default)"),
                 clEnumValN(Report::JSON, "json", "an array of objects")),
      cl::cat(category)};
};

/// What a buffer held after a launch.
using Contents = std::map<std::string, std::vector<uint8_t>>;

class Invocation {
public:
  explicit Invocation(const Options &options) : options(options) {}
  /// The exit code.
  llvm::Expected<int> run();

private:
  llvm::Error parse();
  llvm::Error selectKernel();
  llvm::Error launch(unsigned schedule, Contents &contents);
  llvm::Error writeOutputs(const Contents &contents) const;
  void printFindings() const;

  const Options &options;
  std::unique_ptr<Module> module;
  const Kernel *kernel = nullptr;
  LaunchConfig config;
  KernelBuffers buffers;
  std::vector<Finding> findings;
};

} // namespace

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static llvm::Error parseDimensions(StringRef flag, StringRef text,
                                   uint32_t (&dimensions)[3]) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  bool failed = parts.size() > 3;
  for (size_t at = 0; !failed && at < parts.size(); ++at)
    failed = parts[at].getAsInteger(10, dimensions[at]);
  if (!failed)
    return llvm::Error::success();
  return llvm::createStringError("--" + flag + "=" + text +
                                 ", expected one to three numbers");
}

llvm::Error Invocation::selectKernel() {
  std::string known;
  for (const Kernel &candidate : module->kernels)
    known += (known.empty() ? "'" : ", '") + candidate.name.str() + "'";
  if (options.entry.empty() && module->kernels.size() == 1)
    kernel = &module->kernels.front();
  else if (!options.entry.empty())
    kernel = module->findKernel(options.entry);
  if (kernel)
    return llvm::Error::success();
  if (options.entry.empty())
    return llvm::createStringError(
        "choose a kernel with --entry" +
        (known.empty() ? Twine(": there is none") : ": " + Twine(known)));
  return llvm::createStringError("there is no kernel '" + options.entry +
                                 "', expected one of " + known);
}

llvm::Error Invocation::parse() {
  auto file =
      llvm::MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  if (!file)
    return llvm::createStringError("cannot read '" + options.input +
                                   "': " + file.getError().message());
  auto parsed = parseModule((*file)->getBuffer());
  if (!parsed)
    return llvm::createStringError(options.input + ": " +
                                   llvm::toString(parsed.takeError()));
  module = std::move(*parsed);
  if (llvm::Error error = selectKernel())
    return error;
  if (llvm::Error error = parseDimensions("grid", options.grid, config.grid))
    return error;
  if (llvm::Error error = parseDimensions("block", options.block, config.block))
    return error;
  config.dynamicSharedBytes = options.shared;
  if (options.multiprocessors == 0)
    return llvm::createStringError("--multiprocessors=0, expected at least 1");
  if (options.schedules == 0)
    return llvm::createStringError("--schedules=0, expected at least 1");
  for (const std::string &buffer : options.buffers)
    if (llvm::Error error = parseKernelBuffer(buffer, buffers))
      return error;
  for (StringRef output : options.outputs)
    if (!buffers.count(output.split('=').first.str()))
      return llvm::createStringError("--output=" + output +
                                     ", expected NAME=FILE.npy of a buffer");
  if (options.arguments.size() == kernel->parameters.size())
    return llvm::Error::success();
  return llvm::createStringError(
      Twine(options.arguments.size()) + " --arg, but '" + kernel->name +
      "' has " + Twine(kernel->parameters.size()) + " parameters");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Error Invocation::launch(unsigned schedule, Contents &contents) {
  DeviceOptions deviceOptions;
  deviceOptions.checks = !options.noChecks;
  deviceOptions.multiprocessors = options.multiprocessors;
  deviceOptions.setSchedule(options.seed, schedule);
  if (options.schedule.getNumOccurrences()) {
    deviceOptions.schedule = options.schedule;
    deviceOptions.seed = options.seed + schedule;
  }
  Device device(deviceOptions);
  std::map<std::string, uint64_t> addresses;
  for (const auto &[name, buffer] : buffers) {
    llvm::Expected<uint64_t> address = device.allocate(buffer.getNumBytes());
    if (!address)
      return address.takeError();
    addresses[name] = *address;
    if (buffer.contents)
      if (llvm::Error error = device.copyToDevice(
              *address, buffer.contents->getData(), buffer.getNumBytes()))
        return error;
  }
  std::vector<std::vector<uint8_t>> arguments;
  std::vector<const void *> pointers;
  for (auto [text, parameter] :
       llvm::zip_equal(options.arguments, kernel->parameters)) {
    auto bytes = parseKernelArgument(text, parameter, buffers, addresses);
    if (!bytes)
      return bytes.takeError();
    arguments.push_back(std::move(*bytes));
    pointers.push_back(arguments.back().data());
  }

  auto start = std::chrono::steady_clock::now();
  llvm::Expected<LaunchStatistics> statistics =
      device.launch(*module, *kernel, config, pointers);
  if (!statistics)
    return statistics.takeError();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (options.time)
    llvm::errs() << llvm::format(
        "%llu thread instructions in %.3f s, %.1f million a second\n",
        static_cast<unsigned long long>(statistics->threadInstructions),
        elapsed.count(),
        statistics->threadInstructions / elapsed.count() / 1e6);
  findings = device.getFindings().take();
  for (const auto &[name, buffer] : buffers) {
    std::vector<uint8_t> &bytes = contents[name];
    bytes.resize(buffer.getNumBytes());
    if (llvm::Error error =
            device.copyToHost(bytes.data(), addresses[name], bytes.size()))
      return error;
  }
  return llvm::Error::success();
}

static llvm::json::Object toJSON(const Finding &finding) {
  return llvm::json::Object{
      {"kind", stringifyFindingKind(finding.kind)},
      {"kernel", finding.kernel},
      {"line", finding.line},
      {"text", finding.text},
      {"block",
       llvm::json::Array{finding.block[0], finding.block[1], finding.block[2]}},
      {"thread", finding.thread},
      {"address", finding.address},
      {"seed", static_cast<int64_t>(finding.seed)},
      {"message", finding.message}};
}

void Invocation::printFindings() const {
  if (options.report == Report::JSON) {
    llvm::json::Array array;
    for (const Finding &finding : findings)
      array.push_back(toJSON(finding));
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(std::move(array)));
    return;
  }
  for (const Finding &finding : findings)
    llvm::outs() << finding.format() << '\n';
}

llvm::Error Invocation::writeOutputs(const Contents &contents) const {
  for (StringRef output : options.outputs) {
    auto [name, path] = output.split('=');
    const KernelBuffer &buffer = buffers.at(name.str());
    std::vector<uint8_t> bytes = contents.at(name.str());
    if (llvm::Error error =
            writeNpy(path, HostTensor::borrow(buffer.element, buffer.shape,
                                              bytes.data())))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<int> Invocation::run() {
  if (llvm::Error error = parse())
    return std::move(error);
  std::optional<Contents> first;
  for (unsigned number = 0; number < options.schedules; ++number) {
    unsigned schedule = options.firstSchedule + number;
    Contents contents;
    if (llvm::Error error = launch(schedule, contents))
      return std::move(error);
    if (!findings.empty()) {
      if (options.report == Report::Text)
        llvm::outs() << findings.size() << " faults with schedule " << schedule
                     << ":\n";
      printFindings();
      return 1;
    }
    if (!first)
      first = contents;
    for (const auto &[name, bytes] : contents)
      if (bytes != first->at(name))
        return llvm::createStringError(
            "buffer '" + name + "' differs between schedules " +
            Twine(options.firstSchedule) + " and " + Twine(schedule));
  }
  // An empty array where JSON was asked for.
  printFindings();
  if (llvm::Error error = writeOutputs(*first))
    return std::move(error);
  return 0;
}

int mlir::coda::emulateMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::SetVersionPrinter(printVersion);
  cl::ParseCommandLineOptions(argc, argv,
                              "coda-emulate: run a kernel in PTX on an "
                              "emulated GPU and look for faults\n");
  llvm::Expected<int> code = Invocation(options).run();
  if (code)
    return *code;
  llvm::errs() << "error: " << llvm::toString(code.takeError()) << '\n';
  return 1;
}
