/* flint: a small chess engine with a tapered evaluation, to tune. Material, piece-square
   tables mirrored left to right, mobility, passed, doubled and isolated pawns, the bishop
   pair, tempo, and an endgame factor of the side that the endgame half favors. UCI, standard
   chess, with three parameters of the search as options. assay.toml and assay.c say how
   assay tunes it.

     cc -O2 -o flint flint.c
     ./flint                 UCI
     ./flint bench           nodes of a fixed search */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The weights: S(middlegame, endgame). They are guesses. */
#define S(mg, eg) ((eg) * 65536 + (mg))
#define MG(s) ((int16_t)(s))
#define EG(s) ((int16_t)(((s) + 0x8000) >> 16))
static const int material[5] = {
    S(100, 100), S(300, 300), S(300, 300), S(500, 500), S(900, 900),
};
static const int pst[192] = {
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(2, 5), S(2, 5), S(2, 5), S(2, 5), S(4, 10), S(4, 10), S(4, 10), S(4, 10),
    S(6, 15), S(6, 15), S(6, 15), S(6, 15), S(8, 20), S(8, 20), S(8, 20), S(8, 20),
    S(10, 25), S(10, 25), S(10, 25), S(10, 25), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(-12, -12), S(-8, -8), S(-4, -4), S(0, 0), S(-8, -8), S(-4, -4), S(0, 0), S(4, 4),
    S(-4, -4), S(0, 0), S(4, 4), S(8, 8), S(0, 0), S(4, 4), S(8, 8), S(12, 12),
    S(0, 0), S(4, 4), S(8, 8), S(12, 12), S(-4, -4), S(0, 0), S(4, 4), S(8, 8),
    S(-8, -8), S(-4, -4), S(0, 0), S(4, 4), S(-12, -12), S(-8, -8), S(-4, -4), S(0, 0),
    S(-12, -12), S(-8, -8), S(-4, -4), S(0, 0), S(-8, -8), S(-4, -4), S(0, 0), S(4, 4),
    S(-4, -4), S(0, 0), S(4, 4), S(8, 8), S(0, 0), S(4, 4), S(8, 8), S(12, 12),
    S(0, 0), S(4, 4), S(8, 8), S(12, 12), S(-4, -4), S(0, 0), S(4, 4), S(8, 8),
    S(-8, -8), S(-4, -4), S(0, 0), S(4, 4), S(-12, -12), S(-8, -8), S(-4, -4), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0), S(0, 0),
    S(0, -15), S(0, -10), S(0, -5), S(0, 0), S(-10, -10), S(-10, -5), S(-10, 0), S(-10, 5),
    S(-20, -5), S(-20, 0), S(-20, 5), S(-20, 10), S(-30, 0), S(-30, 5), S(-30, 10), S(-30, 15),
    S(-30, 0), S(-30, 5), S(-30, 10), S(-30, 15), S(-30, -5), S(-30, 0), S(-30, 5), S(-30, 10),
    S(-30, -10), S(-30, -5), S(-30, 0), S(-30, 5), S(-30, -15), S(-30, -10), S(-30, -5), S(-30, 0),
};
static const int mobility[4] = {
    S(2, 2), S(2, 2), S(2, 2), S(2, 2),
};
static const int passed[8] = {
    S(0, 0), S(0, 0), S(5, 10), S(10, 20), S(15, 30), S(20, 40), S(25, 50), S(0, 0),
};
static const int pawns[2] = {
    S(-10, -10), S(-10, -10),
};
static const int bishop_pair = S(20, 20);
static const int tempo = 10;

enum { PAWN = 1, KNIGHT, BISHOP, ROOK, QUEEN, KING };
enum { INF = 32000, MATE = 31000, MAXPLY = 64 };

/* A board of 16 x 8 squares; sq & 0x88 is off the board. Black's pieces are negative. */
typedef struct {
  signed char at[128];
  int white, castling, ep, halfmove; /* White to move; rights KQkq = 1 2 4 8; ep square or -1 */
  uint64_t key;
} Board;

typedef struct { unsigned char from, to, promotion; } Move;

