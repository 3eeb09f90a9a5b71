// Package board is chess itself: squares, sets of squares, positions, legal moves
// and their notations.
//
// It knows the rules and nothing of good play: evaluation is in eval, search in
// engine/search. Everything here is a plain value; a Position is copied, not
// unmade (copy-make). Castling is Chess960's throughout: a move is the king taking
// its own rook, and rights are the set of rooks that keep them.
//
// Start reading at Position, then Position.LegalMoves and Position.Make; Game adds
// the history that repetition needs, and Perft counts what the rest is tested by.
package board
