// Package books says what a book of openings is worth to a match, from pairs of games that were played from it, and
// makes and prunes books. It plays no games.
//
// A match needs a number of games in proportion to 1/nElo^2, where nElo is the normalized Elo of its players: their
// mean score by pairs above one half, in standard deviations of a game. An opening from which both games of a pair end
// alike for the players lowers it. So a book is worth the square of the nElo that it shows between two players, and
// Compare says what share of the games one book needs in place of another.
//
// Start reading at Games.Read, then Games.Stat, Compare, Games.Prune and Maker.
//
// No promise of stability.
package books
