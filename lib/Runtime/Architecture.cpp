//===- Architecture.cpp - Does code fit the device? -----------------------===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Modules.h"

#include <cctype>

using namespace coda::runtime;

namespace {

/// "sm_90a": 90 and 'a'. No suffix runs on anything newer, 'a' on exactly this
/// architecture, 'f' on its family.
struct Target {
  int sm = 0;
  char suffix = 0;
};

} // namespace

/// Moves past blanks and comments, in front of the next token.
static std::string_view skipBlanks(std::string_view text) {
  while (!text.empty()) {
    size_t end = 1;
    if (text.substr(0, 2) == "//")
      end = text.find('\n');
    else if (text.substr(0, 2) == "/*")
      end = text.find("*/", 2) + 2;
    else if (!std::isspace(static_cast<unsigned char>(text.front())))
      break;
    // A comment that never ends takes the rest.
    text.remove_prefix(end < 1 || end > text.size() ? text.size() : end);
  }
  return text;
}

/// The target of PTX, or `sm` = 0 for anything else.
static Target parseTarget(std::string_view text) {
  Target target;
  text = skipBlanks(text);
  if (text.substr(0, 8) != ".version")
    return target;
  // Only the directive of the version comes before that of the target.
  size_t start = text.find(".target");
  if (start == std::string_view::npos)
    return target;
  text = skipBlanks(text.substr(start + 7));
  if (text.substr(0, 3) != "sm_")
    return target;
  text.remove_prefix(3);
  // Four digits are more than any architecture has.
  for (int digits = 0; digits != 4 && !text.empty() &&
                       std::isdigit(static_cast<unsigned char>(text.front()));
       ++digits, text.remove_prefix(1))
    target.sm = 10 * target.sm + (text.front() - '0');
  if (!text.empty() && (text.front() == 'a' || text.front() == 'f'))
    target.suffix = text.front();
  return target;
}

static bool canRun(int deviceSM, Target target) {
  switch (target.suffix) {
  case 'a':
    return deviceSM == target.sm;
  case 'f':
    return deviceSM / 10 == target.sm / 10 && deviceSM >= target.sm;
  default:
    return deviceSM >= target.sm;
  }
}

Status coda::runtime::checkArchitecture(const coda_rt_device_info &device,
                                        std::string_view image) {
  Target target = parseTarget(image);
  if (canRun(device.sm, target))
    return CODA_RT_SUCCESS;
  char suffix[2] = {target.suffix, 0};
  return fail(CODA_RT_WRONG_ARCHITECTURE, "needs sm_%d%s, found sm_%d (%s)",
              target.sm, suffix, device.sm, device.name);
}
