// Package turing is the paper machine of Alan Turing, from the chapter "Chess" (of 1951)
// in B. V. Bowden (ed.), Faster Than Thought, Pitman 1953, chapter 25: rules that their
// author carried out by hand in a game that he prints.
//
// Faithful to the text:
//   - The piece values, the ratio W/B as the value of a dead position, checkmate 1000.
//   - Considerable moves: every move and every reply; then captures of undefended men,
//     of men of higher value, recaptures, and mates. A position in the analysis where not
//     all moves are considerable may be left as it stands.
//   - The position-play value, (a) to (i), with the rounded square roots of his table.
//   - The rule for play: the greatest value, and among equals the greatest
//     position-play value.
//
// Ours, where the text is silent, each chosen by what reproduces his printed figures:
//   - The machine is the side to move; for Black everything is mirrored.
//   - Position-play of a position with the opponent to move counts the machine's moves as
//     if it were its turn; a king that could then be taken counts as a capture.
//   - Castling keeps the points for its possibility at the moment it is played, so that
//     it scores 3.0; possibility counts once for both wings together.
//   - Defended means by any own man, king, pawns and pinned men included, directly.
//   - (d), the queen in the king's place, moves without regard to check.
//   - (h) counts once if some move would mate were it the machine's turn.
//   - Undefended means that no enemy man guards the square before the capture. Captures
//     of a man of equal value are not considerable, and a king's captures only of
//     undefended men and as recaptures.
//   - A side with only its king counts half a pawn, so that the ratio exists; stalemate is
//     1. Mates that come sooner count a little more (1000 less the plies to them): by the
//     text alone the machine need never give one.
//   - The analysis ends 16 plies from the board (an option): the text has no end. Equal
//     moves are decided by the order of generation.
//
// What it reproduces of the printed game is in the tests: 9 of 16 figures, and the move
// at 18 of 29 turns. The text's own calculations contain slips, as others have found.
//
// Start reading at Player.Search, then analysis.go and positionplay.go.
package turing
