// Package formula is the language in which an author says how an evaluation that is not
// linear is made of its channels: linear sums of terms, columns of a row and scalars.
//
//	let q = max(att, 0)^2 / 4096;
//	value = balance(mg + q*M.mg) * phase + balance((eg + q*M.eg) * sf) * (1 - phase)
//
// A formula is checked against the names that it may use, and becomes a short program in which both sides of a
// balance are written out. Package formula runs it for one row at a time, exactly as C computes it or smoothly
// as a fit sees it. It knows no derivatives: those are gorgonia's, in package tuner/internal/autodiff.
//
// Start reading at Parse.
//
// No promise of stability.
package formula
