#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "board.h"

struct board board;

void setup(const char *fen) {
    const char *letters = "pnbrqk";
    int square = 56;
    for (int i = 0; i < 64; i++)
        board.piece[i] = PIECES;
    for (; *fen && *fen != ' '; fen++) {
        if (*fen == '/') {
            square -= 16;
        } else if (isdigit((unsigned char)*fen)) {
            square += *fen - '0';
        } else {
            board.piece[square] = (int)(strchr(letters, tolower((unsigned char)*fen)) - letters);
            board.black[square++] = islower((unsigned char)*fen) != 0;
        }
    }
    board.black_moves = *fen && fen[1] == 'b';
}

int main(int argc, char *argv[]) {
    printf("a minnow\n");
    for (int i = 1; i < argc; i++) {
        setup(argv[i]);
        printf("%d\n", evaluate());
    }
}
