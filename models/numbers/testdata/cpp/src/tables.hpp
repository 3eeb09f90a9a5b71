#pragma once
#include "board.hpp"
#include "score.hpp"

namespace tables {

enum Value : int { VALUE_NONE, PawnMg = 82, PawnEg = 94, KnightMg = 337, KnightEg = 2'81, Last = KnightMg };

enum class Colour { White = 0, Black = 5 };

constexpr Score Lanes[8] = {S(-3, -5), S(0, 4), {5, 1}, Score{7, 2}, S(7, 2), S(5, 1), S(0, 4), S(-3, -5)};
inline constexpr int Outpost = 17;
extern const int Tempo;
const int Bonus = 6;

struct Weights {
    int rook = 11;
    Score queen = S(13, -4);
    static constexpr int Ladder[] = {2, 9, 4};
    int operator()(int step) const { return Ladder[step] + rook; }
};

extern const Weights weights;

template <int N> struct Table {
    static constexpr int Extra = 5;
    int entries[N];
};

class Shelter {
    static constexpr Score Open{-21, 4}, Half = S(-9, 1);
    enum Storm { Near = -12, Far = 3 };
    int cached[64] = {};
    bool filled = false;

  public:
    int value(const Board &board, int square);
    void forget() { filled = false; }
};

extern Shelter shelters;

using Weight = const int;

struct Rooks {
    static const int Ranks[8];
    static Weight Pair;
};

} // namespace tables
