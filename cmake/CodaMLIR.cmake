# Finds MLIR and sets up its CMake functions for an out-of-tree project.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
# LLVMSupport names it; LLVM's packages do not depend on its headers.
if(CODA_STATIC AND NOT TARGET zstd::libzstd_shared)
  message(FATAL_ERROR "CODA_STATIC needs zstd's development files, libzstd-dev "
    "on Debian: the archives of LLVM link it")
endif()
message(STATUS "Using MLIR ${MLIR_PACKAGE_VERSION} from ${MLIR_DIR}")

set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
# add_mlir_doc writes below this folder.
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR})

find_program(CODA_LIT NAMES lit llvm-lit HINTS ${LLVM_TOOLS_BINARY_DIR}
  NO_DEFAULT_PATH REQUIRED)
set(LLVM_EXTERNAL_LIT ${CODA_LIT} CACHE FILEPATH "" FORCE)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Read by mlir_target_link_libraries: link libMLIR.so, not the archives.
if(CODA_STATIC)
  set(MLIR_LINK_MLIR_DYLIB OFF)
else()
  set(MLIR_LINK_MLIR_DYLIB ON)
endif()

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

# Many exported MLIR targets name libLLVM.so as a dependency, and a few libMLIR.so,
# so that linking the archives alone would still load them; add_llvm_* add
# libLLVM.so by themselves. Name the archives of LLVM instead.
# All backends: registerAllDialects refers to each one's initializer.
if(CODA_STATIC)
  set(LLVM_LINK_LLVM_DYLIB OFF)
  llvm_map_components_to_libnames(CODA_LLVM_ARCHIVES
    ${LLVM_TARGETS_TO_BUILD} AsmParser BitReader BitWriter FrontendOffloading
    FrontendOpenMP IRReader JITLink Linker OrcJIT Passes Remarks SupportLSP)
  foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if(libraries AND libraries MATCHES "(^|;|:)(LLVM|MLIR)($|;|>)")
      list(REMOVE_ITEM libraries
        LLVM "$<LINK_ONLY:LLVM>" MLIR "$<LINK_ONLY:MLIR>")
      set_target_properties(${target} PROPERTIES
        INTERFACE_LINK_LIBRARIES "${libraries};${CODA_LLVM_ARCHIVES}")
    endif()
  endforeach()
  add_link_options(-Wl,--gc-sections -Wl,--as-needed)
  # Archives must not meet another LLVM in a process that loads libcoda.so.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,--exclude-libs,ALL>)
endif()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
