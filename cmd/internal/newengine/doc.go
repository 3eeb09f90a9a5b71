// Package newengine is the command assay init: it guesses how an engine is built and where its evaluation is, writes
// assay.toml and the author's file beside it, and has ownengine check what that is worth.
//
// Start reading at New. Guesses are made from names, by patterns that fit most engines; the checks show which are
// wrong.
package newengine
