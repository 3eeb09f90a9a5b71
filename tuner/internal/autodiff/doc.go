// Package autodiff computes a formula and its derivatives for many rows at once. The calculus
// and the vectors are gorgonia's: a formula becomes one graph over vectors of Rows rows, one
// call of gorgonia.Grad differentiates the sum of its values with respect to all channels,
// and a tape machine runs it. Because each input is a vector, the derivative of the sum by an
// input is each row's own.
//
// What gorgonia v0.9 asks for, and this package does: inputs and constants are vectors with
// names of their own, since nodes of one name are one; x^2 is Square, since Pow knows no
// negative bases; a machine is reset before each run, and results are copied out with Read,
// since registers are used again; there are no dual values, which add up from run to run;
// graphs are built one after another, since the package shares nodes between them.
//
// Start reading at Machine.
package autodiff
