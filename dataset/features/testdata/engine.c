/* An engine of seven terms: material, rooks on files without pawns, and tempo.

     cc -O2 -I.. -o engine engine.c
     assay features positions --cmd './engine dump' --out features */
#include "assay_features.h"

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, ROOK_OPEN, TEMPO, TERMS };

static const assay_term terms[TERMS] = {
    {"pawn", "material", 82, 94, ASSAY_TAPERED},     {"knight", "material", 337, 281, ASSAY_TAPERED},
    {"bishop", "material", 365, 297, ASSAY_TAPERED}, {"rook", "material", 477, 512, ASSAY_TAPERED},
    {"queen", "material", 1025, 936, ASSAY_TAPERED}, {"rook.open", "rooks", 20, 10, ASSAY_TAPERED},
    {"tempo", "tempo", 12, 12, ASSAY_FLAT},
};

int main(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], "dump")) {
    fprintf(stderr, "usage: engine dump\n");
    return 2;
  }
  assay_begin("example-c", terms, TERMS);
  char fen[ASSAY_FEN];
  while (assay_next(fen)) {
    static const char white_pieces[] = "PNBRQ", black_pieces[] = "pnbrq";
    static const int weight[] = {0, 1, 1, 2, 4};
    int count[TERMS] = {0}, pawns[8] = {0}, rooks[8] = {0}, phase = 0, file = 0;
    const char *c = fen;
    for (; *c && *c != ' '; c++) {
      const char *white = strchr(white_pieces, *c), *black = strchr(black_pieces, *c);
      int kind = white ? (int)(white - white_pieces) : black ? (int)(black - black_pieces) : -1;
      if (*c == '/') { file = 0; continue; }
      if (*c >= '1' && *c <= '8') { file += *c - '0'; continue; }
      if (kind >= 0) {
        int sign = white ? 1 : -1;
        count[kind] += sign;
        phase += weight[kind];
        if (kind == PAWN) pawns[file & 7]++;
        if (kind == ROOK) rooks[file & 7] += sign;
      }
      file++;
    }
    for (int f = 0; f < 8; f++)
      if (!pawns[f]) count[ROOK_OPEN] += rooks[f];
    count[TEMPO] = *c && c[1] == 'w' ? 1 : -1;
    if (phase > 24) phase = 24;
    int mg = 0, eg = 0;
    for (int i = 0; i < TERMS; i++) {
      assay_add(i, count[i]);
      if (i != TEMPO) mg += count[i] * (int)terms[i].mg, eg += count[i] * (int)terms[i].eg;
    }
    assay_halves(mg, eg);
    assay_end(phase / 24.0, 1, 1, 0, (mg * phase + eg * (24 - phase)) / 24 + 12 * count[TEMPO]);
  }
  return 0;
}
