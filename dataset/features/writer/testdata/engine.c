/* A test of assay_features.h: odd records, the same in every language. */
#include "../../assay_features.h"

int main(int argc, char **argv) {
  const assay_term terms[] = {
      {"a", "g", 100, 120.5, ASSAY_TAPERED}, {"b", "g", -3, -3, ASSAY_FLAT | ASSAY_ASYMMETRIC}, {"c", "h", 7, 7, ASSAY_SINGLE},
      {assay_element("d", 3, 0), "h", 23, 0, ASSAY_MG}, {assay_element("e", 7, 4), "h", 0, 1, ASSAY_EG | ASSAY_FIXED}};
  char fen[ASSAY_FEN];
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