static const int knight_steps[] = {-33, -31, -18, -14, 14, 18, 31, 33, 0};
static const int king_steps[] = {-17, -15, 15, 17, -16, -1, 1, 16, 0}; /* bishop, then rook */
static const char letters[] = " PNBRQK";

static uint64_t random_of(uint64_t n) { /* splitmix64 */
  n = (n + 1) * 0x9e3779b97f4a7c15u;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
  return n ^ (n >> 31);
}

static void put(Board *b, int sq, int piece) {
  if (b->at[sq]) b->key ^= random_of((uint64_t)((b->at[sq] + 6) * 128 + sq));
  if (piece) b->key ^= random_of((uint64_t)((piece + 6) * 128 + sq));
  b->at[sq] = (signed char)piece;
}

/* What the key has beside the pieces. */
static uint64_t state_key(const Board *b) { return random_of((uint64_t)(5000 + b->castling + 16 * (b->ep + 1) + 8192 * b->white)); }

static int square_of(const char *s) { return s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8' ? (s[1] - '1') * 16 + s[0] - 'a' : -1; }

static void parse(Board *b, const char *fen) {
  int sq = 0x70;
  memset(b, 0, sizeof *b);
  for (; *fen && *fen != ' '; fen++) {
    const char *p;
    if (*fen == '/') sq -= 16 + (sq & 15);
    else if (*fen >= '1' && *fen <= '8') sq += *fen - '0';
    else if ((p = strchr(letters, *fen & 0x5f)) != NULL && !(sq & 0x88)) put(b, sq++, *fen & 0x20 ? (int)-(p - letters) : (int)(p - letters));
  }
  if (*fen) fen++;
  b->white = *fen != 'b';
  for (fen += fen[0] && fen[1] ? 2 : 0; *fen && *fen != ' '; fen++) {
    const char *rights = "KQkq", *p = strchr(rights, *fen);
    if (p) b->castling |= 1 << (p - rights);
  }
  b->ep = *fen ? square_of(fen + 1) : -1;
  if (*fen && (fen = strchr(fen + 1, ' ')) != NULL) b->halfmove = atoi(fen);
}

static int attacked(const Board *b, int sq, int by_white) {
  int i, to, side = by_white ? 1 : -1;
  for (i = -1; i <= 1; i += 2)
    if (!((to = sq - 16 * side + i) & 0x88) && b->at[to] == PAWN * side) return 1;
  for (i = 0; knight_steps[i]; i++)
    if (!((to = sq + knight_steps[i]) & 0x88) && b->at[to] == KNIGHT * side) return 1;
  for (i = 0; king_steps[i]; i++) {
    int slider = i < 4 ? BISHOP : ROOK, steps = 0;
    for (to = sq + king_steps[i]; !(to & 0x88); to += king_steps[i]) {
      int piece = b->at[to] * side;
      if (piece == slider || piece == QUEEN || (!steps && piece == KING)) return 1;
      if (b->at[to]) break;
      steps++;
    }
  }
  return 0;
}

static int in_check(const Board *b, int white) {
  int sq;
  for (sq = 0; sq < 128; sq++)
    if (b->at[sq] == (white ? KING : -KING)) return attacked(b, sq, !white);
  return 0;
}

static int add_move(Move *list, int n, int from, int to, int promotes) {
  int p;
  for (p = promotes ? QUEEN : 0; p >= (promotes ? KNIGHT : 0); p--)
    list[n].from = (unsigned char)from, list[n].to = (unsigned char)to, list[n++].promotion = (unsigned char)p;
  return n;
}

/* Moves that may leave the king in check; only captures and promotions if noisy. */
static int moves(const Board *b, Move *list, int noisy) {
  int n = 0, sq, i, to, side = b->white ? 1 : -1;
  for (sq = 0; sq < 120; sq++) {
    int piece = (sq & 0x88) ? 0 : b->at[sq] * side;
    if (piece == PAWN) {
      int last = (sq >> 4) == (b->white ? 6 : 1), first = (sq >> 4) == (b->white ? 1 : 6);
      to = sq + 16 * side;
      if (!b->at[to] && (!noisy || last)) {
        n = add_move(list, n, sq, to, last);
        if (first && !b->at[to + 16 * side]) n = add_move(list, n, sq, to + 16 * side, 0);
      }
      for (i = -1; i <= 1; i += 2)
        if (!((to = sq + 16 * side + i) & 0x88) && (b->at[to] * side < 0 || to == b->ep)) n = add_move(list, n, sq, to, last);
    } else if (piece > 0) {
      const int *steps = piece == KNIGHT ? knight_steps : king_steps;
      for (i = piece == ROOK ? 4 : 0; steps[i] && !(piece == BISHOP && i == 4); i++)
        for (to = sq + steps[i]; !(to & 0x88); to += steps[i]) {
          if (b->at[to] * side > 0) break;
          if (b->at[to] || !noisy) n = add_move(list, n, sq, to, 0);
          if (b->at[to] || piece == KNIGHT || piece == KING) break;
        }
    }
  }
  for (i = 0; i < 2 && !noisy; i++) { /* castling: short, long */
    int e1 = b->white ? 4 : 0x74, step = i ? -1 : 1;
    if ((b->castling >> (b->white ? i : i + 2) & 1) && !b->at[e1 + step] && !b->at[e1 + 2 * step] && !(i && b->at[e1 - 3]) &&
        !attacked(b, e1, !b->white) && !attacked(b, e1 + step, !b->white))
      n = add_move(list, n, e1, e1 + 2 * step, 0);
  }
  return n;
}

/* Plays a move on a copy of the board; 0 if it leaves the king in check. */
static int play(const Board *from, Board *b, Move m) {
  static const int corner[4] = {0x07, 0x00, 0x77, 0x70};
  int piece = from->at[m.from], kind = abs(piece), i, back = from->white ? -16 : 16;
  *b = *from;
  b->halfmove = kind == PAWN || from->at[m.to] ? 0 : from->halfmove + 1;
  put(b, m.from, 0);
  put(b, m.to, m.promotion ? (from->white ? m.promotion : -m.promotion) : piece);
  if (kind == PAWN && m.to == from->ep) put(b, m.to + back, 0);
  if (kind == KING && abs(m.to - m.from) == 2) { /* castling: the rook */
    int rook = m.to > m.from ? m.to + 1 : m.to - 2;
    put(b, (m.from + m.to) / 2, b->at[rook]), put(b, rook, 0);
  }
  for (i = 0; i < 4; i++)
    if (m.from == corner[i] || m.to == corner[i]) b->castling &= ~(1 << i);
  if (kind == KING) b->castling &= from->white ? ~3 : ~12;
  b->ep = kind == PAWN && abs(m.to - m.from) == 32 ? (m.from + m.to) / 2 : -1;
  b->white = !from->white;
  return !in_check(b, from->white);
}

static uint64_t perft(const Board *b, int depth) {
  Move list[256];
  Board next;
  uint64_t nodes = 0;
  int i, n = moves(b, list, 0);
  if (!depth) return 1;
  for (i = 0; i < n; i++)
    if (play(b, &next, list[i])) nodes += perft(&next, depth - 1);
  return nodes;
}

typedef struct { int mg, eg, phase, eg_scale, value; } Eval; /* eg_scale: of 16; value: White's view */

static void add(Eval *e, int weight, int n) { e->mg += n * MG(weight), e->eg += n * EG(weight); }

static void evaluate(const Board *b, Eval *e) {
  static const int phase_of[] = {0, 0, 1, 1, 2, 4, 0};
  int sq, i, to, bishops[2] = {0, 0}, in_file[2][8] = {{0}}, rear[2][8] = {{0}}, all_pawns[2] = {0, 0}, strong;
  memset(e, 0, sizeof *e);
  for (sq = 0; sq < 120; sq++) {
    int side = b->at[sq] < 0, file = sq & 7, rank = side ? sq >> 4 : 7 - (sq >> 4); /* rank from the enemy's side */
    if ((sq & 0x88) || abs(b->at[sq]) != PAWN) continue;
    in_file[side][file]++, all_pawns[side]++;
    if (rank > rear[side][file]) rear[side][file] = rank; /* of the rearmost pawn */
  }
  for (sq = 0; sq < 120; sq++) {
    int piece = (sq & 0x88) ? 0 : b->at[sq], kind = abs(piece), sign = piece > 0 ? 1 : -1, side = piece < 0;
    int file = sq & 7, rank = piece > 0 ? sq >> 4 : 7 - (sq >> 4);
    if (!piece) continue;
    if (kind != KING) add(e, material[kind - 1], sign);
    add(e, pst[(kind - 1) * 32 + rank * 4 + (file < 4 ? file : 7 - file)], sign);
    e->phase += phase_of[kind];
    if (kind == BISHOP) bishops[side]++;
    if (kind == PAWN) {
      int free = 1, alone = 1;
      for (i = file - 1; i <= file + 1; i++) {
        if (i < 0 || i > 7) continue;
        if (rear[!side][i] > rank) free = 0; /* an enemy pawn is in front of it */
        if (i != file && in_file[side][i]) alone = 0;
      }
      if (free) add(e, passed[rank], sign);
      if (in_file[side][file] > 1) add(e, pawns[0], sign);
      if (alone) add(e, pawns[1], sign);
    } else if (kind != KING) {
      const int *steps = kind == KNIGHT ? knight_steps : king_steps;
      for (i = kind == ROOK ? 4 : 0; steps[i] && !(kind == BISHOP && i == 4); i++)
        for (to = sq + steps[i]; !(to & 0x88) && b->at[to] * sign <= 0; to += steps[i]) {
          add(e, mobility[kind - KNIGHT], sign);
          if (b->at[to] || kind == KNIGHT) break;
        }
    }
  }
  if (bishops[0] > 1) add(e, bishop_pair, 1);
  if (bishops[1] > 1) add(e, bishop_pair, -1);
  if (e->phase > 24) e->phase = 24;
  strong = e->eg < 0; /* a side with few pawns seldom wins */
  e->eg_scale = all_pawns[strong] >= 4 ? 16 : 8 + 2 * all_pawns[strong];
  e->value = (e->mg * e->phase * 16 + e->eg * e->eg_scale * (24 - e->phase)) / (24 * 16) + (b->white ? tempo : -tempo);
}

/* The search: alpha-beta with a transposition table for the order of moves, then captures. */
static struct { uint64_t key; Move move; } table[1 << 16];
static int history[13][128];
static uint64_t nodes, node_limit, keys[1024 + MAXPLY];
static clock_t deadline;
static int stopped, keys_n;

/* Parameters of the search, as UCI options. At the maximum, which is the default, each is off. */
enum { REDUCE_FROM, FUTILITY_MARGIN, DELTA_MARGIN, OPTIONS };
static struct { const char *name; int value, min, max; } options[OPTIONS] = {
    {"ReduceFrom", 99, 1, 99},          /* quiet moves after that many are searched one ply less deep at first */
    {"FutilityMargin", 2000, 0, 2000},  /* one ply from the end, no quiet move is expected to gain more */
    {"DeltaMargin", 2000, 0, 2000},     /* no capture is expected to gain more than the piece and this */
};

static int hopeless(int option, int value, int alpha) {
  return options[option].value < options[option].max && value + options[option].value <= alpha;
}

static int stop_now(void) {
  if (node_limit && nodes >= node_limit) stopped = 1;
  if (deadline && (nodes & 1023) == 0 && clock() >= deadline) stopped = 1;
  return stopped;
}

static int value_of(const Board *b) {
  Eval e;
  evaluate(b, &e);
  return b->white ? e.value : -e.value;
}

static void sort_next(const Board *b, Move *list, int n, int i, Move first) {
  int j, best = -1, at = i;
  Move m;
  for (j = i; j < n; j++) {
    int victim = abs(b->at[list[j].to]), mover = b->at[list[j].from], score = history[mover + 6][list[j].to];
    if (victim || list[j].promotion == QUEEN) score = 1000000 + 100 * (victim + list[j].promotion) - abs(mover);
    if (!memcmp(&list[j], &first, sizeof first)) score = 2000000;
    if (score > best) best = score, at = j;
  }
  m = list[i], list[i] = list[at], list[at] = m;
}

static int search(const Board *b, int alpha, int beta, int depth, int ply) {
  Move list[256], best_move = {0, 0, 0};
  Board next;
  uint64_t key = b->key ^ state_key(b);
  int i, n, legal = 0, check, best = -INF, stand = -INF, quiet = depth <= 0;
  nodes++;
  if (stop_now()) return 0;
  if (ply) {
    if (b->halfmove >= 100) return 0;
    for (i = keys_n + ply - 2; i >= 0 && i >= keys_n + ply - b->halfmove; i -= 2)
      if (keys[i] == key) return 0;
  }
  keys[keys_n + ply] = key;
  check = in_check(b, b->white);
  if (quiet && check && ply < MAXPLY / 2) quiet = 0, depth = 1;
  if (quiet || ply >= MAXPLY - 1) {
    if ((best = value_of(b)) >= beta || ply >= MAXPLY - 1) return best;
    if (best > alpha) alpha = best;
    stand = best;
  } else if (depth == 1 && !check && options[FUTILITY_MARGIN].value < options[FUTILITY_MARGIN].max) {
    stand = value_of(b);
  }
  if (table[key & 0xffff].key == key) best_move = table[key & 0xffff].move;
  n = moves(b, list, quiet);
  for (i = 0; i < n; i++) {
    int score, victim, reduced;
    sort_next(b, list, n, i, best_move);
    victim = abs(b->at[list[i].to]);
    if (quiet && victim && !list[i].promotion && hopeless(DELTA_MARGIN, stand + MG(material[victim - 1]), alpha)) continue;
    if (!quiet && stand > -INF && legal && !victim && !list[i].promotion && hopeless(FUTILITY_MARGIN, stand, alpha)) continue;
    if (!play(b, &next, list[i])) continue;
    reduced = depth > 2 && !check && !victim && !list[i].promotion && options[REDUCE_FROM].value < options[REDUCE_FROM].max && legal >= options[REDUCE_FROM].value;
    legal++;
    score = -search(&next, -beta, -alpha, depth - 1 - reduced, ply + 1);
    if (reduced && score > alpha) score = -search(&next, -beta, -alpha, depth - 1, ply + 1);
    if (stopped) return 0;
    if (score <= best) continue;
    best = score;
    if (score > alpha) {
      alpha = score;
      table[key & 0xffff].key = key, table[key & 0xffff].move = list[i];
    }
    if (alpha >= beta) {
      if (!b->at[list[i].to] && history[b->at[list[i].from] + 6][list[i].to] < 900000) history[b->at[list[i].from] + 6][list[i].to] += depth * depth;
      break;
    }
  }
  if (!legal && !quiet) return check ? ply - MATE : 0;
  return best;
}

static const char *text_of(Move m, char *s) {
  sprintf(s, "%c%d%c%d%c", 'a' + (m.from & 7), (m.from >> 4) + 1, 'a' + (m.to & 7), (m.to >> 4) + 1, m.promotion ? letters[m.promotion] | 0x20 : 0);
  return s;
}

/* Iterative deepening; returns the nodes. */
static uint64_t think(const Board *b, int depth, uint64_t limit, double seconds, int quiet) {
  Move best = {0, 0, 0}, list[256];
  Board next;
  char s[8];
  int d, i, n = moves(b, list, 0);
  nodes = 0, stopped = 0, node_limit = limit;
  memset(history, 0, sizeof history);
  for (i = n - 1; i >= 0; i--)
    if (play(b, &next, list[i])) best = list[i];
  deadline = seconds > 0 ? clock() + (clock_t)(seconds * CLOCKS_PER_SEC) + 1 : 0;
  for (d = 1; d <= depth && best.from != best.to; d++) {
    uint64_t key = b->key ^ state_key(b);
    int score = search(b, -INF, INF, d, 0);
    if (stopped) break;
    if (table[key & 0xffff].key == key) best = table[key & 0xffff].move;
    if (!quiet && abs(score) > MATE - 100) printf("info depth %d score mate %d nodes %lu pv %s\n", d, (score > 0 ? MATE - score + 1 : -MATE - score) / 2, (unsigned long)nodes, text_of(best, s));
    else if (!quiet) printf("info depth %d score cp %d nodes %lu pv %s\n", d, score, (unsigned long)nodes, text_of(best, s));
    if (abs(score) > MATE - 100 && MATE - abs(score) <= d) break;
  }
  if (!quiet) printf("bestmove %s\n", best.from == best.to ? "0000" : text_of(best, s)), fflush(stdout);
  return nodes;
}

static const char start[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

static void position(Board *b, char *line) {
  char *word = strstr(line, " moves "), s[8], *fen = strstr(line, "fen ");
  parse(b, fen ? fen + 4 : start);
  keys_n = 0;
  for (word = word ? strtok(word + 7, " \n") : NULL; word; word = strtok(NULL, " \n")) {
    Move list[256];
    Board next;
    int i, n = moves(b, list, 0);
    for (i = 0; i < n && strcmp(text_of(list[i], s), word); i++) {}
    if (i == n || !play(b, &next, list[i])) continue;
    keys[keys_n++] = b->key ^ state_key(b), *b = next;
    if (!b->halfmove || keys_n > 1000) keys_n = 0;
  }
}

static double number_after(const char *line, const char *word) {
  const char *p = strstr(line, word);
  return p ? atof(p + strlen(word)) : 0;
}

static void set_option(const char *line) {
  char name[32];
  int i, value;
  if (sscanf(line, "setoption name %31s value %d", name, &value) != 2) return;
  for (i = 0; i < OPTIONS; i++)
    if (!strcmp(name, options[i].name) && value >= options[i].min && value <= options[i].max) options[i].value = value;
}

static void uci(void) {
  static char line[1 << 16];
  Board b;
  parse(&b, start);
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "ucinewgame", 10)) memset(table, 0, sizeof table);
    else if (!strncmp(line, "uci", 3)) {
      int i;
      printf("id name flint\nid author assay\n");
      for (i = 0; i < OPTIONS; i++) printf("option name %s type spin default %d min %d max %d\n", options[i].name, options[i].value, options[i].min, options[i].max);
      printf("uciok\n");
    } else if (!strncmp(line, "setoption", 9)) set_option(line);
    else if (!strncmp(line, "isready", 7)) printf("readyok\n");
    else if (!strncmp(line, "position", 8)) position(&b, line);
    else if (!strncmp(line, "perft", 5)) printf("%lu\n", (unsigned long)perft(&b, atoi(line + 5)));
    else if (!strncmp(line, "go", 2)) {
      int depth = (int)number_after(line, "depth ");
      double seconds = number_after(line, "movetime ") / 1000, left = number_after(line, b.white ? "wtime " : "btime ");
      if (left > 0) seconds = (left / 30 + number_after(line, b.white ? "winc " : "binc ") / 2) / 1000;
      think(&b, depth ? depth : strstr(line, "nodes") || seconds > 0 ? MAXPLY / 2 : 6, (uint64_t)number_after(line, "nodes "), seconds, 0);
    } else if (!strncmp(line, "quit", 4)) return;
    fflush(stdout);
  }
}

static void bench(void) {
  static const char *const fens[] = {start, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"};
  uint64_t sum = 0;
  int i;
  for (i = 0; i < 3; i++) {
    Board b;
    parse(&b, fens[i]);
    sum += think(&b, 5, 0, 0, 1);
  }
  printf("%lu nodes\n", (unsigned long)sum);
}

int main(int argc, char **argv) {
  Board b;
  if (argc == 2 && !strcmp(argv[1], "bench")) bench();
  else if (argc == 4 && !strcmp(argv[1], "perft")) parse(&b, argv[2]), printf("%lu\n", (unsigned long)perft(&b, atoi(argv[3])));
  else if (argc == 1) uci();
  else return fprintf(stderr, "usage: flint [bench | perft FEN DEPTH]\n"), 2;
  return 0;
}
