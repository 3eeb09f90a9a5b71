// Package eval evaluates chess positions. It declares every evaluation term once; from that
// declaration come the score that a search uses, the features that a tuner fits and the
// explanation that a person reads.
//
// A Model is a named list of terms with start weights. A position has an integer count for
// each term, White's minus Black's, and its value is
//
//	sum(count x (mg x phase + eg x (24 - phase))) x scale / 24
//
// in centipawns from White's view. Model.Features returns the counts and the
// Evaluator of Model.NewEvaluator returns the value; the integer sum before its one
// division is the same in both, for every position. A model that is Nonlinear has channels, each a
// sum of some of its terms, and a formula that makes the value of the sums.
//
// The functions named trace..., in the files of the models, are the only source. They
// report counts to a tracer. "go generate" copies them into score_generated.go as functions
// named score..., which report to a scorer; the scorer adds up weights.
//
// The package does not search and does not read weight files: see engine/search and
// models.
//
// Start reading at Model, then shannon.go, which holds the whole of the smallest model.
package eval

//go:generate go run gen.go
