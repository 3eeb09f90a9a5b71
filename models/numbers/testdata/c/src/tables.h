#ifndef TABLES_H
#define TABLES_H

#define VERSION "5 \
  6"
#define TWELVE 12 // an #if asks for it
#define ISOLATED (-14)
#define CENTRE 3
#define LANES 8
#define S(mg, eg) ((int)((unsigned)(eg) << 16) + (mg))

typedef const int weight;
#define TABLE static const

enum material {
    PAWN_VALUE = 100,
    KNIGHT_VALUE = 320,
    BISHOP_VALUE,
    ROOK_VALUE = 500,
    QUEEN_VALUE = KNIGHT_VALUE * 3
};

extern weight tempo;
extern const short pst[3][LANES];
extern const int knights[2];

/* Each file that includes it has its own. */
TABLE int lanes[LANES] = {0, 5, 10, 21, 20, 11, 6, 1};

#endif
