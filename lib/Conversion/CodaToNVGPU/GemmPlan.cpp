//===- GemmPlan.cpp - Every decision about a gemm kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmPlan.h"

#include "FragmentLayout.h"
#include "MathLowering.h"
#include "RegionEmitter.h"

using namespace mlir;
using namespace mlir::coda;

namespace {
/// Plans step by step; every step either succeeds or has emitted an error.
class Planner {
public:
  explicit Planner(GemmOp op)
      : op(op), epilogue(cast<EpilogueOpInterface>(op.getOperation())) {}

  FailureOr<GemmPlan> run();

private:
  LogicalResult checkForm();
  LogicalResult planLoads();
  LogicalResult planStores();
  LogicalResult planReduction(unsigned out);
  LogicalResult planSchedule();
  LogicalResult planProduct();
  LogicalResult refuse(const Twine &reason) {
    return op.emitOpError("has no Hopper kernel: ") << reason;
  }

  /// A tensor map over tiles of lhs or a rhs with `size` rows or columns.
  std::variant<TensorMapView, std::string>
  getProductView(OpOperand &operand, DimKind kind, int64_t size, bool isMajor);
  /// A tensor map over whole tiles of points, or why there is none.
  std::variant<TensorMapView, std::string> getPointView(OpOperand &operand);
  /// Adds an access for each member tuple of an operand.
  void addAccesses(TileAccesses &accesses, TensorMapView view,
                   OpOperand &operand, ValueRange values);
  bool namesAll(AffineMap map, DimKind kind);

  GemmOp op;
  EpilogueOpInterface epilogue;
  GemmPlan plan;
};
} // namespace

