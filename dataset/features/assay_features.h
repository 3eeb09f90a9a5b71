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

   An evaluation that is not linear has channels, sums of terms, and a formula of them:

     static const assay_channel channels[] = {{"main", ASSAY_TAPERED, 0}, {"danger", ASSAY_PLAIN, 1}};
     static const assay_column columns[] = {{"f", 1}};                    // 1: of each side
     static const assay_term terms[] = {
         {"pawn", "material", 100, 120, ASSAY_TAPERED},                   // of channel 0
         {"queen.near", "king", 13, 13, ASSAY_PLAIN + ASSAY_OF(1)},       // of channel 1
         {"divisor", NULL, 720, 10, ASSAY_SCALAR}};                       // rounded to steps of 10

     assay_formula = "let e = main.eg - balance(max(danger, 0)//20);"
                     "value = (main.mg - balance(danger*max(danger, 0)//divisor))*phase"
                     "      + e*(1 - phase)*if(e < 0, f.black, f.white)";
     assay_channels = channels, assay_channel_count = 2;
     assay_columns = columns, assay_column_count = 1;

   and then, in a record, assay_add for terms of channels that do not count each side,
   assay_add_sides for the others, assay_set_sides(0, 1, 0.5) for the column f, or
   assay_set(...) for one that is not of each side; assay_skip("KPK") instead of assay_end
   where a special endgame has an evaluation of its own.

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
  ASSAY_SCALAR,     /* a number of the formula, with its step in eg; NAME.0, NAME.1 and so on are a table */
  ASSAY_PLAIN = ASSAY_SINGLE, /* of a channel: one sum, not two halves */
  ASSAY_ASYMMETRIC  = 8, /* not the same for both colors on purpose */
  ASSAY_FIXED       = 16 /* no fit changes it: a part that is not linear, with value 1 and the part as its count */
};

/* With a formula, added to the kind of a term: the index of its channel. */
#define ASSAY_OF(channel) ((channel) << 8)

typedef struct { const char *name, *group; double mg, eg; int kind; } assay_term;
typedef struct { const char *name; int kind, sides; } assay_channel;
typedef struct { const char *name; int sides; } assay_column;

/* Options, to be set before assay_begin. */
static double assay_unit = 100;    /* engine units a pawn */
static int assay_float = 0;        /* counts may be fractions, or outside -128 to 127 */
static int assay_by_sign = 0;      /* eg_scale is that of the side that the endgame half favors */
static int assay_by_side = 0;      /* sides are scaled on their own: assay_add_sides, assay_scales */
static int assay_resolves = 0;     /* each record is about a leaf: assay_leaf */
static const char *assay_formula = NULL; /* of an evaluation that is not linear */
static const assay_channel *assay_channels = NULL;
static const assay_column *assay_columns = NULL;
static int assay_channel_count = 0, assay_column_count = 0;

