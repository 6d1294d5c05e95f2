//===- PassCount.cpp - Memory-bound passes of a function -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coda/Report/PassCount.h"
#include "coda/IR/Coda.h"
#include "coda/Report/RowDims.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::coda;

// What a dynamic size counts as when tensors are compared by size. Any number
// well above 1 does: it only has to tell a row of features from a scalar.
static constexpr int64_t assumedSize = 1024;

unsigned PassCount::count(OpClass opClass) const {
  return llvm::count_if(
      ops, [&](const CountedOp &op) { return op.opClass == opClass; });
}

SymbolicSize PassCount::getBytes() const {
  SymbolicSize sum;
  for (const CountedOp &op : ops)
    sum += op.bytes;
  return sum;
}

SymbolicSize PassCount::getActivationBytes() const {
  SymbolicSize sum;
  for (const CountedOp &op : ops)
    sum += op.activationBytes;
  return sum;
}

namespace {

/// Where a value comes from. In an op that reads several, the first wins.
enum class Origin { Activation, Table, Weight, Constant };

class Classifier {
public:
  explicit Classifier(FunctionOpInterface function);
  PassCount run();

private:
  void measureProducts();
  double countElements(Value value);
  bool isActivation(Value value);
  Origin getArgumentOrigin(Value argument);
  Origin getOrigin(Value value);
  Origin getOriginOfOp(Operation *op, ArrayRef<Value> tensors);
  OpClass classify(Operation *op, Origin origin, ArrayRef<Value> tensors);
  void addBytes(CountedOp &op, Value tensor);
  void addTraffic(CountedOp &op, ArrayRef<Value> read);

  FunctionOpInterface function;
  DimClasses classes;
  std::vector<ProductDims> products;
  std::optional<RowDims> rows;
  double smallestProduct = 0, largestProduct = 0;
  double rowElements = 0;
  llvm::DenseMap<Value, Origin> origins;
};

} // namespace

static bool isShaped(Value value) { return isa<ShapedType>(value.getType()); }

/// A fill as its own op, or generalised.
static bool isFill(Operation *op) {
  if (isa_and_nonnull<linalg::FillOp>(op))
    return true;
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && linalg::isaFillOpInterface(generic);
}

/// Initialisers, views and queries: no launch of their own.
static bool isUncounted(Operation *op) {
  return isFill(op) ||
         isa<tensor::EmptyOp, tensor::SplatOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp,
             tensor::DimOp, tensor::ExtractOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         op->hasTrait<OpTrait::IsTerminator>();
}

static bool isOnTensors(Operation *op) {
  if (isa<linalg::LinalgOp, EpilogueOpInterface>(op))
    return true;
  if (!isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(
          op->getDialect()) &&
      !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return llvm::any_of(op->getResults(), isShaped);
}

/// Tensors that a region reads with tensor.extract instead of as operands.
static void appendCaptured(Operation *op, SmallVectorImpl<Value> &tensors) {
  for (Region &region : op->getRegions())
    region.walk([&](tensor::ExtractOp extract) {
      if (!region.isAncestor(extract.getTensor().getParentRegion()))
        tensors.push_back(extract.getTensor());
    });
}

/// Tensors whose elements the op reads. A destination that is only written
/// is not among them.
static SmallVector<Value> getReadTensors(Operation *op) {
  SmallVector<Value> tensors;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  auto epilogue = dyn_cast<EpilogueOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isShaped(operand.get()))
      continue;
    if (structured && structured.isDpsInit(&operand) &&
        (!structured.payloadUsesValueFromOperand(&operand) ||
         isFill(operand.get().getDefiningOp())))
      continue;
    if (epilogue && epilogue.isDpsInit(&operand) &&
        !epilogue.isUpdate(operand.getOperandNumber() -
                           epilogue.getOutOperand(0).getOperandNumber()))
      continue;
    tensors.push_back(operand.get());
  }
  appendCaptured(op, tensors);
  return tensors;
}

/// Whether products use the results of an op as right-hand sides and nothing
/// else uses them: a weight in another layout, even when repeated for a batch.
static bool isOnlyRightHandSide(Operation *op) {
  SmallVector<Operation *> views = {op};
  bool used = false;
  while (!views.empty()) {
    for (OpOperand &use : views.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      if (isUncounted(user) && user->getNumResults() == 1)
        views.push_back(user);
      else if (auto product = dyn_cast<linalg::LinalgOp>(user);
               product && use.getOperandNumber() == 1 &&
               linalg::isaContractionOpInterface(product))
        used = true;
      else
        return false;
    }
  }
  return used;
}

Classifier::Classifier(FunctionOpInterface function)
    : function(function), classes(function) {
  function.getFunctionBody().walk([&](Operation *op) {
    if (std::optional<ProductDims> dims = getProductDims(op, classes))
      products.push_back(std::move(*dims));
  });
  // Without rows (a matrix-vector product) size alone has to decide.
  bool haveRows = llvm::any_of(products, [](const ProductDims &dims) {
    return !dims.rows.empty() || !dims.batches.empty();
  });
  if (haveRows)
    rows.emplace(products, classes);

  if (!products.empty())
    measureProducts();
  else
    function.getFunctionBody().walk([&](Operation *op) {
      for (Value result : op->getResults())
        smallestProduct = std::max(smallestProduct, countElements(result));
    });
}

