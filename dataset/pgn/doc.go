// Package pgn writes games as PGN, with the search's scores in comments, and reads
// PGN files as they are found: with byte-order marks, CRLF, clocks, comments,
// variations and numeric glyphs.
//
// Scores are written as [%eval 0.34] behind the move they were found for, and mates
// as [%eval #-3], which chess programs and libraries know: pawns, White's view. A
// game written by Write is read back by Read move for move and score for score.
//
// The standard is Edwards, "Portable Game Notation Specification and Implementation
// Guide" (1994). The package reads the main line only: variations are skipped.
//
// Start reading at Write and Read.
package pgn