static struct {
  int terms, n;             /* of all; of the record */
  double *white, *black;    /* counts by term; without by_side white holds both sides' */
  unsigned char *sided;     /* by term: each side is counted */
  uint16_t *used;           /* the terms of the record */
  unsigned char *seen;      /* by term: it is in used */
  int32_t half[3];
  int halves;
  int sides;                /* counts are by side */
  float column[2 * 256];    /* White's or both sides', Black's */
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

/* The part of the header about a formula. */
static inline void assay_bend(void) {
  int i;
  assay_text(",\"formula\":"), assay_string(assay_formula), assay_text(",\"channels\":[");
  for (i = 0; i < assay_channel_count; i++) {
    assay_text(i ? ",{\"name\":" : "{\"name\":"), assay_string(assay_channels[i].name);
    assay_text(assay_channels[i].kind == ASSAY_TAPERED ? ",\"kind\":\"tapered\"" : ",\"kind\":\"plain\"");
    assay_text(assay_channels[i].sides ? ",\"sides\":true}" : "}");
    assay_.sides |= assay_channels[i].sides;
  }
  assay_text("],\"columns\":[");
  for (i = 0; i < assay_column_count; i++) {
    assay_text(i ? ",{\"name\":" : "{\"name\":"), assay_string(assay_columns[i].name);
    assay_text(assay_columns[i].sides ? ",\"sides\":true}" : "}");
  }
  assay_text("]");
}

static inline void assay_begin(const char *model, const assay_term *t, int n) {
  int i;
  if (n < 0 || n > 65536) assay_stop("the number of terms is not between 0 and 65536", n);
#ifdef _WIN32
  _setmode(_fileno(stdout), _O_BINARY);
#endif
  assay_.terms = n;
  assay_.sides = assay_by_side;
  if (assay_column_count < 0 || assay_column_count > 256) assay_stop("the number of columns is not between 0 and 256", assay_column_count);
  assay_.white = (double *)calloc((size_t)n + 1, sizeof(double));
  assay_.black = (double *)calloc((size_t)n + 1, sizeof(double));
  assay_.sided = (unsigned char *)calloc((size_t)n + 1, 1);
  assay_.used = (uint16_t *)calloc((size_t)n + 1, sizeof(uint16_t));
  assay_.seen = (unsigned char *)calloc((size_t)n + 1, 1);
  assay_.scale_white = assay_.scale_black = 1;
  if (!assay_.white || !assay_.black || !assay_.used || !assay_.seen || !assay_.sided) assay_stop("out of memory; terms", n);
  assay_text("{\"format\":\"assay.features/2\",\"records\":\"binary\",\"model\":");
  assay_string(model);
  assay_text(",\"unit\":"), assay_number(assay_unit);
  if (assay_float) assay_text(",\"float\":true");
  if (assay_by_sign) assay_text(",\"eg_scale\":\"sign\"");
  if (assay_by_side) assay_text(",\"by_side\":true");
  if (assay_resolves) assay_text(",\"resolves\":true");
  if (assay_formula) assay_bend();
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
      case ASSAY_SCALAR: assay_text(",\"kind\":\"scalar\""); break;
      default: assay_stop("no such kind; term", i);
    }
    if (t[i].kind & ASSAY_ASYMMETRIC) assay_text(",\"asymmetric\":true");
    if (t[i].kind & ASSAY_FIXED) assay_text(",\"fixed\":true");
    if ((t[i].kind & 7) == ASSAY_SCALAR) {
      assay_text(",\"mg\":"), assay_number(t[i].mg);
      assay_text(",\"eg\":"), assay_number(t[i].mg);
      assay_text(",\"step\":"), assay_number(t[i].eg);
      assay_text("}");
      continue;
    }
    assay_.sided[i] = (unsigned char)(assay_by_side != 0);
    if (assay_formula) {
      if (t[i].kind >> 8 >= assay_channel_count) assay_stop("no such channel; term", i);
      assay_.sided[i] = (unsigned char)(assay_channels[t[i].kind >> 8].sides != 0);
      assay_text(",\"channel\":"), assay_string(assay_channels[t[i].kind >> 8].name);
    }
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
  assay_.white[term] += white, assay_.black[term] += black; /* a sum of floats would depend on the order */
}

static inline void assay_add(int term, double count) {
  if (term >= 0 && term < assay_.terms && assay_.sided[term])
    assay_stop("a term counted for each side needs assay_add_sides(term, white, black), not assay_add; term", term);
  assay_count(term, count, 0);
}

/* The numbers of a column. They are 0 again in the next record. */
static inline void assay_set_sides(int column, double white, double black) {
  if (column < 0 || column >= assay_column_count) assay_stop("assay_set of a column that assay_columns does not have", column);
  assay_.column[2 * column] = (float)white, assay_.column[2 * column + 1] = (float)black;
}
static inline void assay_set(int column, double value) { assay_set_sides(column, value, 0); }

static inline void assay_add_sides(int term, double white, double black) {
  if (!assay_by_side && !assay_.sides) assay_stop("assay_add_sides needs assay_by_side, for term", term);
  if (black != 0 && term >= 0 && term < assay_.terms && !assay_.sided[term])
    assay_stop("a term of a channel that does not count each side needs assay_add(term, white - black), not assay_add_sides; term", term);
  assay_count(term, white, black);
}

