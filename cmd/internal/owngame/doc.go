// Package owngame has only a test: that the game of "assay guide your-own-game" compiles, learns and is
// shown by the other commands. Its source is connectfour_test.go.
package owngame
