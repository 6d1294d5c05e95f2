//===- AssertGuard.cpp - Failed assertions of compiled code -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssertGuard.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/Orc/Shared/ExecutorAddress.h"
#include "llvm/ExecutionEngine/Orc/Shared/ExecutorSymbolDef.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace mlir;

namespace {
/// The call that is running on this thread. Assertions run on the thread of the
/// call: loops that contain one are not spread over the cores.
struct RunningCall {
  std::jmp_buf returnPoint;
  std::string message;
};
} // namespace

static thread_local RunningCall *running = nullptr;

/// In place of `puts`.
static int recordMessage(const char *message) {
  if (!running)
    return std::puts(message);
  running->message = message;
  return 0;
}

/// In place of `abort`. Between here and the call are only frames of compiled
/// code, which have nothing to destroy.
static void leaveCall() {
  if (!running)
    std::abort();
  std::longjmp(running->returnPoint, 1);
}

void mlir::coda::redirectAssertions(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    auto define = [&](StringRef name, auto *function) {
      symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported};
    };
    define("puts", &recordMessage);
    define("abort", &leaveCall);
    return symbols;
  });
}

llvm::Error mlir::coda::callGuarded(void (*function)(void **),
                                    void **arguments) {
  RunningCall call;
  RunningCall *outer = running;
  running = &call;
  bool failed = setjmp(call.returnPoint) != 0;
  if (!failed)
    function(arguments);
  running = outer;
  if (!failed)
    return llvm::Error::success();
  return llvm::createStringError("assertion failed: " + call.message);
}
