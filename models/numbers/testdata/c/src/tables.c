#include "board.h"
#include "tables.h"

/* const int comment = 5; */
weight tempo = 9, half = 4; // = 10;
const char *text = "int x = 5;", quote = '\'', open = '{';

const short pst[3][LANES] = {
    {0, +5, 10, 20, 30, 50, 80, 0},
    [2] = {7, 7, 8, 8, 7, 7, 8, 8},
    [1] = {-20, 0, /* 99 */ 5, 10,
#if TWELVE > 10
           15, 10,
#else
           16, 11,
#endif
           0, 8},
};

const int knights[2] = {-7, 9};

int packed[] = { S( 12,  -5), S(-3, 40), S(-CENTRE, 6) + 2 };

struct shelter {
    int open, storm[3];
    double slope;
};

static const struct shelter shelter = {.storm = {4, -9, 14}, .open = -18, .slope = 1.25};

static const unsigned short values[PIECES] = {PAWN_VALUE, KNIGHT_VALUE, BISHOP_VALUE, ROOK_VALUE, QUEEN_VALUE, 20000u};

/* Made from numbers when the program starts. */
static int tapered[3];

static const int *const rows[] = {lanes, packed};

static const int phase[PIECES] = {0, 1, 1, 2, 4, 0};
static const int flip[LANES] = {7, 6, 5, 4, 3, 2, 1, 0};
static const int mate_score = 31000, spread = 16;
static const unsigned long long corners = 129;
static const float scale[] = {1, .5f};
static int room[3];

__attribute__((constructor)) static void start(void) {
    for (int i = 0; i < 3; i++)
        tapered[i] = (short)packed[i] + ((packed[i] + 0x8000) >> 16);
}

void refresh(void) { start(); }

int evaluate(void) {
    static const int bonus[2] = {BISHOP_VALUE - ROOK_VALUE, PAWN_VALUE};
    int sum = 0, bishops = 0;
    for (int i = 0; i < 64; i++) {
        int p = board.piece[i], side = board.black[i] ? -1 : 1, rank = board.black[i] ? 7 - i / 8 : i / 8;
        if (p == PIECES)
            continue;
        sum += side * (values[p] + (p < 3 ? pst[p][flip[7 - rank]] : tapered[p - 3]) + rows[0][i % 8]);
        if (p == PAWN && rank > 3)
            sum += side * (shelter.storm[i % 3] + shelter.open * (i % 8 == 0) + ISOLATED * (i % 8 == 7));
        if (p == KNIGHT)
            sum += side * (knights[i & 1] + CENTRE * (rank == 4) + (int)(shelter.slope * rank * 8));
        if (p == BISHOP)
            bishops += side;
        if (p == KING)
            sum += side * kings(i);
        room[p % 3] = phase[p] + (corners >> i & 1) * bonus[board.black_moves];
        sum += side * room[p % 3];
    }
    if (sum > mate_score)
        return sum;
    sum += (int)(64 * scale[bishops > 1] + half * bishops) / spread;
    return sum + (board.black_moves ? -tempo : tempo);
}
