#pragma once

enum Piece { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PIECES };

class Board {
    int pieces[64];
    bool blacks[64];

  public:
    bool black = false;
    explicit Board(const char *fen);
    int piece(int square) const { return pieces[square]; }
    bool isBlack(int square) const { return blacks[square]; }
};

int evaluate(const Board &board);
int shelter(const Board &board, int square);
