/*===- Coda.h - C interface of coda --------------------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the coda project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Strings in, strings out. A program is compiled from MLIR text; its stages, *|
|* its PTX and its report are read as text; its functions run on the CPU with *|
|* the caller's buffers.                                                      *|
|*                                                                            *|
|* Every function that can fail returns a status. When it is not CODA_OK and  *|
|* `error` is not null, *error becomes a message with the diagnostics, to be  *|
|* freed with codaStringFree; otherwise *error becomes null. Outputs are      *|
|* written on success only.                                                   *|
|*                                                                            *|
|* All functions may be called from any thread, also on one program at once.  *|
|* Handles must not be used while or after they are destroyed.                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef CODA_C_CODA_H
#define CODA_C_CODA_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CODA_API
#else
#define CODA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CodaStatus {
  CODA_OK = 0,
  /* An argument of the call makes no sense: an unknown name, a null pointer,
     a buffer that does not fit the function. */
  CODA_INVALID_ARGUMENT = 1,
  /* The text or file could not be read. */
  CODA_PARSE_ERROR = 2,
  /* A pass failed. */
  CODA_COMPILE_ERROR = 3,
  /* A function could not be run. */
  CODA_RUN_ERROR = 4
} CodaStatus;

/* A compiled program. */
typedef struct CodaProgram CodaProgram;
/* What a function returned. */
typedef struct CodaResults CodaResults;

typedef struct CodaCompileOptions {
  /* sizeof(CodaCompileOptions), set by codaCompileOptionsInit. */
  size_t size;
  /* "bitwise", "algebraic" or "relaxed". */
  const char *numerics;
  /* "sm_90a". */
  const char *target;
  /* Zero leaves the program as it is. */
  int rewrite;
} CodaCompileOptions;

/* A tensor, memref or scalar in host memory. */
typedef struct CodaBuffer {
  /* Element type as MLIR writes it: "f32", "bf16", "i64", "index" ... An i1
     takes one byte. */
  const char *dtype;
  int64_t rank;
  /* `rank` sizes and strides, strides in elements. Null strides are row-major;
     both are null for a scalar. */
  const int64_t *shape;
  const int64_t *strides;
  void *data;
} CodaBuffer;

/* Version of the library, for example "0.1.0". */
CODA_API const char *codaGetVersion(void);

/* Frees a string that a function of this interface gave out. Null is ignored.
 */
CODA_API void codaStringFree(char *string);

/* Sets every option to its default. */
CODA_API void codaCompileOptionsInit(CodaCompileOptions *options);

/* Compiles a text or a file. `name` stands for the file in diagnostics and may
   be null; null options are the defaults. */
CODA_API CodaStatus codaCompileText(const char *text, size_t length,
                                    const char *name,
                                    const CodaCompileOptions *options,
                                    CodaProgram **program, char **error);
CODA_API CodaStatus codaCompileFile(const char *path,
                                    const CodaCompileOptions *options,
                                    CodaProgram **program, char **error);
CODA_API void codaProgramDestroy(CodaProgram *program);

/* The program at a stage: "source", "coda", "linalg", "nvvm", "llvm" or
   "ptx". */
CODA_API CodaStatus codaProgramGetIR(CodaProgram *program, const char *stage,
                                     char **text, char **error);
/* The report as "text" or "json". */
CODA_API CodaStatus codaProgramGetReport(CodaProgram *program,
                                         const char *format, char **text,
                                         char **error);
/* Public functions as JSON: [{"name": "f", "arguments": [TYPE...], "results":
   [TYPE...]}], where TYPE is {"kind": "tensor", "dtype": "bf16", "shape":
   [null, 256]}; the kind is tensor, memref or scalar, null a dynamic size. */
CODA_API CodaStatus codaProgramGetSignatures(CodaProgram *program, char **json,
                                             char **error);

/* Runs a function on the CPU. `entry` may be null when there is one function
   only. Tensors are not written to; memrefs may be. */
CODA_API CodaStatus codaProgramRun(CodaProgram *program, const char *entry,
                                   const CodaBuffer *inputs, size_t numInputs,
                                   CodaResults **results, char **error);

CODA_API size_t codaResultsGetCount(const CodaResults *results);
/* A view of a result; it lives as long as the results. `index` is below the
   count. */
CODA_API void codaResultsGet(const CodaResults *results, size_t index,
                             CodaBuffer *buffer);
CODA_API void codaResultsDestroy(CodaResults *results);

#ifdef __cplusplus
}
#endif

#endif /* CODA_C_CODA_H */
