/* assay_features.h: prints the features of an evaluation for `assay features`, as
   dataset/FORMAT.md of assay describes under assay.features/2. For C99 and C++17.

     static const assay_term terms[] = {
         {"pawn", "material", 100, 120, ASSAY_TAPERED},
         {"tempo", "tempo", 12, 12, ASSAY_FLAT}};
     enum { PAWN, TEMPO, TERMS };

     assay_begin("myengine", terms, TERMS);   // set the options below first
     char fen[ASSAY_FEN];
     while (assay_next(fen)) {
       assay_add(PAWN, +1);                   // for each feature: + White's, - Black's
       assay_halves(mg, eg);                  // optional: your integers before the taper
       assay_end(phase, 1, eg_scale, 0, eval);
     }

   Everything is from White's view. Print nothing else after assay_begin. Include it in one
   file. This header is under the Apache License 2.0. */
#ifndef ASSAY_FEATURES_H
#define ASSAY_FEATURES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#define ASSAY_FEN 512
#define ASSAY_NO_EVAL (-1e30) /* for assay_end: the engine's own value is not known */

/* Kinds of terms; ASSAY_ASYMMETRIC and ASSAY_FIXED are added to one. */
enum {
  ASSAY_TAPERED,    /* mg and eg */
  ASSAY_SINGLE,     /* one value (mg = eg), inside the taper */
  ASSAY_FLAT,       /* one value, added after the taper: no factor touches it */
  ASSAY_MG,         /* of the middlegame half alone: eg is 0 and stays it */
  ASSAY_EG,         /* of the endgame half alone: mg is 0 and stays it */
  ASSAY_ASYMMETRIC  = 8, /* not the same for both colors on purpose */
  ASSAY_FIXED       = 16 /* no fit changes it: a part that is not linear, with value 1 and the part as its count */
};

typedef struct { const char *name, *group; double mg, eg; int kind; } assay_term;

/* Options, to be set before assay_begin. */
static double assay_unit = 100;    /* engine units a pawn */
static int assay_float = 0;        /* counts may be fractions, or outside -128 to 127 */
static int assay_by_sign = 0;      /* eg_scale is that of the side that the endgame half favors */
static int assay_by_side = 0;      /* sides are scaled on their own: assay_add_sides, assay_scales */
static int assay_resolves = 0;     /* each record is about a leaf: assay_leaf */

static struct {
  int terms, n;             /* of all; of the record */
  float *white, *black;     /* counts by term; without by_side white holds both sides' */
  uint16_t *used;           /* the terms of the record */
  unsigned char *seen;      /* by term: it is in used */
  int32_t half[3];
  int halves;
  float scale_white, scale_black;
  size_t size;
  unsigned char out[1 << 16];
} assay_;

static inline void assay_stop(const char *what, long value) {
  fprintf(stderr, "assay_features.h: %s (%ld)\n", what, value);
  exit(2);
}

/* The name of element i of an array: name.i, or with columns of a table name.ROW.COLUMN. */
static inline const char *assay_element(const char *name, int i, int columns) {
  size_t size = strlen(name) + 24;
  char *out = (char *)malloc(size);
  if (!out) assay_stop("out of memory; names", i);
  if (columns > 1) snprintf(out, size, "%s.%d.%d", name, i / columns, i % columns);
  else snprintf(out, size, "%s.%d", name, i);
  return out;
}

static inline void assay_flush(void) {
  if (fwrite(assay_.out, 1, assay_.size, stdout) != assay_.size || fflush(stdout))
    assay_stop("cannot write to the standard output; bytes", (long)assay_.size);
  assay_.size = 0;
}

/* n is at most 64. */
static inline void assay_put(const void *p, size_t n) {
  if (assay_.size + n > sizeof assay_.out) assay_flush();
  memcpy(assay_.out + assay_.size, p, n);
  assay_.size += n;
}

static inline void assay_text(const char *s) { while (*s) assay_put(s++, 1); }