/* The halves as the engine has them before the taper: the sums of count x mg and count x eg
   of all terms that are not flat; with a formula, of the terms of its first tapered channel,
   or the values of its lets of either half. They must agree exactly. */
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

/* With a formula, in place of assay_end: no fit takes the position. */
static inline void assay_skip(const char *reason) {
  size_t n = strlen(reason);
  unsigned char length = (unsigned char)(n > 255 ? 255 : n), flags[2] = {64, 0xA6};
  int i;
  if (!length) assay_stop("assay_skip without a reason", 0);
  assay_u16(0), assay_put(flags, 2);
  for (i = 0; i < 5; i++) assay_f32(0);
  assay_put(&length, 1);
  for (i = 0; i < length; i++) assay_put(reason + i, 1);
  for (i = 0; i < assay_.n; i++) {
    int t = assay_.used[i];
    assay_.seen[t] = 0, assay_.white[t] = assay_.black[t] = 0;
  }
  memset(assay_.column, 0, sizeof assay_.column);
  assay_.n = assay_.halves = 0;
}

/* Ends a record: eval is the formula's value or, without one, eval = offset + flat terms
     + scale x (phase x middlegame half + (1 - phase) x eg_scale x endgame half). */
static inline void assay_end(double phase, double scale, double eg_scale, double offset, double eval) {
  int i, side, n = 0, wide = 0;
  unsigned char flags[2] = {0, 0xA6};
  for (i = 0; i < assay_.n; i++) { /* what cancels out is left out */
    int t = assay_.used[i];
    float w = (float)assay_.white[t], b = (float)assay_.black[t];
    assay_.seen[t] = 0;
    if (w > -1e-9f && w < 1e-9f && b > -1e-9f && b < 1e-9f) {
      assay_.white[t] = assay_.black[t] = 0;
      continue;
    }
    wide |= !(w >= -128 && w <= 127 && b >= -128 && b <= 127) || w != (float)(int)w || b != (float)(int)b;
    assay_.used[n++] = (uint16_t)t;
  }
  flags[0] = (unsigned char)((eval > ASSAY_NO_EVAL ? 1 : 0) | (wide ? 2 : 0) | (assay_.halves ? 16 : 0) | (assay_by_side ? 32 : 0) |
                             (assay_formula && assay_.sides ? 4 : 0) | (assay_column_count ? 8 : 0));
  assay_u16((unsigned)n);
  assay_put(flags, 2);
  assay_f32(phase), assay_f32(scale), assay_f32(eg_scale), assay_f32(offset);
  assay_f32(eval > ASSAY_NO_EVAL ? eval : 0);
  for (i = 0; i < n; i++) assay_u16(assay_.used[i]);
  for (side = 0; side <= assay_.sides; side++) {
    double *count = side ? assay_.black : assay_.white;
    for (i = 0; i < n; i++) {
      float c = (float)count[assay_.used[i]];
      signed char small = (signed char)(wide ? 0 : c);
      if (wide) assay_f32(c);
      else assay_put(&small, 1);
      count[assay_.used[i]] = 0;
    }
  }
  for (i = 0; i < assay_.halves; i++) assay_u32((uint32_t)assay_.half[i]);
  if (assay_by_side) assay_f32(assay_.scale_white), assay_f32(assay_.scale_black);
  for (i = 0; i < assay_column_count; i++) {
    assay_f32(assay_.column[2 * i]);
    if (assay_columns[i].sides) assay_f32(assay_.column[2 * i + 1]);
  }
  memset(assay_.column, 0, sizeof assay_.column);
  assay_.n = assay_.halves = 0;
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
   by name, and no others. Returns NULL, or what is wrong; then the terms are as before. */
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
  for (i = 0; i < n && !wrong[0]; i++) {
    if ((terms[i].kind & 7) == ASSAY_SCALAR) terms[i].mg = value[2 * i] * terms[i].eg; /* its step */
    else terms[i].mg = value[2 * i], terms[i].eg = value[2 * i + 1];
  }
  free(value), free(seen);
  return wrong[0] ? wrong : NULL;
}
#endif
