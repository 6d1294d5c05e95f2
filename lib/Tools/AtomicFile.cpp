//===- AtomicFile.cpp - Files that appear whole or not at all -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/AtomicFile.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::coda;
using llvm::StringRef;

static llvm::Error makeError(StringRef path, std::error_code code) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + code.message());
}

static llvm::Error
writeInPlace(StringRef path,
             llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return makeError(path, code);
  write(os);
  os.flush();
  if (!os.has_error())
    return llvm::Error::success();
  code = os.error();
  // The stream aborts the program when an error was not looked at.
  os.clear_error();
  return makeError(path, code);
}

llvm::Error mlir::coda::writeFileAtomically(
    StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::sys::fs::file_status status;
  bool exists =
      !llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status);
  if (exists && llvm::sys::fs::is_directory(status))
    return makeError(path, std::make_error_code(std::errc::is_a_directory));
  if (path == "-" || (exists && !llvm::sys::fs::is_regular_file(status)))
    return writeInPlace(path, write);

  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%",
                                      llvm::sys::fs::all_read |
                                          llvm::sys::fs::all_write);
  if (!file)
    return makeError(path, llvm::errorToErrorCode(file.takeError()));
  std::error_code code;
  {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    write(os);
    os.flush();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    code = llvm::errorToErrorCode(file->keep(path));
  else
    llvm::consumeError(file->discard());
  return code ? makeError(path, code) : llvm::Error::success();
}