static inline void assay_string(const char *s) {
  char code[8];
  assay_text("\"");
  for (; *s; s++) {
    if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\') {
      snprintf(code, sizeof code, "\\u%04x", (unsigned)(unsigned char)*s);
      assay_text(code);
    } else {
      assay_put(s, 1);
    }
  }
  assay_text("\"");
}

static inline void assay_number(double v) {
  char text[40], *comma;
  if (!(v > -1e30 && v < 1e30)) assay_stop("a value is not a number, of term", 0);
  snprintf(text, sizeof text, "%.17g", v);
  if ((comma = strchr(text, ',')) != NULL) *comma = '.'; /* of a locale */
  assay_text(text);
}

static inline void assay_u16(unsigned v) {
  unsigned char b[2];
  b[0] = (unsigned char)v, b[1] = (unsigned char)(v >> 8);
  assay_put(b, 2);
}

static inline void assay_u32(uint32_t v) {
  unsigned char b[4];
  b[0] = (unsigned char)v, b[1] = (unsigned char)(v >> 8), b[2] = (unsigned char)(v >> 16), b[3] = (unsigned char)(v >> 24);
  assay_put(b, 4);
}

static inline void assay_f32(double v) {
  float f = (float)v;
  uint32_t u;
  memcpy(&u, &f, 4);
  assay_u32(u);
}

static inline void assay_begin(const char *model, const assay_term *t, int n) {
  int i;
  if (n < 0 || n > 65536) assay_stop("the number of terms is not between 0 and 65536", n);
#ifdef _WIN32
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  assay_.terms = n;
  assay_.white = (float *)calloc((size_t)n + 1, sizeof(float));
  assay_.black = (float *)calloc((size_t)n + 1, sizeof(float));
  assay_.used = (uint16_t *)calloc((size_t)n + 1, sizeof(uint16_t));
  assay_.seen = (unsigned char *)calloc((size_t)n + 1, 1);
  assay_.scale_white = assay_.scale_black = 1;
  if (!assay_.white || !assay_.black || !assay_.used || !assay_.seen) assay_stop("out of memory; terms", n);
  assay_text("{\"format\":\"assay.features/2\",\"records\":\"binary\",\"model\":");
  assay_string(model);
  assay_text(",\"unit\":"), assay_number(assay_unit);
  if (assay_float) assay_text(",\"float\":true");
  if (assay_by_sign) assay_text(",\"eg_scale\":\"sign\"");
  if (assay_by_side) assay_text(",\"by_side\":true");
  if (assay_resolves) assay_text(",\"resolves\":true");
  assay_text(",\"terms\":[");
  for (i = 0; i < n; i++) {
    if (!t[i].name) assay_stop("no name; term", i);
    assay_text(i ? ",{\"name\":" : "{\"name\":");
    assay_string(t[i].name);
    if (t[i].group) assay_text(",\"group\":"), assay_string(t[i].group);
    switch (t[i].kind & 7) {
      case ASSAY_TAPERED: break;
      case ASSAY_SINGLE: assay_text(",\"kind\":\"single\""); break;
      case ASSAY_FLAT: assay_text(",\"kind\":\"flat\""); break;
      case ASSAY_MG: assay_text(",\"kind\":\"mg\""); break;
      case ASSAY_EG: assay_text(",\"kind\":\"eg\""); break;
      default: assay_stop("no such kind; term", i);
    }
    if (t[i].kind & ASSAY_ASYMMETRIC) assay_text(",\"asymmetric\":true");
    if (t[i].kind & ASSAY_FIXED) assay_text(",\"fixed\":true");
    assay_text(",\"mg\":"), assay_number(t[i].mg);
    assay_text(",\"eg\":"), assay_number(t[i].eg);
    assay_text("}");
  }
  assay_text("]}\n");
  assay_flush();
}

