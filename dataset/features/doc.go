// Package features makes a data set of features from what a foreign engine prints: the
// counts of its evaluation's terms, position by position. Nobody needs to link Arrow into
// an engine.
//
// The engine is a command: it prints a header line with its terms, then answers each FEN
// on standard input with one record, a JSON line or a binary one. The protocol stands in
// dataset/FORMAT.md, under "Features from a foreign engine". assay_features.h in this folder
// is a writer in C, testdata/engine.c an engine that uses it.
//
// The package knows nothing of UCI, and plays nothing.
//
// Start reading at Run.
package features
