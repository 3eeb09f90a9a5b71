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
       assay_end(phase, 1, eg_scale, 0, eval);
     }

   To play with the weights of a fit without a new build, as for a UCI option EvalFile:
     const char *wrong = assay_load("tuned/weights.json", terms, TERMS);   // NULL: terms have them

   Everything is from White's view. Print nothing else after assay_begin. Include it in one
   file. This header is under the Apache License 2.0. */
#ifndef ASSAY_FEATURES_H
#define ASSAY_FEATURES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSAY_FEN 512
#define ASSAY_NO_EVAL (-1e30) /* for assay_end: the engine's own value is not known */

/* Kinds of terms; ASSAY_FIXED is added to one. */
enum {
  ASSAY_TAPERED,    /* mg and eg */
  ASSAY_SINGLE,     /* one value (mg = eg), inside the taper */
  ASSAY_FLAT,       /* one value, added after the taper: no factor touches it */
  ASSAY_MG,         /* of the middlegame half alone: eg is 0 and stays it */
  ASSAY_EG,         /* of the endgame half alone: mg is 0 and stays it */
  ASSAY_FIXED = 16 /* no fit changes it: a part that is not linear, with value 1 and the part as its count */
};

typedef struct { const char *name, *group; double mg, eg; int kind; } assay_term;

/* Options, to be set before assay_begin. */
static double assay_unit = 100;    /* engine units a pawn */
static int assay_float = 0;        /* counts may be fractions, or outside -128 to 127 */
static int assay_by_sign = 0;      /* eg_scale belongs to the side that the endgame half favors */

static struct {
  int terms, n;        /* of all; of the record */
  double *count;       /* by term */
  uint16_t *used;      /* the terms of the record */
  unsigned char *seen; /* by term: it is in used */
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
  if (fflush(stdout) || ferror(stdout)) assay_stop("cannot write to the standard output", 0);
}

static inline void assay_string(const char *s) {
  putchar('"');
  for (; *s; s++)
    if ((unsigned char)*s < ' ' || *s == '"' || *s == '\\') printf("\\u%04x", (unsigned)(unsigned char)*s);
    else putchar(*s);
  putchar('"');
}

static inline void assay_number(double v) {
  char text[40], *comma;
  if (!(v > -1e30 && v < 1e30)) assay_stop("a value is not a number, of term", 0);
  snprintf(text, sizeof text, "%.17g", v);
  if ((comma = strchr(text, ',')) != NULL) *comma = '.'; /* of a locale */
  fputs(text, stdout);
}

