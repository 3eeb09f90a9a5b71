// Package losalamos is the chess program of MANIAC I at Los Alamos, 1956: Kister, Stein,
// Ulam, Walden and Wells, "Experiments in Chess", Journal of the ACM 4 (1957), as Newell,
// Shaw and Simon describe it in "Chess-Playing Programs and the Problem of Complexity", IBM
// Journal 2 (1958). It played on a board of six squares by six.
//
// From that description: a board without bishops, castling, double pawn moves and en passant
// captures; all moves are searched, two of each side; an evaluation of material plus
// mobility, where the mobility of a position is the number of moves in it; and the "slight
// modification" of minimax by which the mobility of every position of a line is added, not
// only the last one's.
//
// From public sources: the start position, and promotion to any piece but a bishop.
//
// Our choices, since the paper with the numbers was not available: pawns 1, knights (and
// bishops) 3, rooks 5, queens 9; a tenth of a pawn for a move, counted for the side to move;
// checkmate 1000 pawns, a tenth less for each ply to it; stalemate 0; the first of equal
// moves is played. Alpha-beta, which MANIAC did not use, changes no choice. Repetition and
// fifty moves end a Game, but the search ignores them.
//
// The player losalamos-1956 is the same search and evaluation on eight squares by eight, with
// all rules of chess. Newell, Shaw and Simon suggest comparing it with Bernstein's program.
// The game on six squares by six is "assay historic losalamos".
//
// No promise of stability. Start reading at Position for the small board, and at search.value for the search.
package losalamos
