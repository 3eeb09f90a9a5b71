// Package bernstein is the chess program of Alex Bernstein, Michael de V. Roberts,
// Timothy Arbuckle and Martin Belsky for the IBM 704 (1957), as A. Newell, J. C. Shaw and
// H. A. Simon describe it ("Chess-Playing Programs and the Problem of Complexity", IBM
// Journal 2 (1958) 320-335) and its authors list its questions (A. Bernstein et al., "A
// Chess-Playing Program for the IBM 704", Western Joint Computer Conference 1958).
//
// Faithful to these texts:
//   - At most seven plausible moves in any position, found by eight questions in this
//     order: is the king in check; can material be gained, lost, exchanged; is castling
//     possible; can minor pieces be developed; can key squares be occupied, those that
//     diagonally connected pawns control; can open files be occupied; can any pawn be
//     moved; can any piece be moved. After yes to the first nothing else is asked, and
//     castling ends the list. Pieces never asked for are never seen: this is the blind
//     spot that its critics describe.
//   - Two moves for each side, four plies, and minimax.
//   - The value is a ratio of two sums, each of available moves, completely controlled
//     squares, controlled squares around the king, and material (9, 5, 3, 3, 1) times a
//     large factor.
//   - By option, only moves that do not lower the value at once are followed, or else
//     the two best.
//
// Ours, where the texts are silent:
//   - The factor is 20. A square is completely controlled if we attack it and they do
//     not, occupied or not; the king attacks the squares around it too (an option).
//   - A man is safe where it is not attacked, or defended and not attacked by a man of
//     less value. Material is gained by taking a man that is undefended or worth more
//     than the taker, exchanged by taking one of the same value, and lost where a man is
//     not safe; then it goes where it is.
//   - Questions 4 to 8 propose safe moves only, towards the center first; pawns in the
//     order e, d, c, f, g, b, h, a, two squares before one. If all questions have no
//     answer every legal move is considered. Promotion is to a queen.
//   - Mate is better than any ratio, sooner better than later; stalemate is 1.
//
// Start reading at questions.go.
package bernstein
