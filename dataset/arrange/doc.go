// Package arrange makes data sets of whole data sets, and looks at them: Merge puts rows
// one after the other, Split keeps the rows of a game together in one of several parts,
// Shuffle puts rows in random order, Summarize counts what a data set holds.
//
// All of them work on games, positions and features, and on more rows than fit into
// memory. The rows themselves do not change, but for their weights where Merge mixes; package positions
// makes new ones.
//
// No promise of stability.
//
// Start reading at Merge.
package arrange
