#include <cctype>
#include <cstring>
#include <cstdio>
#include "evaluate.inl"

Board::Board(const char *fen) {
    const char *letters = "pnbrqk";
    for (int i = 0; i < 64; i++)
        pieces[i] = PIECES, blacks[i] = false;
    int square = 56;
    for (char c = *fen; c && c != ' '; c = *++fen) {
        if (c == '/') {
            square -= 16;
        } else if (std::isdigit(c)) {
            square += c - '0';
        } else {
            pieces[square] = int(std::strchr(letters, std::tolower(c)) - letters);
            blacks[square++] = std::islower(c) != 0;
        }
    }
    black = *fen && fen[1] == 'b';
}

auto main(int count, char **fens) -> int {
    std::puts("a minnow in C++");
    for (int i = 1; i < count; i++)
        std::printf("%d\n", evaluate(Board(fens[i])));
}
