/*===- capi-test.c - Tests of the C interface ----------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Written in C, so that the header is read by a C compiler. Run under a leak *|
|* checker by the asan preset.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "coda-c/Coda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

/* y = x + b, over a dynamic number of rows. */
static const char *addRow =
    "func.func @add_row(%x: tensor<?x3xf32>, %b: tensor<3xf32>)"
    "    -> tensor<?x3xf32> {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %m = tensor.dim %x, %c0 : tensor<?x3xf32>\n"
    "  %e = tensor.empty(%m) : tensor<?x3xf32>\n"
    "  %y = linalg.generic {indexing_maps = ["
    "      affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,"
    "      affine_map<(m, n) -> (m, n)>],"
    "      iterator_types = [\"parallel\", \"parallel\"]}"
    "      ins(%x, %b : tensor<?x3xf32>, tensor<3xf32>)"
    "      outs(%e : tensor<?x3xf32>) {\n"
    "  ^bb0(%v: f32, %w: f32, %o: f32):\n"
    "    %s = arith.addf %v, %w : f32\n"
    "    linalg.yield %s : f32\n"
    "  } -> tensor<?x3xf32>\n"
    "  return %y : tensor<?x3xf32>\n"
    "}\n";

static CodaProgram *compileAddRow(void) {
  CodaCompileOptions options;
  CodaProgram *program = NULL;
  char *error = NULL;
  codaCompileOptionsInit(&options);
  CHECK(strcmp(options.numerics, "algebraic") == 0 && options.rewrite == 1);
  CHECK(codaCompileText(addRow, strlen(addRow), "add.mlir", &options, &program,
                        &error) == CODA_OK);
  CHECK(error == NULL);
  if (error)
    fprintf(stderr, "%s\n", error);
  codaStringFree(error);
  return program;
}

static void testTexts(CodaProgram *program) {
  char *text = NULL;
  CHECK(codaProgramGetIR(program, "source", &text, NULL) == CODA_OK);
  CHECK(text && strstr(text, "func.func @add_row"));
  codaStringFree(text);
  CHECK(codaProgramGetIR(program, "llvm", &text, NULL) == CODA_OK);
  CHECK(text && strstr(text, "llvm.func"));
  codaStringFree(text);
  CHECK(codaProgramGetReport(program, "json", &text, NULL) == CODA_OK);
  CHECK(text && strstr(text, "\"add_row\""));
  codaStringFree(text);
  CHECK(codaProgramGetReport(program, "text", &text, NULL) == CODA_OK);
  CHECK(text && strstr(text, "memory-bound passes"));
  codaStringFree(text);
  CHECK(codaProgramGetSignatures(program, &text, NULL) == CODA_OK);
  CHECK(text && strstr(text, "\"shape\":[null,3]"));
  codaStringFree(text);
}

static void testRun(CodaProgram *program) {
  /* The first input is read by columns. */
  float x[6] = {1, 4, 2, 5, 3, 6};
  float b[3] = {10, 20, 30};
  const float expected[6] = {11, 22, 33, 14, 25, 36};
  int64_t xShape[2] = {2, 3}, xStrides[2] = {1, 2}, bShape[1] = {3};
  CodaBuffer inputs[2] = {{"f32", 2, xShape, xStrides, x},
                          {"f32", 1, bShape, NULL, b}};
  CodaResults *results = NULL;
  char *error = NULL;
  CodaBuffer y;
  CHECK(codaProgramRun(program, "add_row", inputs, 2, &results, &error) ==
        CODA_OK);
  CHECK(codaResultsGetCount(results) == 1);
  if (codaResultsGetCount(results) == 1) {
    codaResultsGet(results, 0, &y);
    CHECK(strcmp(y.dtype, "f32") == 0 && y.rank == 2);
    CHECK(y.shape[0] == 2 && y.shape[1] == 3);
    CHECK(memcmp(y.data, expected, sizeof(expected)) == 0);
  }
  codaResultsDestroy(results);

  /* A buffer that does not fit: nothing runs, the message says which. */
  inputs[1].dtype = "f64";
  results = NULL;
  CHECK(codaProgramRun(program, NULL, inputs, 2, &results, &error) ==
        CODA_INVALID_ARGUMENT);
  CHECK(results == NULL && error && strstr(error, "argument 1"));
  codaStringFree(error);
  inputs[1].dtype = "f128";
  CHECK(codaProgramRun(program, NULL, inputs, 2, &results, &error) ==
        CODA_INVALID_ARGUMENT);
  CHECK(error && strstr(error, "unknown dtype 'f128'"));
  codaStringFree(error);
  CHECK(codaProgramRun(program, "nothing", inputs, 0, &results, NULL) ==
        CODA_INVALID_ARGUMENT);
}

static void testErrors(CodaProgram *program) {
  CodaProgram *other = NULL;
  CodaCompileOptions options;
  char *error = NULL, *text = NULL;
  CHECK(codaCompileText("func.func", 9, "broken.mlir", NULL, &other, &error) ==
        CODA_PARSE_ERROR);
  CHECK(other == NULL && error && strstr(error, "broken.mlir:1:"));
  codaStringFree(error);
  CHECK(codaCompileFile("missing.mlir", NULL, &other, &error) ==
        CODA_PARSE_ERROR);
  CHECK(error && strstr(error, "cannot read 'missing.mlir'"));
  codaStringFree(error);
  codaCompileOptionsInit(&options);
  options.numerics = "fast";
  CHECK(codaCompileText("", 0, NULL, &options, &other, &error) ==
        CODA_INVALID_ARGUMENT);
  codaStringFree(error);
  CHECK(codaCompileText(NULL, 0, NULL, NULL, &other, NULL) ==
        CODA_INVALID_ARGUMENT);
  CHECK(codaProgramGetIR(program, "assembly", &text, &error) ==
        CODA_INVALID_ARGUMENT);
  CHECK(text == NULL && error && strstr(error, "unknown stage 'assembly'"));
  codaStringFree(error);
}

int main(void) {
  CodaProgram *program = compileAddRow();
  if (!program)
    return 1;
  CHECK(strlen(codaGetVersion()) >= 5);
  testTexts(program);
  testRun(program);
  testErrors(program);
  codaProgramDestroy(program);
  codaProgramDestroy(NULL);
  codaStringFree(NULL);
  codaResultsDestroy(NULL);
  return failures != 0;
}
