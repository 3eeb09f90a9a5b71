// Package pgn writes games as PGN, with the scores of the search in comments, and reads PGN
// files with everything that occurs in practice: byte-order marks, CRLF, clocks, comments,
// variations and numeric glyphs.
//
// Scores are written as [%eval 0.34] after the move they were found for, and mates as
// [%eval #-3], as chess programs and libraries do: pawns, White's view. A game written by
// Write is read back by Read move for move and score for score. What the comments of other
// programs mean is a table: see Dialect.
//
// The standard is Edwards, "Portable Game Notation Specification and Implementation Guide"
// (1994). Only the main line is read: variations are skipped.
//
// Start reading at Write and Read.
package pgn
