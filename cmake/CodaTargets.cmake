# Project-wide compile options and the functions that declare coda's targets.

# Generated op and interface code has unused parameters.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CODA_ENABLE_WERROR)
  add_compile_options(-Werror)
endif()

# The headers that almost every file includes, parsed once. NVVM and GPU
# headers stay out: only lib/Conversion and lib/Target pay for them.
if(CODA_ENABLE_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/CodaPCH.cpp "")
  add_library(CodaPCH OBJECT ${CMAKE_BINARY_DIR}/CodaPCH.cpp)
  llvm_update_compile_flags(CodaPCH)
  target_precompile_headers(CodaPCH PRIVATE
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Pass/Pass.h>
    <mlir/Transforms/DialectConversion.h>)
endif()

function(coda_use_pch target)
  if(CODA_ENABLE_PCH)
    target_precompile_headers(${target} REUSE_FROM CodaPCH)
  endif()
endfunction()

# coda_add_library(NAME sources... [NO_PCH] [DEPENDS targets...]
#                  [CODA_LIBS targets...] [MLIR_LIBS targets...])
# A library of the project. MLIR_LIBS name upstream archives; they collapse
# into libMLIR.so unless CODA_STATIC is on.
function(coda_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;CODA_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} ${ARG_UNPARSED_ARGUMENTS}
    EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL DEPENDS ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_CODA_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  if(NOT ARG_NO_PCH)
    coda_use_pch(${name})
  endif()
endfunction()

# coda_add_tool(NAME sources... [CODA_LIBS targets...] [MLIR_LIBS targets...])
# An executable. Its main is a few lines, and position-independent executables
# cannot use the libraries' precompiled header.
function(coda_add_tool name)
  cmake_parse_arguments(ARG "" "" "CODA_LIBS;MLIR_LIBS" ${ARGN})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_CODA_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
endfunction()
