// Package losalamos is the chess of MANIAC I at Los Alamos, 1956: Kister, Stein, Ulam,
// Walden and Wells, "Experiments in Chess", Journal of the ACM 4 (1957), as Newell, Shaw
// and Simon describe it in "Chess-Playing Programs and the Problem of Complexity", IBM
// Journal 2 (1958).
//
// From that description: a board of six squares by six without bishops, castling, double
// moves of pawns and captures en passant; all moves, two of each side; an evaluation of
// material plus mobility, the mobility of a position being the number of new positions
// to which it leads; and the "slight modification" of minimax, in which the mobility of
// every position on a line is added in and not the last one's alone.
//
// From public sources: the start position and promotion to anything but a bishop.
//
// Ours, since the paper with the numbers is not at hand: pawns 1, knights (and bishops)
// 3, rooks 5, queens 9; a tenth of a pawn for a move, White's counted for White where
// White is to move and Black's for Black; mate 1000 pawns, a tenth less for each ply that
// it is away; stalemate 0; the first of equal moves. Alpha-beta, which MANIAC did without,
// changes no choice. Repetition and fifty moves end a game, but the program knows nothing
// of them.
//
// The player losalamos-1956 is the same search and evaluation on eight squares by eight,
// with all rules, which Newell, Shaw and Simon ask to see compared with Bernstein's
// program. The game on six by six is shown by `assay historic losalamos`.
//
// Start reading at Position for the small board, at search.value for how both think.
package losalamos