double Classifier::countElements(Value value) {
  return classes.getNumElements(value).evaluate(assumedSize);
}

void Classifier::measureProducts() {
  smallestProduct = std::numeric_limits<double>::max();
  for (const ProductDims &dims : products) {
    double productRows = 1;
    for (unsigned row : llvm::concat<const unsigned>(dims.batches, dims.rows))
      if (rows && rows->isRow(row))
        productRows *= classes.getSize(row).evaluate(assumedSize);
    rowElements = std::max(rowElements, productRows);
    SmallVector<Value> values(dims.op->getResults());
    values.push_back(dims.op->getOperand(0));
    for (Value value : values) {
      if (rows && !rows->hasRow(value, classes))
        continue;
      smallestProduct = std::min(smallestProduct, countElements(value));
      largestProduct = std::max(largestProduct, countElements(value));
    }
  }
}

bool Classifier::isActivation(Value value) {
  if (!isShaped(value) || (rows && !rows->hasRow(value, classes)))
    return false;
  double elements = countElements(value);
  return elements > rowElements && elements >= smallestProduct / 8;
}

Origin Classifier::getArgumentOrigin(Value argument) {
  if (!isShaped(argument) || (rows && !rows->hasRow(argument, classes)))
    return Origin::Weight;
  // Products without rows: a weight has more elements than any result.
  double elements = countElements(argument);
  if (!rows && !products.empty() && elements > largestProduct)
    return Origin::Weight;
  if (elements >= smallestProduct / 2)
    return Origin::Activation;
  return elements > 1 ? Origin::Table : Origin::Weight;
}

Origin Classifier::getOrigin(Value value) {
  auto found = origins.find(value);
  if (found != origins.end())
    return found->second;
  // An argument of the function, or a value of a nested loop.
  Origin origin =
      isa<BlockArgument>(value) ? getArgumentOrigin(value) : Origin::Constant;
  origins[value] = origin;
  return origin;
}

Origin Classifier::getOriginOfOp(Operation *op, ArrayRef<Value> tensors) {
  if (isFill(op) || isa<tensor::EmptyOp>(op))
    return Origin::Constant;
  if (getProductDims(op, classes))
    return Origin::Activation;
  Origin origin = Origin::Constant;
  for (Value tensor : tensors)
    origin = std::min(origin, getOrigin(tensor));
  // Rows looked up by position or index, as an embedding or a one-hot.
  if (origin == Origin::Table &&
      llvm::any_of(op->getResults(), [&](Value result) {
        return isActivation(result) &&
               countElements(result) >= smallestProduct / 2;
      }))
    return Origin::Activation;
  return origin;
}

OpClass Classifier::classify(Operation *op, Origin origin,
                             ArrayRef<Value> tensors) {
  if (getProductDims(op, classes))
    return OpClass::Product;
  SmallVector<Value> touched(tensors);
  llvm::append_range(touched, op->getResults());
  bool fromTables = origin == Origin::Table || origin == Origin::Constant;
  if (origin == Origin::Weight && isOnlyRightHandSide(op))
    return OpClass::Weight;
  if (!fromTables &&
      llvm::any_of(touched, [&](Value value) { return isActivation(value); }))
    return OpClass::Pass;
  bool haveRow = rows && llvm::any_of(touched, [&](Value value) {
                   return rows->hasRow(value, classes);
                 });
  if (fromTables)
    return rows && !haveRow ? OpClass::Weight : OpClass::Table;
  if (origin == Origin::Weight)
    return haveRow ? OpClass::PerRow : OpClass::Weight;
  bool large = llvm::any_of(touched, [&](Value value) {
    return countElements(value) >= smallestProduct / 8;
  });
  return large && rows && !haveRow ? OpClass::WeightGradient : OpClass::PerRow;
}

void Classifier::addBytes(CountedOp &op, Value tensor) {
  SymbolicSize bytes = classes.getNumBytes(tensor);
  op.bytes += bytes;
  if (!rows || rows->hasRow(tensor, classes))
    op.activationBytes += bytes;
}

void Classifier::addTraffic(CountedOp &counted, ArrayRef<Value> read) {
  llvm::SmallPtrSet<Value, 4> seen;
  for (Value tensor : read)
    if (seen.insert(tensor).second)
      addBytes(counted, tensor);
  for (Value result : counted.op->getResults())
    if (!result.use_empty())
      addBytes(counted, result);
  // On memrefs there are no results: the destinations are what is written.
  auto destination = dyn_cast<DestinationStyleOpInterface>(counted.op);
  if (destination && counted.op->getNumResults() == 0)
    for (Value init : destination.getDpsInits())
      addBytes(counted, init);
}

PassCount Classifier::run() {
  PassCount result;
  // Pre-order, without the bodies of structured ops.
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    SmallVector<Value> tensors = getReadTensors(op);
    Origin origin = getOriginOfOp(op, tensors);
    for (Value value : op->getResults())
      origins[value] = origin;
    bool counted = isOnTensors(op) && !isUncounted(op);
    if (counted) {
      result.ops.push_back({op, classify(op, origin, tensors), {}, {}});
      addTraffic(result.ops.back(), tensors);
    }
    return counted ? WalkResult::skip() : WalkResult::advance();
  });
  return result;
}

PassCount mlir::coda::countPasses(FunctionOpInterface function) {
  return Classifier(function).run();
}