static inline void assay_begin(const char *model, const assay_term *t, int n) {
  static const char *const kinds[] = {NULL, "single", "flat", "mg", "eg"};
  int i;
  if (n < 0 || n > 65536) assay_stop("the number of terms is not between 0 and 65536", n);
  assay_.terms = n;
  assay_.count = (double *)calloc((size_t)n + 1, sizeof(double));
  assay_.used = (uint16_t *)calloc((size_t)n + 1, sizeof(uint16_t));
  assay_.seen = (unsigned char *)calloc((size_t)n + 1, 1);
  if (!assay_.count || !assay_.used || !assay_.seen) assay_stop("out of memory; terms", n);
  printf("{\"format\":\"assay.features/2\",\"records\":\"json\",\"model\":"), assay_string(model);
  printf(",\"unit\":"), assay_number(assay_unit);
  if (assay_float) printf(",\"float\":true");
  if (assay_by_sign) printf(",\"eg_scale\":\"sign\"");
  printf(",\"terms\":[");
  for (i = 0; i < n; i++) {
    int kind = t[i].kind & 15;
    if (!t[i].name || kind > ASSAY_EG) assay_stop("no name, or no such kind; term", i);
    printf(i ? ",{\"name\":" : "{\"name\":"), assay_string(t[i].name);
    if (t[i].group) printf(",\"group\":"), assay_string(t[i].group);
    if (kind) printf(",\"kind\":\"%s\"", kinds[kind]);
    if (t[i].kind & ASSAY_FIXED) printf(",\"fixed\":true");
    printf(",\"mg\":"), assay_number(t[i].mg);
    printf(",\"eg\":"), assay_number(t[i].eg);
    putchar('}');
  }
  printf("]}\n");
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

static inline void assay_add(int term, double count) {
  if (term < 0 || term >= assay_.terms) assay_stop("assay_add of a term that assay_begin does not have", term);
  if (!assay_.seen[term]) assay_.seen[term] = 1, assay_.used[assay_.n++] = (uint16_t)term;
  assay_.count[term] += count;
}

/* Ends a record: eval = offset + flat terms
     + scale x (phase x middlegame half + (1 - phase) x eg_scale x endgame half). */
static inline void assay_end(double phase, double scale, double eg_scale, double offset, double eval) {
  int i;
  printf("{\"term\":[");
  for (i = 0; i < assay_.n; i++) printf(i ? ",%d" : "%d", assay_.used[i]);
  printf("],\"count\":[");
  for (i = 0; i < assay_.n; i++) {
    int t = assay_.used[i];
    if (i) putchar(',');
    assay_number(assay_.count[t]);
    assay_.seen[t] = 0, assay_.count[t] = 0;
  }
  assay_.n = 0;
  printf("],\"phase\":"), assay_number(phase);
  printf(",\"scale\":"), assay_number(scale);
  printf(",\"eg_scale\":"), assay_number(eg_scale);
  printf(",\"offset\":"), assay_number(offset);
  if (eval > ASSAY_NO_EVAL) printf(",\"eval\":"), assay_number(eval);
  printf("}\n");
}

/* The number behind a key in a line of a weight file; 0: there is none. */
static inline int assay_value(const char *line, const char *key, double *v) {
  const char *at = strstr(line, key);
  char *end;
  if (!at) return 0;
  *v = (double)strtol(at + strlen(key), &end, 10); /* whole numbers */
  return end != at + strlen(key) && (*end == ',' || *end == '}');
}

/* Reads a name up to its quotation mark, and returns what follows. */
static inline const char *assay_name(const char *p, char *name, size_t size) {
  size_t n = 0;
  for (; *p && *p != '"' && n + 1 < size; p++) {
    unsigned code = (unsigned char)*p;
    if (*p == '\\' && (*++p != 'u' || sscanf(p + 1, "%4x", &code) != 1)) code = (unsigned char)*p;
    else if (*p == 'u' && p[-1] == '\\') p += 4;
    name[n++] = (char)code;
  }
  name[n] = 0;
  return *p == '"' ? p + 1 : NULL;
}

/* Gives the terms the values of a weight file, as assay tune wrote it: one term a line. It must have all n terms,
   by name, and no others. Returns NULL, or an error; then the terms are as before. */
static inline const char *assay_load(const char *path, assay_term *terms, int n) {
  static char wrong[1400];
  char line[2048], name[1024];
  int i, number = 0, loaded = 0, format = 0;
  double *value = (double *)calloc(2 * (size_t)n + 2, sizeof(double));
  unsigned char *seen = (unsigned char *)calloc((size_t)n + 1, 1);
  FILE *f = fopen(path, "rb");
  wrong[0] = 0;
  if (!f || !value || !seen) snprintf(wrong, sizeof wrong, "cannot read %.1000s", path);
  while (!wrong[0] && fgets(line, sizeof line, f)) {
    const char *p = line + strspn(line, " ");
    number++;
    format |= strstr(p, "\"format\": \"assay.weights/1\"") == p;
    if (strncmp(p, "{\"name\": \"", 10)) continue;
    p = assay_name(p + 10, name, sizeof name);
    for (i = loaded < n ? loaded : 0; i < n && terms[i].name && strcmp(terms[i].name, name); i++) {}
    if (i >= n) for (i = 0; i < n && strcmp(terms[i].name, name); i++) {} /* another order */
    if (!p || i >= n || seen[i] || !assay_value(p, "\"mg\": ", &value[2 * i]))
      snprintf(wrong, sizeof wrong, "%.300s, line %d: term \"%.1000s\" is unknown, is there twice, or has no value", path, number, name);
    else if (!assay_value(p, "\"eg\": ", &value[2 * i + 1])) value[2 * i + 1] = value[2 * i];
    if (!wrong[0]) seen[i] = 1, loaded++;
  }
  if (f) fclose(f);
  if (!wrong[0] && !format) snprintf(wrong, sizeof wrong, "%.1000s is no weight file of assay", path);
  if (!wrong[0] && loaded < n) snprintf(wrong, sizeof wrong, "%.1000s has %d terms, want %d", path, loaded, n);
  for (i = 0; i < n && !wrong[0]; i++) terms[i].mg = value[2 * i], terms[i].eg = value[2 * i + 1];
  free(value), free(seen);
  return wrong[0] ? wrong : NULL;
}
#endif
