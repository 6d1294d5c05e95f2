//===- RunInputs.cpp - Arguments of a function that is run -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Tools/RunInputs.h"
#include "coda/Report/RowDims.h"
#include "coda/Tools/DynamicSizes.h"
#include "coda/Tools/Npy.h"
#include "coda/Tools/RandomTensor.h"
#include "coda/Tools/TensorType.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::coda;

namespace {

/// Chooses distributions that keep the values of a program in range.
class DistributionChooser {
public:
  explicit DistributionChooser(FunctionOpInterface function)
      : function(function), classes(function) {
    function.getFunctionBody().walk([&](Operation *op) {
      if (std::optional<ProductDims> dims = getProductDims(op, classes))
        products.push_back(std::move(*dims));
    });
    rows.emplace(products, classes);
  }

  Distribution choose(unsigned argument, const HostTensor &tensor);

private:
  std::optional<double> getContractSize(Value value,
                                        const ProductDims &product);
  double getWeightDeviation(Value value, const HostTensor &tensor);
  int64_t getIntegerLimit();

  FunctionOpInterface function;
  DimClasses classes;
  std::vector<ProductDims> products;
  std::optional<RowDims> rows;
};

} // namespace

/// The size over which a product sums when it contracts dims of `value`.
std::optional<double>
DistributionChooser::getContractSize(Value value, const ProductDims &product) {
  auto type = cast<ShapedType>(value.getType());
  double size = 1;
  for (unsigned contract : product.contracts) {
    bool found = false;
    for (unsigned dim = 0; dim < type.getRank() && !found; ++dim)
      found = classes.getClass(value, dim) == classes.find(contract);
    if (!found)
      return std::nullopt;
    size *= classes.getSize(contract).evaluate(/*assumed=*/1024);
  }
  return size;
}

// A sum of K products of deviation 1/sqrt(K) and 1 has deviation 1 again, so
// that values neither vanish nor overflow on their way through layers.
double DistributionChooser::getWeightDeviation(Value value,
                                               const HostTensor &tensor) {
  for (const ProductDims &product : products)
    if (std::optional<double> size = getContractSize(value, product))
      return 1 / std::sqrt(std::max(*size, 1.0));
  return 1 / std::sqrt(std::max<double>(tensor.getShape().back(), 1));
}

// Integers may be indices into tables: they stay below every table's size.
int64_t DistributionChooser::getIntegerLimit() {
  int64_t limit = 8;
  bool found = false;
  function.getFunctionBody().walk([&](tensor::ExtractOp extract) {
    ShapedType type = extract.getTensor().getType();
    if (type.getRank() == 0 || type.isDynamicDim(0))
      return;
    limit = found ? std::min(limit, type.getDimSize(0)) : type.getDimSize(0);
    found = true;
  });
  return limit;
}

Distribution DistributionChooser::choose(unsigned argument,
                                         const HostTensor &tensor) {
  if (!isFloat(tensor.getElement()))
    return {0, 0, getIntegerLimit()};
  Value value = function.getArgument(argument);
  size_t rank = tensor.getShape().size();
  // A tensor of one element is an epsilon; a true scalar scales something.
  if (rank >= 1 && tensor.getNumElements() == 1)
    return {1e-5, 0, 0};
  if (rank <= 1)
    return {1, 0.1, 0};
  if (rows->hasRow(value, classes))
    return {0, 1, 0};
  return {0, getWeightDeviation(value, tensor), 0};
}

static llvm::Error describeArgument(unsigned argument, llvm::Error error) {
  return llvm::createStringError("argument " + llvm::Twine(argument) + ": " +
                                 llvm::toString(std::move(error)));
}

static llvm::Expected<HostTensor> readInput(const HostSignature &signature,
                                            unsigned argument,
                                            const InputFile &file) {
  const HostType &type = signature.arguments[argument];
  llvm::Expected<HostTensor> tensor =
      readNpy(file.path, type.element, file.bf16AsUint16);
  if (!tensor)
    return describeArgument(argument, tensor.takeError());
  ArrayRef<int64_t> shape = tensor->getShape();
  bool fits = shape.size() == type.shape.size();
  for (size_t dim = 0; fits && dim < shape.size(); ++dim)
    fits =
        ShapedType::isDynamic(type.shape[dim]) || type.shape[dim] == shape[dim];
  if (fits)
    return tensor;
  return llvm::createStringError(
      "argument " + llvm::Twine(argument) + ": " + file.path + " is a " +
      getTensorType(*tensor).str() + ", expected " + type.str());
}

llvm::Expected<SmallVector<HostTensor>>
mlir::coda::makeInputs(FunctionOpInterface function,
                       const HostSignature &signature,
                       const InputOptions &options) {
  size_t count = signature.arguments.size();
  DynamicSizes sizes(function, signature);
  for (auto [number, value] : options.sizes)
    if (llvm::Error error =
            sizes.set(number, value, "--size=" + llvm::Twine(number)))
      return std::move(error);

  SmallVector<HostTensor> inputs(count);
  for (const auto &[argument, file] : options.files) {
    if (argument >= count)
      return llvm::createStringError(
          "there is no argument " + llvm::Twine(argument) + ": '" +
          signature.name + "' has " + llvm::Twine(count));
    llvm::Expected<HostTensor> tensor = readInput(signature, argument, file);
    if (!tensor)
      return tensor.takeError();
    if (llvm::Error error = sizes.setFromArgument(argument, tensor->getShape()))
      return std::move(error);
    inputs[argument] = std::move(*tensor);
  }

  DistributionChooser chooser(function);
  for (unsigned argument = 0; argument < count; ++argument) {
    if (options.files.count(argument))
      continue;
    llvm::Expected<SmallVector<int64_t>> shape = sizes.getShape(argument);
    if (!shape)
      return shape.takeError();
    llvm::Expected<HostTensor> tensor =
        HostTensor::allocate(signature.arguments[argument].element, *shape);
    if (!tensor)
      return describeArgument(argument, tensor.takeError());
    fillRandom(*tensor, chooser.choose(argument, *tensor),
               options.seed * 1000003 + argument);
    inputs[argument] = std::move(*tensor);
  }
  return inputs;
}
