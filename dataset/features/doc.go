// Package features makes a data set of features from the output of an engine that has a trace: how often its
// evaluation counts each term, position by position.
//
// The engine is a command. It prints a header line with its terms, then answers each FEN on standard input with a
// line of JSON. dataset/FORMAT.md describes the protocol under "Features from a trace".
//
// Start reading at Run.
//
// No promise of stability.
package features
