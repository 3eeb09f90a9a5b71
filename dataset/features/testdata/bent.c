/* An engine whose evaluation is not linear: king danger counts by its square, a factor shrinks
   the endgame half of the side that is ahead without pawns, pawns in all add to that side, and
   endings without pawns have an evaluation of their own.

     cc -O2 -I.. -o bent bent.c
     assay features positions --cmd './bent dump' --out features */
#include "assay_features.h"

enum { MAIN, DANGER, COMPLEXITY };
enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, NEAR, ROOK_NEAR, QUEEN_NEAR, PAWNS, BASE, DIVISOR, TERMS };

static const assay_channel channels[] = {{"main", ASSAY_TAPERED, 0}, {"danger", ASSAY_TAPERED, 1}, {"complexity", ASSAY_PLAIN, 0}};
static const assay_column columns[] = {{"f", 1}, {"one", 0}};

static const assay_term terms[TERMS] = {
    {"pawn", "material", 82, 94, ASSAY_TAPERED},      {"knight", "material", 337, 281, ASSAY_TAPERED},
    {"bishop", "material", 365, 297, ASSAY_TAPERED},  {"rook", "material", 477, 512, ASSAY_TAPERED},
    {"queen", "material", 1025, 936, ASSAY_TAPERED},  {"near", "king", 40, 10, ASSAY_TAPERED + ASSAY_OF(DANGER)},
    {"rook.near", "king", 55, 20, ASSAY_TAPERED + ASSAY_OF(DANGER)}, {"queen.near", "king", 90, 15, ASSAY_TAPERED + ASSAY_OF(DANGER)},
    {"pawns", "complexity", 3, 3, ASSAY_PLAIN + ASSAY_OF(COMPLEXITY)}, {"base", "complexity", -30, -30, ASSAY_PLAIN + ASSAY_OF(COMPLEXITY)},
    {"divisor", NULL, 720, 10, ASSAY_SCALAR},
};

int main(int argc, char **argv) {
  if (argc != 2 || (strcmp(argv[1], "dump") && strcmp(argv[1], "square"))) {
    fprintf(stderr, "usage: bent dump\n");
    return 2;
  }
  assay_formula = "let m  = main.mg + balance(danger.mg*max(danger.mg, 0)//divisor);\n"
                  "let e0 = main.eg + balance(max(danger.eg, 0)//20);\n"
                  "let e  = e0 + sign(e0)*max(complexity, -abs(e0));\n"
                  "value  = m*phase + e*(1 - phase)*if(e < 0, f.black, f.white) + 0*one";
  assay_channels = channels, assay_channel_count = 3;
  assay_columns = columns, assay_column_count = 2;
  assay_begin("example-bent", terms, TERMS);
  char fen[ASSAY_FEN];
  while (assay_next(fen)) {
    static const char names[] = "PNBRQ";
    static const int weight[] = {0, 1, 1, 2, 4};
    int count[2][5] = {{0}}, near[2][3] = {{0}}, square[64], king[2] = {0, 0}, phase = 0, at = 0;
    const char *c = fen;
    for (int i = 0; i < 64; i++) square[i] = -1;
    for (; *c && *c != ' '; c++) {
      if (*c == '/') continue;
      if (*c >= '1' && *c <= '8') { at += *c - '0'; continue; }
      int black = *c >= 'a';
      const char *kind = strchr(names, black ? *c - 32 : *c);
      if (kind) {
        count[black][kind - names]++, phase += weight[kind - names];
        square[at & 63] = 8 * black + (int)(kind - names);
      } else {
        king[black] = at;
      }
      at++;
    }
    for (int i = 0; i < 64; i++) {
      if (square[i] < 0) continue;
      int side = square[i] / 8, kind = square[i] % 8, k = king[1 - side];
      int dx = abs(i % 8 - k % 8), dy = abs(i / 8 - k / 8);
      if (kind != PAWN && (dx > dy ? dx : dy) <= 3) near[side][kind == QUEEN ? 2 : kind == ROOK ? 1 : 0]++;
    }
    if (phase > 24) phase = 24;
    if (count[0][PAWN] + count[1][PAWN] == 0) {
      assay_skip("no pawns");
      continue;
    }
    int mg = 0, eg = 0, danger[2][2] = {{0}};
    for (int i = PAWN; i <= QUEEN; i++) {
      int n = count[0][i] - count[1][i];
      assay_add(i, n);
      mg += n * (int)terms[i].mg, eg += n * (int)terms[i].eg;
    }
    for (int i = 0; i < 3; i++) {
      assay_add_sides(NEAR + i, near[0][i], near[1][i]);
      for (int s = 0; s < 2; s++) danger[s][0] += near[s][i] * (int)terms[NEAR + i].mg, danger[s][1] += near[s][i] * (int)terms[NEAR + i].eg;
    }
    int pawns = count[0][PAWN] + count[1][PAWN], complexity = 3 * pawns - 30;
    assay_add(PAWNS, pawns), assay_add(BASE, 1);
    for (int s = 0; s < 2; s++) {
      int d = danger[s][0], safe = d > 0 ? d * d / 720 : 0;
      if (!strcmp(argv[1], "square")) safe = d > 0 ? d * d / 600 : 0; /* another divisor than the formula's */
      mg += s ? -safe : safe, eg += (s ? -1 : 1) * (danger[s][1] / 20);
    }
    int size = abs(eg), bonus = complexity > -size ? complexity : -size;
    eg += eg > 0 ? bonus : eg < 0 ? -bonus : 0;
    double f[2] = {count[0][PAWN] ? 1 : 0.5, count[1][PAWN] ? 1 : 0.5};
    assay_set_sides(0, f[0], f[1]), assay_set(1, 1);
    int value = (int)((mg * phase + eg * (eg < 0 ? f[1] : f[0]) * (24 - phase)) / 24);
    assay_end(phase / 24.0, 1, 1, 0, value);
  }
  return 0;
}
