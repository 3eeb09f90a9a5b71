static Board assay_board;
#define ASSAY_BOARD assay_board
#include "assay.h"
void assay_start(void) {}
void assay_position(const char *fen) { parse(&assay_board, fen); }
int assay_value(void) { Eval e; return evaluate(&assay_board, &e), e.value; } /* White's view */
void assay_refresh(void) {}
