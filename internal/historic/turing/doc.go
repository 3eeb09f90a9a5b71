// Package turing is the chess machine that Alan Turing describes in the chapter "Chess"
// (written in 1951) of B. V. Bowden (ed.), Faster Than Thought, Pitman 1953, chapter 25.
// It was never a program: Turing carried out the rules by hand, in a game that he prints.
//
// From the text:
//   - The piece values, the ratio W/B as the value of a dead position, checkmate 1000.
//   - Considerable moves: every move and every reply; after that captures of undefended
//     pieces and of pieces of higher value, recaptures, and mates. Where not all moves are
//     considerable, a side may leave the position as it stands.
//   - The position-play value, (a) to (i), with the rounded square roots of the table.
//   - The rule for play: the greatest value, and among equals the greatest position-play
//     value.
//
// Our choices, where the text is silent, each made to reproduce the printed figures:
//   - The machine is the side to move; for Black everything is mirrored.
//   - The position-play value of a position with the opponent to move counts the machine's
//     moves as if it were to move again; a king that could then be captured counts as a
//     capture.
//   - A castling move keeps the points for being able to castle, so that it scores 3.0;
//     being able to castle counts once, not once for each side.
//   - Defended means defended directly by any own piece, including king, pawns and pinned
//     pieces.
//   - (d), the moves of a queen in the king's place, ignores checks.
//   - (h) counts once if the machine, were it to move, could mate.
//   - Undefended means that no enemy piece defends the square before the capture. Captures
//     of a piece of equal value are not considerable. A king's captures are considerable
//     only if the piece is undefended, or as recaptures.
//   - A bare king counts half a pawn, so that the ratio exists. Stalemate is 1. Quicker
//     mates count a little more (1000 less the plies to the mate): by the text alone the
//     machine need never mate.
//   - The analysis ends after 16 plies (an option); the text has no limit. Among equal moves
//     the first generated is played.
//
// It reproduces 9 of the 16 printed figures, and plays the printed move in 18 of 29 turns;
// the tests check both. As others have found, the printed calculations contain slips.
//
// Start reading at Player.Search, then analysis.go and positionplay.go.
package turing