bool Planner::namesAll(AffineMap map, DimKind kind) {
  return llvm::all_of(epilogue.getDimsOfKind(kind),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

/// Types of memory that a thread can load and store.
LogicalResult Planner::checkForm() {
  if (!epilogue.getDimsOfKind(DimKind::Batch).empty())
    return refuse("batched products are not lowered");
  if (epilogue.getDimsOfKind(DimKind::Column).empty())
    return refuse("it has no column dims, but its tiles are rows x columns");
  if (getStaticKindSize(epilogue, DimKind::Contract) == 0)
    return refuse("its contract size is 0, which no tensor map describes");
  if (getStaticKindSize(epilogue, DimKind::Column) == 0)
    return refuse("its column count is 0, which no tensor map describes");
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<TensorType>(operand.get().getType()))
      return refuse("its operands are tensors; bufferize it first");
    if (!isAccessibleElement(getElementTypeOrSelf(operand.get().getType())))
      return refuse(epilogue.describeOperand(operand.getOperandNumber()) +
                    " has elements that are not whole bytes of a float or "
                    "an integer that PTX knows");
  }
  return checkRegion(epilogue);
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

std::variant<TensorMapView, std::string>
Planner::getPointView(OpOperand &operand) {
  // The box's rows depend on the schedule and are filled in with it.
  return getTensorMapView(epilogue, operand, DimKind::Column, DimKind::Row,
                          fragment::subtileColumns, 0);
}

void Planner::addAccesses(TileAccesses &accesses, TensorMapView view,
                          OpOperand &operand, ValueRange values) {
  AffineMap map = epilogue.getMatchingIndexingMap(&operand);
  unsigned index = accesses.views.size();
  accesses.views.push_back(std::move(view));
  for (auto [tuple, value] :
       llvm::zip_equal(epilogue.getMemberTuples(map), values))
    accesses.accesses.push_back({index, tuple, value});
}

LogicalResult Planner::planLoads() {
  auto planTile = [&](OpOperand &operand, ValueRange arguments) {
    AffineMap map = epilogue.getMatchingIndexingMap(&operand);
    if (!namesAll(map, DimKind::Row) || !namesAll(map, DimKind::Column))
      return;
    auto view = getPointView(operand);
    if (auto *found = std::get_if<TensorMapView>(&view))
      addAccesses(plan.loads, std::move(*found), operand, arguments);
  };
  for (unsigned index = 0, e = epilogue.getNumIns(); index < e; ++index)
    planTile(epilogue.getInsOperand(index), epilogue.getInsArgs(index));
  for (unsigned out = 0, e = epilogue.getNumOuts(); out < e; ++out)
    if (epilogue.isUpdate(out) && !epilogue.isReduced(out))
      planTile(epilogue.getOutOperand(out), epilogue.getUpdateArgs(out));
  return success();
}

LogicalResult Planner::planReduction(unsigned out) {
  std::string name =
      epilogue.describeOperand(epilogue.getOutOperand(out).getOperandNumber());
  Combiner combiner = epilogue.getCombiner(out);
  if (combiner != Combiner::Add && combiner != Combiner::Max)
    return refuse(name + " is reduced by " + stringifyCombiner(combiner) +
                  ", but only add and max are lowered");
  AffineMap map = epilogue.getOutMap(out);
  for (unsigned dim = 0, e = epilogue.getNumDims(); dim < e; ++dim) {
    DimKind kind = epilogue.getDimKind(dim);
    if (kind == DimKind::Row && !map.isFunctionOfDim(dim))
      return refuse(name + " is reduced over row dim '" +
                    epilogue.getDimName(dim) +
                    "', but only columns are reduced");
    if (kind == DimKind::Column && map.isFunctionOfDim(dim))
      return refuse(name + " keeps column dim '" + epilogue.getDimName(dim) +
                    "', but only whole rows are reduced");
  }
  for (auto [tuple, value] : llvm::zip_equal(epilogue.getMemberTuples(map),
                                             epilogue.getYieldedValues(out)))
    plan.reductions.push_back({out, tuple, value, combiner});
  return success();
}

LogicalResult Planner::planStores() {
  for (unsigned out = 0, e = epilogue.getNumOuts(); out < e; ++out) {
    if (epilogue.isReduced(out)) {
      if (failed(planReduction(out)))
        return failure();
      continue;
    }
    OpOperand &operand = epilogue.getOutOperand(out);
    auto view = getPointView(operand);
    if (auto *found = std::get_if<TensorMapView>(&view)) {
      addAccesses(plan.stores, std::move(*found), operand,
                  epilogue.getYieldedValues(out));
      continue;
    }
    for (auto [tuple, value] :
         llvm::zip_equal(epilogue.getMemberTuples(epilogue.getOutMap(out)),
                         epilogue.getYieldedValues(out)))
      plan.directStores.push_back({out, tuple, value});
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

static Schedule readSchedule(ScheduleAttr attr) {
  Schedule schedule;
  schedule.rows = attr.getTile()[0];
  schedule.columns = attr.getTile()[1];
  schedule.contracts = attr.getTile()[2];
  schedule.stages = attr.getStages();
  schedule.cluster = attr.getCluster();
  schedule.pingPong = attr.getMode() == ScheduleMode::PingPong;
  return schedule;
}

LogicalResult Planner::planSchedule() {
  ScheduleDemand &demand = plan.demand;
  demand.accumulators = epilogue.getNumAccumulators();
  demand.tileStores = plan.stores.accesses.size();
  demand.tileLoads = plan.loads.accesses.size();
  demand.columns = getStaticKindSize(epilogue, DimKind::Column);

  if (std::optional<ScheduleAttr> attr = op.getSchedule()) {
    Schedule requested = readSchedule(*attr);
    std::optional<std::string> error = findScheduleError(requested, demand);
    if (error) {
      requested.storeBuffers = 1;
      error = findScheduleError(requested, demand);
    }
    if (error)
      return refuse("its schedule is illegal: " + *error);
    plan.schedule = requested;
    return success();
  }

  // Prefetched tiles that do not fit are read straight from memory.
  while (true) {
    auto choice = chooseSchedule(demand);
    if (auto *schedule = std::get_if<Schedule>(&choice)) {
      plan.schedule = *schedule;
      return success();
    }
    if (plan.loads.accesses.empty())
      return refuse(std::get<std::string>(choice));
    unsigned last = plan.loads.views.size() - 1;
    llvm::erase_if(plan.loads.accesses, [&](const TileAccess &access) {
      return access.view == last;
    });
    plan.loads.views.pop_back();
    demand.tileLoads = plan.loads.accesses.size();
  }
}

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

/// Whether the last dimension of memory is a dim of that kind.
static bool isMajorIn(EpilogueOpInterface op, OpOperand &operand,
                      DimKind kind) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() == 0)
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && op.getDimKind(last.getPosition()) == kind;
}

std::variant<TensorMapView, std::string>
Planner::getProductView(OpOperand &operand, DimKind kind, int64_t size,
                        bool isMajor) {
  int64_t contracts = plan.schedule.contracts;
  // A box across the contracts is as wide as the swizzle, and a tile has as
  // many of them as it needs.
  if (isMajor)
    return getTensorMapView(epilogue, operand, kind, DimKind::Contract,
                            fragment::subtileColumns, contracts);
  return getTensorMapView(epilogue, operand, DimKind::Contract, kind, contracts,
                          size);
}

LogicalResult Planner::planProduct() {
  const Schedule &schedule = plan.schedule;
  plan.lhsIsMMajor = isMajorIn(epilogue, op->getOpOperand(0), DimKind::Row);
  plan.rhsIsNMajor = isMajorIn(epilogue, op->getOpOperand(1), DimKind::Column);
  auto lhs = getProductView(op->getOpOperand(0), DimKind::Row, schedule.rows,
                            plan.lhsIsMMajor);
  if (auto *error = std::get_if<std::string>(&lhs))
    return refuse(*error);
  plan.lhs = std::get<TensorMapView>(lhs);
  for (unsigned index = 0, e = epilogue.getNumRhs(); index < e; ++index) {
    OpOperand &operand = op->getOpOperand(1 + index);
    // All of them are one operand of the hardware's product.
    if (isMajorIn(epilogue, operand, DimKind::Column) != plan.rhsIsNMajor)
      return refuse("rhs #0 and rhs #" + Twine(index) +
                    " are not contiguous along dims of the same kind");
    auto rhs =
        getProductView(operand, DimKind::Column,
                       plan.demand.getPointColumns(schedule), plan.rhsIsNMajor);
    if (auto *error = std::get_if<std::string>(&rhs))
      return refuse(*error);
    addAccesses(plan.rhs, std::get<TensorMapView>(rhs), operand,
                epilogue.getAccumulatorArgs(index));
  }
  for (TileAccesses *tiles : {&plan.loads, &plan.stores})
    for (TensorMapView &view : tiles->views)
      view.param.box[1] = schedule.getRowsPerConsumer();
  return success();
}

FailureOr<GemmPlan> Planner::run() {
  if (failed(checkForm()) || failed(planLoads()) || failed(planStores()) ||
      failed(planSchedule()) || failed(planProduct()))
    return failure();
  return plan;
}

FailureOr<GemmPlan> mlir::coda::planGemm(GemmOp op) {
  return Planner(op).run();
}
