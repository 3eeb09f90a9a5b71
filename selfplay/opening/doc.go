// Package opening proposes the positions that games begin with: a few random legal
// plies (Random), or the lines of a book (Book).
//
// An opening is a function of its number and of nothing that happened before, so that
// any number of games, played by anybody in any order, begin where they should. Which
// proposals are played, because they are balanced and new, is decided by
// selfplay.Series; the package searches nothing and plays nothing.
//
// Start reading at Random, then LoadBook.
package opening
