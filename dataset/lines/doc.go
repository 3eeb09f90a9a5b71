// Package lines reads and writes text formats of positions, a line each: lists in EPD or FEN (Read), tables in CSV or
// TSV (Table), and evaluations of Lichess (ParseLichess); it writes JSON lines of positions and games.
//
// Lists are opening books, or positions with the result of their game in the usual spellings:
//
//	FEN [0.5]
//	FEN | 1-0
//	FEN 1/2-1/2
//	EPD c9 "1-0";
//	FEN;score;result
//	FEN | score | result
//	FEN [0.5] score
//	EPD ce 34; c9 "1-0";
//	FEN; [0.5]
//
// They may have byte-order marks, line breaks of every kind, blank lines, comment lines that begin with #, a missing
// last newline, and dashes for the counters. The standard of EPD is in Edwards, "Portable Game Notation Specification
// and Implementation Guide" (1994), section 16.2.
//
// A row of a table is a line: a cell may be quoted, but cannot contain a line break.
//
// In JSON lines the names are the columns of data sets; 64-bit numbers are strings, because JavaScript would
// round them, and unknown values are null. There is no reader: the JSON lines of other programs have other names.
//
// Start reading at Read, Table and Header.
//
// No promise of stability.
package lines
