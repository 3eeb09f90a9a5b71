/* assay_features.h: prints the features of an evaluation for `assay features`.
   dataset/FORMAT.md describes the protocol. Little-endian machines.

     static const assay_term terms[] = {{"pawn", "material", 100, 120}, ...};
     assay_begin("myengine", terms, N);
     char fen[ASSAY_FEN];
     while (assay_next(fen)) {
       assay_add(PAWN, +1);              // for each feature: + White's, - Black's
       assay_end(phase, 1, 0, eval);     // phase 1 to 0; scale; offset; centipawns
     }

   Include it in one file. This header is under the Apache License 2.0. */
#ifndef ASSAY_FEATURES_H
#define ASSAY_FEATURES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSAY_FEN 256
#define ASSAY_NO_EVAL (-32768) /* for assay_end: the engine's own value is not known */

typedef struct { const char *name, *group; double mg, eg; } assay_term;

static float *assay_count; /* of each term, of the position at hand */
static int assay_terms;

static void assay_begin(const char *model, const assay_term *t, int n) {
  assay_terms = n;
  assay_count = (float *)calloc((size_t)n, sizeof *assay_count);
  if (!assay_count) abort();
  printf("{\"format\":\"assay.features/1\",\"model\":\"%s\",\"records\":\"binary\",\"terms\":[", model);
  for (int i = 0; i < n; i++)
    printf("%s{\"name\":\"%s\",\"group\":\"%s\",\"mg\":%.9g,\"eg\":%.9g}", i ? "," : "",
           t[i].name, t[i].group, t[i].mg, t[i].eg);
  printf("]}\n");
  fflush(stdout);
}

/* The next position, or 0 at the end. An empty line asks for what was printed so far. */
static int assay_next(char fen[ASSAY_FEN]) {
  while (fgets(fen, ASSAY_FEN, stdin)) {
    fen[strcspn(fen, "\r\n")] = 0;
    if (fen[0]) return 1;
    fflush(stdout);
  }
  fflush(stdout);
  return 0;
}

static void assay_add(int term, float count) { assay_count[term] += count; }

static void assay_end(float phase, float scale, float offset, int eval) {
  uint16_t n = 0;
  int16_t value = (int16_t)eval;
  for (int i = 0; i < assay_terms; i++) n += assay_count[i] != 0;
  uint8_t head[18] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(2 | (eval != ASSAY_NO_EVAL)), 0xA5};
  memcpy(head + 4, &phase, 4), memcpy(head + 8, &scale, 4), memcpy(head + 12, &offset, 4);
  memcpy(head + 16, &value, 2);
  fwrite(head, 1, sizeof head, stdout);
  for (int i = 0; i < assay_terms; i++)
    if (assay_count[i] != 0) { uint16_t t = (uint16_t)i; fwrite(&t, 2, 1, stdout); }
  for (int i = 0; i < assay_terms; i++)
    if (assay_count[i] != 0) { fwrite(&assay_count[i], 4, 1, stdout); assay_count[i] = 0; }
}
#endif
