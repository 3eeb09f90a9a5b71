#ifndef BOARD_H
#define BOARD_H

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PIECES };

struct board {
    int piece[64]; /* from White's side up; PIECES is empty */
    int black[64];
    int black_moves;
};

extern struct board board;

void setup(const char *fen);
int evaluate(void);
void refresh(void);
int kings(int square);

#endif
