// Package optimize minimizes smooth functions with cheap gradients and costly Hessians: [GaussNewton] and adam behind
// one interface, [Method], and bounds on the variables, [Box]. It knows nothing of chess.
//
// No promise of stability.
package optimize
