//===- Npy.cpp - NumPy array files -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/Npy.h"
#include "coda/Tools/AtomicFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::coda;

static constexpr StringRef magic("\x93NUMPY", 6);

static llvm::Error makeError(StringRef path, const llvm::Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

/// How NumPy spells an element type. bf16 and the f8 types are raw bytes.
static StringRef getDescr(ElementKind element) {
  switch (element) {
  case ElementKind::I1:
    return "|b1";
  case ElementKind::I8:
    return "|i1";
  case ElementKind::I16:
    return "<i2";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I64:
  case ElementKind::Index:
    return "<i8";
  case ElementKind::BF16:
    return "<V2";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::F32:
    return "<f4";
  case ElementKind::F64:
    return "<f8";
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
    return "|V1";
  }
  llvm_unreachable("unknown element kind");
}

/// The byte order character says nothing about single bytes, and NumPy versions
/// differ about raw ones.
static bool isSameDescr(StringRef found, StringRef expected) {
  return found.size() == expected.size() &&
         found.drop_front() == expected.drop_front() && !found.starts_with(">");
}

static bool isDescrOf(StringRef descr, ElementKind element, bool bf16AsUint16) {
  if (isSameDescr(descr, getDescr(element)))
    return true;
  switch (element) {
  case ElementKind::BF16:
    return descr == "bfloat16" || (bf16AsUint16 && descr == "<u2");
  case ElementKind::F8E4M3FN:
    return descr == "float8_e4m3fn";
  case ElementKind::F8E5M2:
    return descr == "float8_e5m2";
  case ElementKind::I8:
    return isSameDescr(descr, "|u1");
  case ElementKind::I16:
    return isSameDescr(descr, "<u2");
  case ElementKind::I32:
    return isSameDescr(descr, "<u4");
  case ElementKind::I64:
    return isSameDescr(descr, "<u8");
  default:
    return false;
  }
}

namespace {

/// The header is a Python literal: a dict with three known keys.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  bool parse(Header &header) {
    if (!take("{"))
      return false;
    unsigned seen = 0;
    while (!take("}")) {
      std::string key;
      if (!parseString(key) || !take(":") || !parseEntry(key, header))
        return false;
      ++seen;
      take(",");
    }
    return seen == 3;
  }

private:
  bool parseEntry(StringRef key, Header &header) {
    if (key == "descr")
      return parseString(header.descr);
    if (key == "fortran_order")
      return parseBool(header.fortranOrder);
    return key == "shape" && parseShape(header.shape);
  }

  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool parseString(std::string &text) {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return false;
    text = rest.substr(1, end - 1).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool parseBool(bool &value) {
    value = take("True");
    return value || take("False");
  }

  bool parseShape(llvm::SmallVector<int64_t> &shape) {
    if (!take("("))
      return false;
    while (!take(")")) {
      int64_t size;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      shape.push_back(size);
      take(",");
    }
    return true;
  }

  StringRef rest;
};

} // namespace

/// Splits a file into header text and data.
static llvm::Error splitFile(StringRef path, StringRef file, StringRef &header,
                             StringRef &data) {
  if (!file.starts_with(magic) || file.size() < 10)
    return makeError(path, "not a .npy file");
  unsigned version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3)
    return makeError(path, ".npy format " + llvm::Twine(version) +
                               " is unknown, expected 1, 2 or 3");
  size_t prefix = version == 1 ? 10 : 12;
  if (file.size() < prefix)
    return makeError(path, "the header is cut off");
  size_t length = version == 1
                      ? llvm::support::endian::read16le(file.data() + 8)
                      : llvm::support::endian::read32le(file.data() + 8);
  if (file.size() - prefix < length)
    return makeError(path, "the header is cut off");
  header = file.substr(prefix, length);
  data = file.drop_front(prefix + length);
  return llvm::Error::success();
}

static llvm::Error checkHeader(StringRef path, const Header &header,
                               ElementKind element, bool bf16AsUint16) {
  if (header.fortranOrder)
    return makeError(path, "Fortran order is not supported, save the array "
                           "with numpy.ascontiguousarray");
  if (isDescrOf(header.descr, element, bf16AsUint16))
    return llvm::Error::success();
  std::string hint;
  if (element == ElementKind::BF16 && header.descr == "<u2")
    hint = "; write bf16: before the file name to take uint16 as bf16";
  return makeError(path, "the array has type '" + header.descr +
                             "', expected '" + getDescr(element) + "' (" +
                             getElementName(element) + ")" + hint);
}

llvm::Expected<HostTensor>
mlir::coda::readNpy(StringRef path, ElementKind element, bool bf16AsUint16) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path, buffer.getError().message());
  StringRef text, data;
  if (llvm::Error error = splitFile(path, (*buffer)->getBuffer(), text, data))
    return std::move(error);
  Header header;
  if (!HeaderParser(text).parse(header))
    return makeError(path,
                     "cannot read the .npy header '" + text.rtrim() + "'");
  if (llvm::Error error = checkHeader(path, header, element, bf16AsUint16))
    return std::move(error);

  // Compare before anything is allocated: the header may promise anything.
  uint64_t bytes = getElementSize(element);
  bool overflowed = false;
  for (int64_t size : header.shape) {
    bool here = false;
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size, &here);
    overflowed |= here;
  }
  if (overflowed || bytes != data.size())
    return makeError(path, "the file has " + llvm::Twine(data.size()) +
                               " bytes of data, its shape needs " +
                               llvm::Twine(bytes));
  llvm::Expected<HostTensor> tensor =
      HostTensor::allocate(element, header.shape);
  if (tensor && bytes != 0)
    std::memcpy(tensor->getData(), data.data(), bytes);
  return tensor;
}

/// Format 1: magic, version, length of the header, header, data. The data
/// starts at a multiple of 64 bytes; the header ends in a newline.
static std::string getFilePrefix(const HostTensor &tensor) {
  std::string header;
  llvm::raw_string_ostream os(header);
  os << "{'descr': '" << getDescr(tensor.getElement())
     << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.getShape())
    os << size << ",";
  os << "), }";
  constexpr size_t fixed = 10;
  header.append(llvm::alignTo(fixed + header.size() + 1, 64) - fixed -
                    header.size() - 1,
                ' ');
  header.push_back('\n');
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  return magic.str() + std::string("\x01\x00", 2) +
         std::string(length, sizeof(length)) + header;
}

llvm::Error mlir::coda::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string prefix = getFilePrefix(tensor);
  size_t bytes = tensor.getNumElements() * getElementSize(tensor.getElement());
  return writeFileAtomically(path, [&](llvm::raw_ostream &file) {
    file << prefix;
    file.write(static_cast<const char *>(tensor.getData()), bytes);
  });
}
