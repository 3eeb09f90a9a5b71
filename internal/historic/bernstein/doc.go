// Package bernstein is the chess program of Alex Bernstein, Michael de V. Roberts, Timothy
// Arbuckle and Martin Belsky for the IBM 704 (1957). Sources: A. Newell, J. C. Shaw and
// H. A. Simon, "Chess-Playing Programs and the Problem of Complexity", IBM Journal 2 (1958)
// 320-335, and for the questions A. Bernstein et al., "A Chess-Playing Program for the IBM
// 704", Western Joint Computer Conference 1958.
//
// From these papers:
//   - At most seven plausible moves in any position, found by eight questions in this
//     order: is the king in check; can material be gained, lost, exchanged; is castling
//     possible; can minor pieces be developed; can key squares be occupied, those that
//     diagonally connected pawns control; can open files be occupied; can any pawn be
//     moved; can any piece be moved. After a yes to the first question, or if castling is
//     possible, nothing more is asked. A move that no question proposes is not searched:
//     this is the blind spot that critics describe.
//   - Two moves of each side, four plies, and minimax.
//   - The value of a position is a ratio of two sums, one for each side: available moves,
//     completely controlled squares, controlled squares around the king, and material
//     (9, 5, 3, 3, 1) times a large factor.
//   - By option, only moves that do not lower the value at once are searched, or else the
//     two best.
//
// Our choices, where the papers are silent:
//   - The factor is 20. A side controls a square completely, occupied or not, if it attacks
//     it and the other side does not. The king attacks the squares around it too (an
//     option).
//   - A piece is safe if it is not attacked, or if it is defended and not attacked by a
//     piece of less value. A capture gains material if the captured piece is undefended or
//     worth more than the capturing one, and exchanges it if both have the same value.
//     Material can be lost if a piece is not safe; then it moves to a safe square.
//   - Questions 4 to 8 propose only safe moves, toward the center first; pawns in the order
//     e, d, c, f, g, b, h, a, two squares before one. If no question proposes a move, every
//     legal move is considered. Promotions are to a queen, and a promotion counts as one
//     available move.
//   - Checkmate is better than any ratio, sooner better than later. Stalemate is 1.
//
// Start reading at questions.go.
package bernstein
