//===- KernelBuilder.cpp - The vocabulary of a Hopper kernel -*- C++ -*-===//
//
// Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::coda;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::constantI32(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI32Type(), value);
}

Value KernelBuilder::constantI64(int64_t value) {
  return arith::ConstantIntOp::create(*this, getI64Type(), value);
}

Value KernelBuilder::like(Value value, int64_t constant) {
  return arith::ConstantIntOp::create(*this, value.getType(), constant);
}

Value KernelBuilder::equal(Value lhs, int64_t rhs) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs,
                                     like(lhs, rhs));
}

Value KernelBuilder::less(Value lhs, Value rhs) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, lhs, rhs);
}

Value KernelBuilder::extendToI64(Value value) {
  return createOrFold<arith::ExtUIOp>(getI64Type(), value);
}

void KernelBuilder::ifTrue(Value condition, llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(ifOp.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::sharedAddress(Value base, Value bytes) {
  return LLVM::GEPOp::create(*this, base.getType(), getI8Type(), base,
                             ValueRange{bytes});
}

Value KernelBuilder::globalAddress(Value base, Type element, Value index) {
  return LLVM::GEPOp::create(*this, base.getType(), element, base,
                             ValueRange{index});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void KernelBuilder::initBarrier(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(*this, barrier, constantI32(arrivals),
                               /*predicate=*/Value());
}

void KernelBuilder::fenceBarrierInit() {
  NVVM::FenceMbarrierInitOp::create(*this);
}

void KernelBuilder::waitBarrier(Value barrier, Value phase) {
  // The lowering loops until the phase is complete; the hint only bounds how
  // long the hardware may suspend a thread at a time.
  constexpr int64_t suspendHint = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(*this, barrier, phase,
                                        constantI32(suspendHint));
}

void KernelBuilder::arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(*this, getI64Type(), barrier,
                                 /*count=*/Value());
}

void KernelBuilder::arriveExpectingBytes(Value barrier, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(
      *this, /*res=*/Type(), barrier, constantI32(bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
}

void KernelBuilder::syncThreads(Value id, int64_t threads) {
  NVVM::BarrierOp::create(*this, /*res=*/Type(), id, constantI32(threads),
                          /*reductionOp=*/{}, /*reductionPredicate=*/Value());
}

void KernelBuilder::syncBlock() { NVVM::BarrierOp::create(*this); }

void KernelBuilder::syncWarp() {
  NVVM::SyncWarpOp::create(*this, constantI32(-1));
}

//===----------------------------------------------------------------------===//
// Bulk tensor copies
//===----------------------------------------------------------------------===//

void KernelBuilder::loadBox(Value sharedDestination, Value tensorMap,
                            ValueRange coordinates, Value barrier) {
  auto clusterType = LLVM::LLVMPointerType::get(
      getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value destination =
      LLVM::AddrSpaceCastOp::create(*this, clusterType, sharedDestination);
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      *this, destination, tensorMap, coordinates, barrier,
      /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      /*group=*/nullptr, /*predicate=*/Value());
}

void KernelBuilder::storeBox(Value tensorMap, Value sharedSource,
                             ValueRange coordinates) {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      *this, tensorMap, sharedSource, coordinates, /*l2CacheHint=*/Value(),
      NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
}

void KernelBuilder::commitStores() {
  NVVM::CpAsyncBulkCommitGroupOp::create(*this);
}

void KernelBuilder::waitStoresRead(unsigned pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(*this, pending, getUnitAttr());
}

void KernelBuilder::waitStoresDone() {
  NVVM::CpAsyncBulkWaitGroupOp::create(*this, 0u, UnitAttr());
}

void KernelBuilder::fenceSharedForBulkCopies() {
  NVVM::FenceProxyOp::create(
      *this, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(getContext(), NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::loadMatrices(Value sharedAddress) {
  auto type = LLVM::LLVMStructType::getLiteral(
      getContext(), SmallVector<Type>(4, getI32Type()));
  Value loaded = NVVM::LdMatrixOp::create(
      *this, type, sharedAddress, /*num=*/4, NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (int64_t index = 0; index < 4; ++index)
    registers.push_back(LLVM::ExtractValueOp::create(*this, loaded, index));
  return registers;
}

void KernelBuilder::storeMatrices(Value sharedAddress, ValueRange registers) {
  NVVM::StMatrixOp::create(*this, sharedAddress, registers,
                           NVVM::MMALayout::row,
                           NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
                           NVVM::LdStMatrixEltType::B16);
}

//===----------------------------------------------------------------------===//
// Exchange inside a warp
//===----------------------------------------------------------------------===//

static Value shuffle(KernelBuilder &b, Value value, int64_t operand,
                     NVVM::ShflKind kind) {
  constexpr int64_t wholeWarp = 31;
  return NVVM::ShflOp::create(b, value.getType(), b.constantI32(-1), value,
                              b.constantI32(operand), b.constantI32(wholeWarp),
                              kind, /*return_value_and_is_valid=*/UnitAttr());
}

Value KernelBuilder::shuffleXor(Value value, int64_t distance) {
  return shuffle(*this, value, distance, NVVM::ShflKind::bfly);
}

Value KernelBuilder::shuffleFrom(Value value, int64_t lane) {
  return shuffle(*this, value, lane, NVVM::ShflKind::idx);
}
