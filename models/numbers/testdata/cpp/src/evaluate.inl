#include "tables.hpp"

using namespace tables;

namespace {

#define SCORE constexpr Score

SCORE Material[PIECES] = {Score(PawnMg, PawnEg), Score(KnightMg, KnightEg), S(365, 297), S(477, 512), S(1025, 936), {}};

// Made from Material and Lanes when it is compiled.
constexpr std::array<std::array<Score, 8>, PIECES> make() {
    std::array<std::array<Score, 8>, PIECES> all{};
    for (int p = 0; p < PIECES; p++)
        for (int f = 0; f < 8; f++)
            all[p][f] = Material[p] + Lanes[f];
    return all;
}

constexpr auto Psqt = make();

const double Slope = .75, Steep{2.5};
constexpr Score Pair(22, 41);
constexpr int Divisor = 3;
constexpr int Width = 4, Wide = Width + 1;
constexpr std::array<int, 3> Third = {{8, -8, 24}};

int blend(Score s, int phase) { return (s.mg * phase + s.eg * (24 - phase)) / 24; }

int rooks(int rank) {
    static constexpr int limits[] = {Outpost, 9};
    return Rooks::Ranks[rank] < limits[rank > 1] ? Rooks::Ranks[rank] : Rooks::Pair + limits[0];
}

} // namespace

int evaluate(const Board &board) {
    Table<Wide> table{};
    Score sum;
    int bishops = 0, phase = 0, rest = Table<2>::Extra;
    for (int i = 0; i < 64; i++) {
        if (board.piece(i) == PIECES)
            continue;
        const int side = board.isBlack(i) ? -1 : 1;
        constexpr int most = Outpost + 2;
        sum = sum + Psqt[board.piece(i)][i % 8] * side;
        phase += board.piece(i) == QUEEN ? 4 : board.piece(i) > PAWN;
        table.entries[board.piece(i) % Wide] += side;
        bishops += board.piece(i) == BISHOP ? side : 0;
        if (board.piece(i) == ROOK)
            rest += side * (weights(i % 3) + rooks(board.isBlack(i) ? 7 - i / 8 : i / 8));
        if (board.piece(i) == KNIGHT && i / 8 == 4)
            rest += side * (Outpost * most + Third[i % 3] / Divisor);
        if (board.piece(i) == KING)
            rest += side * shelters.value(board, i);
    }
    sum = sum + weights.queen * table.entries[QUEEN] + Pair * bishops;
    rest += int(Slope * 16 * table.entries[PAWN] + Steep * table.entries[ROOK]);
    return blend(sum, phase < 24 ? phase : 24) + rest + (board.black ? -Tempo : Tempo);
}
