//===- Error.cpp - Statuses, texts and the handler of failures ------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace coda::runtime;

namespace {

struct Handler {
  coda_rt_error_handler function = nullptr;
  void *user = nullptr;
};

std::mutex handlerMutex;
Handler handler;

/// A plain pointer, as a failure may still be explained when the destructors of
/// thread-local objects have run: from destructors of static objects.
thread_local std::string *lastErrorText = nullptr;

struct LastErrorOwner {
  ~LastErrorOwner() {
    delete lastErrorText;
    lastErrorText = nullptr;
  }
};

std::string &lastError() {
  if (!lastErrorText) {
    thread_local LastErrorOwner owner;
    (void)owner;
    lastErrorText = new std::string;
  }
  return *lastErrorText;
}

std::string formatText(const char *format, va_list args) {
  va_list measured;
  va_copy(measured, args);
  int length = std::vsnprintf(nullptr, 0, format, measured);
  va_end(measured);
  if (length < 0)
    return format;
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, args);
  text.pop_back();
  return text;
}

void printAndExit(const char *message) {
  // Destructors that run during exit() may fail again; they find the program
  // on its way out and let it go.
  static std::atomic<bool> exiting{false};
  if (exiting.exchange(true))
    return;
  std::fprintf(stderr, "coda runtime: %s\n", message);
  std::exit(1);
}

} // namespace

Status coda::runtime::fail(Status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = formatText(format, args);
  va_end(args);
  lastError() = std::move(text);
  return status;
}

Status coda::runtime::addContext(Status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = formatText(format, args);
  va_end(args);
  lastError().insert(0, text + ": ");
  return status;
}

bool coda::runtime::succeededOrReport(Status status, const char *function) {
  if (status == CODA_RT_SUCCESS)
    return true;
  addContext(status, "%s: %s", function, coda_rt_status_name(status));
  Handler current;
  {
    std::lock_guard<std::mutex> lock(handlerMutex);
    current = handler;
  }
  // The handler may call the runtime, whose failures would change the text.
  std::string message = lastError();
  if (current.function)
    current.function(status, message.c_str(), current.user);
  else
    printAndExit(message.c_str());
  return false;
}

const char *coda_rt_status_name(coda_rt_status status) {
  switch (status) {
  case CODA_RT_SUCCESS:
    return "success";
  case CODA_RT_MISSING_DRIVER:
    return "missing driver";
  case CODA_RT_NO_DEVICE:
    return "no device";
  case CODA_RT_WRONG_ARCHITECTURE:
    return "wrong architecture";
  case CODA_RT_OUT_OF_MEMORY:
    return "out of memory";
  case CODA_RT_MISALIGNED:
    return "misaligned";
  case CODA_RT_INVALID_ARGUMENT:
    return "invalid argument";
  case CODA_RT_MODULE_LOAD:
    return "module not loaded";
  case CODA_RT_LAUNCH_FAILURE:
    return "launch failure";
  case CODA_RT_DRIVER_ERROR:
    return "driver error";
  }
  return "unknown status";
}

const char *coda_rt_last_error(void) {
  return lastErrorText ? lastErrorText->c_str() : "";
}

void coda_rt_set_error_handler(coda_rt_error_handler function, void *user) {
  std::lock_guard<std::mutex> lock(handlerMutex);
  handler = {function, user};
}
