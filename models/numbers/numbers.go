// Package numbers finds the numbers of an evaluation in the sources of an engine, makes them settable in a copy of the
// tree, and writes other values back into the sources.
//
// A number is a literal in the initializer of a table or a scalar that stands outside functions. In the copy each
// literal becomes an element of one array, and the initializers are run again after the array was read from a file; so
// the package needs to know nothing of layouts, types, macros and packed pairs. Writing back replaces the same
// literals.
//
// It knows C, C++ and Rust by their tokens, and Go by its syntax trees and types. It builds nothing, and runs nothing
// but go list.
//
// Start reading at Scan.
//
// No promise of stability.
package numbers

// Variables of the environment that a program made by Instrument reads when it starts.
const (
	FileVariable    = "ASSAY_NUMBERS" // a file of WriteFile, whose values replace the literals
	MeasureVariable = "ASSAY_MEASURE" // not empty: the program answers the protocol of package slopes, and does not play
)

// Number is a literal.
type Number struct {
	Name     string  // unique in a Set: "PST[1][12]", of the parts of a pair "PST[1][12].0" and "PST[1][12].1"
	Table    string  // the name in the source
	File     string  // relative to the root, with slashes
	Line     int     // from 1
	From, To int     // bytes in the file; a sign that belongs to the literal is inside
	Text     string  // those bytes
	Value    float64 // in the engine's own unit
	Float    bool    // may take values that are not whole
	Min, Max float64 // what its type holds; 0 and 0: not known
	Pair     int     // index of the other half, as in S(12, -5); -1: none
}

// Left is a number or a table that was not taken, and why.
type Left struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Options change which numbers are taken.
type Options struct {
	Skip []string // names of tables, or of tables' numbers, to leave out
	Take []string // names to take that would be left out; FILE:FUNCTION takes tables in a function of Go
}
