// Package features makes a data set of features from the output of another engine: the
// counts of its evaluation's terms, position by position. The engine does not need Arrow.
//
// The engine is a command: it prints a header line with its terms, then answers each FEN on
// standard input with one record, a JSON line or a binary one. The protocol is described in
// dataset/FORMAT.md, under "Features from a foreign engine". assay_features.h in this
// folder is a writer in C and C++, testdata/engine.c an engine that uses it; package writer is
// the same in Go, and its folder has it in Python and Rust.
//
// The package does not use UCI and plays no games.
//
// Start reading at Run.
//
// No promise of stability.
package features
