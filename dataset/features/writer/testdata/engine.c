/* A test of assay_features.h: odd records, the same in every language. */
#include "../../assay_features.h"

/* The record of an evaluation with a formula. */
static int bent(int mixed) {
  static const assay_channel channels[] = {{"main", ASSAY_TAPERED, 0}, {"danger", ASSAY_PLAIN, 1}};
  static const assay_column columns[] = {{"f", 1}, {"g", 0}};
  const assay_term terms[] = {
      {"a", "g", 100, 120.5, ASSAY_TAPERED}, {"b", "h", 3, 3, ASSAY_PLAIN | ASSAY_OF(1)}, {"k", NULL, 2.5, 0.5, ASSAY_SCALAR}};
  char fen[ASSAY_FEN];
  assay_formula = "value = main.mg*phase + main.eg*(1 - phase) # \"odd\"\n + balance(danger^2*f)/k + g";
  assay_channels = channels, assay_channel_count = 2, assay_columns = columns, assay_column_count = 2;
  assay_begin("bent", terms, 3);
  while (assay_next(fen)) {
    int n = (int)strlen(fen);
    if (n < 10) {
      assay_add(0, 9);
      assay_skip("KPK");
      continue;
    }
    if (mixed) assay_add(1, n); /* stops: each side of it is counted */
    assay_add(0, 2), assay_add_sides(1, n, 1), assay_add_sides(1, 0, 0.25);
    assay_set_sides(0, 0.5, 0.75), assay_set(1, n);
    assay_end(0.5, 1, 1, 0, n);
  }
  return 0;
}

/* Prints the terms with the weights of a file. */
static int load(const char *file) {
  assay_term t[] = {{"a", "g", 5, 6, ASSAY_TAPERED}, {"b<\"\\", "g", 0, 0, ASSAY_SINGLE}, {"k", NULL, 9, 0.5, ASSAY_SCALAR}};
  const char *wrong = assay_load(file, t, 3);
  if (!wrong) printf("%g %g %g %g %g\n", t[0].mg, t[0].eg, t[1].mg, t[1].eg, t[2].mg);
  else if (t[0].mg == 5 && t[0].eg == 6 && t[1].mg == 0 && t[2].mg == 9) printf("error\n");
  return 0;
}

int main(int argc, char **argv) {
  const assay_term terms[] = {
      {"a", "g", 100, 120.5, ASSAY_TAPERED}, {"b", "g", -3, -3, ASSAY_FLAT | ASSAY_ASYMMETRIC}, {"c", "h", 7, 7, ASSAY_SINGLE},
      {assay_element("d", 3, 0), "h", 23, 0, ASSAY_MG}, {assay_element("e", 7, 4), "h", 0, 1, ASSAY_EG | ASSAY_FIXED}};
  char fen[ASSAY_FEN];
  if (argc > 1 && !strcmp(argv[1], "bent")) return bent(0);
  if (argc > 2 && !strcmp(argv[1], "load")) return load(argv[2]);
  if (argc > 1 && !strcmp(argv[1], "mixed")) return bent(1);
  assay_unit = 256, assay_float = 1, assay_resolves = 1;
  assay_by_side = argc > 1 && !strcmp(argv[1], "sides"), assay_by_sign = !assay_by_side;
  assay_begin("t\"\\", terms, 5);
  while (assay_next(fen)) {
    int n = (int)strlen(fen);
    assay_leaf(fen);
    if (argc > 1 && !strcmp(argv[1], "bad")) assay_add(5, 1);
    if (assay_by_side) {
      assay_add_sides(2, n, 1), assay_add_sides(0, 0.5, 2), assay_add_sides(3, 1, 0);
      assay_halves_sides(n, 2, 3), assay_scales(0.5, 0.75);
      assay_end(1.25, 1, 1, -3.5, ASSAY_NO_EVAL);
    } else {
      assay_add(2, n), assay_add(0, 1), assay_add(0, -1), assay_add(1, -2), assay_add(4, 77);
      assay_halves(n, -n);
      assay_end(0.5, 2, 0.25, -3.5, n);
    }
  }
  return 0;
}
