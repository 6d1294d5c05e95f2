//===- Coda.cpp - C interface of coda -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda-c/Coda.h"
#include "coda/Execution/CPUProgram.h"
#include "coda/Tools/Program.h"
#include "coda/Tools/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace mlir::coda;

struct CodaProgram {
  /// Guards everything but the finished CPU program: an MLIR context without
  /// threads of its own serves one caller at a time.
  std::mutex mutex;
  /// Where diagnostics of the program go until a call hands them out.
  std::string diagnostics;
  llvm::raw_string_ostream diagnosticStream{diagnostics};
  std::unique_ptr<Program> program;
  CompileOptions options;
  Report report;
  std::shared_ptr<CPUProgram> cpu;

  std::string takeDiagnostics() { return std::exchange(diagnostics, {}); }
};

struct CodaResults {
  SmallVector<HostTensor> tensors;
};

static char *copyString(StringRef text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

static CodaStatus fail(CodaStatus status, const llvm::Twine &message,
                       char **error) {
  if (error)
    *error = copyString(StringRef(message.str()).rtrim());
  return status;
}

static CodaStatus succeed(char **error) {
  if (error)
    *error = nullptr;
  return CODA_OK;
}

static CodaStatus giveText(StringRef text, char **out, char **error) {
  *out = copyString(text);
  return *out ? succeed(error) : fail(CODA_RUN_ERROR, "out of memory", error);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Options that a caller gave, as far as its version of the struct has them.
static CompileOptions readOptions(const CodaCompileOptions *options) {
  CompileOptions result;
  if (!options || options->size < sizeof(CodaCompileOptions))
    return result;
  if (options->numerics)
    result.numerics = options->numerics;
  if (options->target)
    result.target = options->target;
  result.rewrite = options->rewrite != 0;
  return result;
}

/// Runs the rewrite once, so that its errors and report belong to compiling.
static LogicalResult buildReport(CodaProgram &program) {
  ReportBuilder builder(program.program->getSource(),
                        program.program->getName(), program.options.numerics);
  if (!program.program->lower(Stage::Coda, program.options, &builder))
    return failure();
  program.report = builder.take();
  return success();
}

static CodaStatus
compile(llvm::function_ref<std::unique_ptr<Program>(llvm::raw_ostream &)> parse,
        const CodaCompileOptions *options, CodaProgram **out, char **error) {
  if (!out)
    return fail(CODA_INVALID_ARGUMENT, "program is null", error);
  auto program = std::make_unique<CodaProgram>();
  program->options = readOptions(options);
  std::string mistake = checkOptions(program->options);
  if (!mistake.empty())
    return fail(CODA_INVALID_ARGUMENT, mistake, error);
  program->program = parse(program->diagnosticStream);
  if (!program->program)
    return fail(CODA_PARSE_ERROR, program->takeDiagnostics(), error);
  if (failed(buildReport(*program)))
    return fail(CODA_COMPILE_ERROR, program->takeDiagnostics(), error);
  *out = program.release();
  return succeed(error);
}

extern "C" {

const char *codaGetVersion(void) { return getVersion(); }

void codaStringFree(char *string) { std::free(string); }

void codaCompileOptionsInit(CodaCompileOptions *options) {
  if (options)
    *options = {sizeof(CodaCompileOptions), "algebraic", "sm_90a", 1};
}

CodaStatus codaCompileText(const char *text, size_t length, const char *name,
                           const CodaCompileOptions *options,
                           CodaProgram **program, char **error) {
  if (!text)
    return fail(CODA_INVALID_ARGUMENT, "text is null", error);
  return compile(
      [&](llvm::raw_ostream &diagnostics) {
        return Program::parseText(StringRef(text, length),
                                  name ? name : "<text>", diagnostics);
      },
      options, program, error);
}

CodaStatus codaCompileFile(const char *path, const CodaCompileOptions *options,
                           CodaProgram **program, char **error) {
  if (!path)
    return fail(CODA_INVALID_ARGUMENT, "path is null", error);
  return compile(
      [&](llvm::raw_ostream &diagnostics) {
        return Program::parseFile(path, diagnostics);
      },
      options, program, error);
}

void codaProgramDestroy(CodaProgram *program) { delete program; }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

CodaStatus codaProgramGetIR(CodaProgram *program, const char *stage,
                            char **text, char **error) {
  if (!program || !stage || !text)
    return fail(CODA_INVALID_ARGUMENT, "program, stage or text is null", error);
  std::lock_guard<std::mutex> lock(program->mutex);
  if (StringRef(stage) == "source") {
    std::string source;
    llvm::raw_string_ostream os(source);
    program->program->getSource().print(os);
    return giveText(source, text, error);
  }
  std::optional<Stage> parsed = parseStage(stage);
  if (!parsed)
    return fail(CODA_INVALID_ARGUMENT,
                "unknown stage '" + llvm::Twine(stage) +
                    "', expected source, coda, linalg, nvvm, llvm or ptx",
                error);
  FailureOr<std::string> emitted =
      program->program->emit(*parsed, program->options);
  if (failed(emitted))
    return fail(CODA_COMPILE_ERROR, program->takeDiagnostics(), error);
  return giveText(*emitted, text, error);
}

CodaStatus codaProgramGetReport(CodaProgram *program, const char *format,
                                char **text, char **error) {
  if (!program || !format || !text)
    return fail(CODA_INVALID_ARGUMENT, "program, format or text is null",
                error);
  std::string report;
  llvm::raw_string_ostream os(report);
  if (StringRef(format) == "text")
    printReport(program->report, os);
  else if (StringRef(format) == "json")
    os << llvm::formatv("{0:2}", reportToJSON(program->report));
  else
    return fail(CODA_INVALID_ARGUMENT,
                "unknown format '" + llvm::Twine(format) +
                    "', expected text or json",
                error);
  return giveText(report, text, error);
}

} // extern "C"

static llvm::json::Value toJSON(const HostType &type) {
  llvm::json::Array shape;
  for (int64_t size : type.shape)
    shape.push_back(ShapedType::isDynamic(size) ? llvm::json::Value(nullptr)
                                                : llvm::json::Value(size));
  StringRef kind = type.isScalar   ? "scalar"
                   : type.isBuffer ? "memref"
                                   : "tensor";
  return llvm::json::Object{{"kind", kind},
                            {"dtype", getElementName(type.element)},
                            {"shape", std::move(shape)}};
}

static llvm::json::Value toJSON(ArrayRef<HostType> types) {
  llvm::json::Array array;
  for (const HostType &type : types)
    array.push_back(toJSON(type));
  return array;
}

extern "C" CodaStatus codaProgramGetSignatures(CodaProgram *program,
                                               char **json, char **error) {
  if (!program || !json)
    return fail(CODA_INVALID_ARGUMENT, "program or json is null", error);
  std::lock_guard<std::mutex> lock(program->mutex);
  llvm::Expected<SmallVector<HostSignature>> signatures =
      getSignatures(program->program->getSource());
  if (!signatures)
    return fail(CODA_COMPILE_ERROR, llvm::toString(signatures.takeError()),
                error);
  llvm::json::Array array;
  for (const HostSignature &signature : *signatures)
    array.push_back(
        llvm::json::Object{{"name", signature.name},
                           {"arguments", toJSON(signature.arguments)},
                           {"results", toJSON(signature.results)}});
  return giveText(
      llvm::formatv("{0}", llvm::json::Value(std::move(array))).str(), json,
      error);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static std::optional<ElementKind> parseElement(StringRef name) {
  for (ElementKind kind :
       {ElementKind::I1, ElementKind::I8, ElementKind::I16, ElementKind::I32,
        ElementKind::I64, ElementKind::Index, ElementKind::BF16,
        ElementKind::F16, ElementKind::F32, ElementKind::F64,
        ElementKind::F8E4M3FN, ElementKind::F8E5M2})
    if (getElementName(kind) == name)
      return kind;
  return std::nullopt;
}

/// The program for this machine, compiled by the first call that needs it.
static llvm::Expected<std::shared_ptr<CPUProgram>>
getCPUProgram(CodaProgram &program) {
  std::lock_guard<std::mutex> lock(program.mutex);
  if (program.cpu)
    return program.cpu;
  OwningOpRef<ModuleOp> module =
      program.program->lower(Stage::Coda, program.options);
  if (!module)
    return llvm::createStringError(program.takeDiagnostics());
  llvm::Expected<std::unique_ptr<CPUProgram>> compiled =
      CPUProgram::compile(std::move(module));
  if (!compiled)
    return llvm::joinErrors(llvm::createStringError(program.takeDiagnostics()),
                            compiled.takeError());
  program.cpu = std::move(*compiled);
  return program.cpu;
}

static llvm::Expected<SmallVector<HostTensor>>
borrowInputs(ArrayRef<CodaBuffer> buffers) {
  SmallVector<HostTensor> inputs;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    std::optional<ElementKind> element =
        buffer.dtype ? parseElement(buffer.dtype) : std::nullopt;
    if (!element)
      return llvm::createStringError("input " + llvm::Twine(index) +
                                     ": unknown dtype '" +
                                     (buffer.dtype ? buffer.dtype : "") + "'");
    if (buffer.rank < 0 || (buffer.rank > 0 && !buffer.shape))
      return llvm::createStringError("input " + llvm::Twine(index) +
                                     ": shape is missing");
    ArrayRef<int64_t> shape(buffer.shape, buffer.rank);
    ArrayRef<int64_t> strides(buffer.strides, buffer.strides ? buffer.rank : 0);
    if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
      return llvm::createStringError("input " + llvm::Twine(index) +
                                     ": a size is negative");
    inputs.push_back(HostTensor::borrow(*element, shape, buffer.data, strides));
    if (!buffer.data && inputs.back().getNumElements() != 0)
      return llvm::createStringError("input " + llvm::Twine(index) +
                                     ": data is null");
  }
  return inputs;
}

extern "C" {

CodaStatus codaProgramRun(CodaProgram *program, const char *entry,
                          const CodaBuffer *inputs, size_t numInputs,
                          CodaResults **results, char **error) {
  if (!program || !results || (numInputs > 0 && !inputs))
    return fail(CODA_INVALID_ARGUMENT, "program, inputs or results is null",
                error);
  llvm::Expected<SmallVector<HostTensor>> arguments =
      borrowInputs(ArrayRef<CodaBuffer>(inputs, numInputs));
  if (!arguments)
    return fail(CODA_INVALID_ARGUMENT, llvm::toString(arguments.takeError()),
                error);
  llvm::Expected<std::shared_ptr<CPUProgram>> cpu = getCPUProgram(*program);
  if (!cpu)
    return fail(CODA_COMPILE_ERROR, llvm::toString(cpu.takeError()), error);
  llvm::Expected<const HostSignature *> function =
      (*cpu)->find(entry ? entry : "");
  if (!function)
    return fail(CODA_INVALID_ARGUMENT, llvm::toString(function.takeError()),
                error);
  if (llvm::Error mismatch = checkArguments(**function, *arguments))
    return fail(CODA_INVALID_ARGUMENT, llvm::toString(std::move(mismatch)),
                error);
  llvm::Expected<SmallVector<HostTensor>> tensors =
      (*cpu)->run((*function)->name, *arguments);
  if (!tensors)
    return fail(CODA_RUN_ERROR, llvm::toString(tensors.takeError()), error);
  *results = new CodaResults{std::move(*tensors)};
  return succeed(error);
}

size_t codaResultsGetCount(const CodaResults *results) {
  return results ? results->tensors.size() : 0;
}

void codaResultsGet(const CodaResults *results, size_t index,
                    CodaBuffer *buffer) {
  const HostTensor &tensor = results->tensors[index];
  // Names of element types are literals, so they end in a zero.
  *buffer = {getElementName(tensor.getElement()).data(),
             static_cast<int64_t>(tensor.getShape().size()),
             tensor.getShape().data(), tensor.getStrides().data(),
             tensor.getData()};
}

void codaResultsDestroy(CodaResults *results) { delete results; }

} // extern "C"
