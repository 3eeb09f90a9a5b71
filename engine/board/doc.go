// Package board implements the rules of chess: squares, sets of squares, positions, legal
// moves and their notations, for standard chess and Chess960.
//
// It knows nothing of good play: evaluation is in eval, search in engine/search. All types
// are plain values, and a move is made on a copy of a position instead of being unmade
// (copy-make). Castling is represented as in Chess960 throughout: a move in which the king
// captures its own rook, and rights as the set of rooks that keep them.
//
// Start reading at Position, then Position.LegalMoves and Position.Make. Game adds the
// history that repetition needs. Perft tests move generation.
package board
