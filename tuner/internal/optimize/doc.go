// Package optimize minimizes smooth functions that are cheap in gradients and dear in
// curvatures: [GaussNewton] and adam behind one interface, [Method], and
// bounds on the variables, [Box]. It knows nothing of chess.
//
// No promise of stability.
package optimize
