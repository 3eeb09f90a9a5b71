// Package rows keeps what the tuner learns from: one row a position, with the counts
// of its terms, the factors of their two values, its result and the game that it is from.
//
// A [Store] is built once, from positions under one of our models ([Build.Positions]) or from the features of a
// external evaluation ([Build.Features]), and then passed over many times. It keeps a count in two bytes: a
// number of a (term, count) pair in a dictionary. Rows of the same factors stand together in chunks of a fixed
// size, in memory or on disk. [Clusters] says which rows are not independent of each other.
//
// Start reading at Store and Chunk.
//
// No promise of stability.
package rows