/* The next position, or 0 at the end. An empty line asks for what was printed so far. */
static inline int assay_next(char fen[ASSAY_FEN]) {
  while (fgets(fen, ASSAY_FEN, stdin)) {
    size_t n = strcspn(fen, "\r\n");
    if (!fen[n] && n == ASSAY_FEN - 1) assay_stop("a FEN is too long; bytes", (long)n);
    fen[n] = 0;
    if (n) return 1;
    assay_flush();
  }
  assay_flush();
  return 0;
}

static inline void assay_count(int term, double white, double black) {
  if (term < 0 || term >= assay_.terms) assay_stop("assay_add of a term that assay_begin does not have", term);
  if (!assay_.seen[term]) assay_.seen[term] = 1, assay_.used[assay_.n++] = (uint16_t)term;
  assay_.white[term] += (float)white, assay_.black[term] += (float)black;
}

static inline void assay_add(int term, double count) {
  if (assay_by_side) assay_stop("assay_by_side wants assay_add_sides, for term", term);
  assay_count(term, count, 0);
}

static inline void assay_add_sides(int term, double white, double black) {
  if (!assay_by_side) assay_stop("assay_add_sides wants assay_by_side, for term", term);
  assay_count(term, white, black);
}

/* The halves as the engine has them before the taper: the sums of count x mg and count x eg
   of all terms that are not flat. They must agree exactly. */
static inline void assay_halves(int mg, int eg) {
  assay_.half[0] = mg, assay_.half[1] = eg;
  assay_.halves = 2;
}

/* With assay_by_side: the factors of White's and Black's endgame halves, ... */
static inline void assay_scales(double white, double black) {
  assay_.scale_white = (float)white, assay_.scale_black = (float)black;
}

/* ... and the halves, the endgame's of each side, both positive. */
static inline void assay_halves_sides(int mg, int eg_white, int eg_black) {
  assay_.half[0] = mg, assay_.half[1] = eg_white, assay_.half[2] = eg_black;
  assay_.halves = 3;
}

/* With assay_resolves, before assay_end: the position that is counted. */
static inline void assay_leaf(const char *fen) { assay_text(fen), assay_text("\n"); }

/* Ends a record: eval = offset + flat terms
     + scale x (phase x middlegame half + (1 - phase) x eg_scale x endgame half). */
static inline void assay_end(double phase, double scale, double eg_scale, double offset, double eval) {
  int i, side, n = 0, wide = 0;
  unsigned char flags[2] = {0, 0xA6};
  for (i = 0; i < assay_.n; i++) { /* what cancels out is left out */
    int t = assay_.used[i];
    float w = assay_.white[t], b = assay_.black[t];
    assay_.seen[t] = 0;
    if (w == 0 && b == 0) continue;
    wide |= !(w >= -128 && w <= 127 && b >= -128 && b <= 127) || w != (float)(int)w || b != (float)(int)b;
    assay_.used[n++] = (uint16_t)t;
  }
  flags[0] = (unsigned char)((eval > ASSAY_NO_EVAL ? 1 : 0) | (wide ? 2 : 0) | (assay_.halves ? 16 : 0) | (assay_by_side ? 32 : 0));
  assay_u16((unsigned)n);
  assay_put(flags, 2);
  assay_f32(phase), assay_f32(scale), assay_f32(eg_scale), assay_f32(offset);
  assay_f32(eval > ASSAY_NO_EVAL ? eval : 0);
  for (i = 0; i < n; i++) assay_u16(assay_.used[i]);
  for (side = 0; side <= assay_by_side; side++) {
    float *count = side ? assay_.black : assay_.white;
    for (i = 0; i < n; i++) {
      float c = count[assay_.used[i]];
      signed char small = (signed char)(wide ? 0 : c);
      if (wide) assay_f32(c);
      else assay_put(&small, 1);
      count[assay_.used[i]] = 0;
    }
  }
  for (i = 0; i < assay_.halves; i++) assay_u32((uint32_t)assay_.half[i]);
  if (assay_by_side) assay_f32(assay_.scale_white), assay_f32(assay_.scale_black);
  assay_.n = assay_.halves = 0;
}
#endif
