# The Python of the tests: that of the environment which scripts/install-deps.sh
# makes, or another. Tests that need numpy, ml_dtypes or pytest are left out
# where it lacks them; the package itself needs nothing to be imported.
find_program(CODA_TEST_PYTHON NAMES python3
  HINTS ${PROJECT_SOURCE_DIR}/.venv/bin NO_DEFAULT_PATH
  DOC "Python with numpy, ml_dtypes and pytest")
if(NOT CODA_TEST_PYTHON)
  set(CODA_TEST_PYTHON ${Python3_EXECUTABLE})
endif()
execute_process(
  COMMAND ${CODA_TEST_PYTHON} -c "import ml_dtypes, numpy, pytest"
  RESULT_VARIABLE import_failed OUTPUT_QUIET ERROR_QUIET)
if(LLVM_USE_SANITIZER)
  set(CODA_TEST_PYTHON_HAS_NUMPY OFF)
  message(STATUS "Python tests left out: a Python without sanitizers cannot "
    "load libraries with them")
elseif(import_failed)
  set(CODA_TEST_PYTHON_HAS_NUMPY OFF)
  message(STATUS "Python tests left out: ${CODA_TEST_PYTHON} lacks numpy, "
    "ml_dtypes or pytest")
else()
  set(CODA_TEST_PYTHON_HAS_NUMPY ON)
endif()
