#include "tables.hpp"

namespace tables {

const int Tempo = 14;
const Weights weights;
Shelter shelters;
const int Rooks::Ranks[8] = {3, 1, 1, 0, 2, 2, 12, 5};
Weight Rooks::Pair = -15;

static const char *text = R"(int Raw[] = {1, 2, 3}; ")" " \" int Quoted = 4;";

int Shelter::value(const Board &board, int square) {
    if (!filled)
        for (int i = 0; i < 64; i++) {
            int middle = i % 8 == 3 || i % 8 == 4 ? int(Near) : int(Far);
            cached[i] = i % 2 ? Open.mg + Half.eg : middle + Half.mg + Open.eg;
        }
    filled = text != nullptr;
    return cached[square] + (board.isBlack(square) ? Bonus : 0) + Lanes[square % 8].eg;
}

} // namespace tables
