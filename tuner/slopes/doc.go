// Package slopes measures how an engine's evaluation depends on its numbers.
//
// An evaluation is a function of its numbers: change one by a step, evaluate again, and the difference says how often
// and in which way the number counts. The engine's own program does both, see Program; it needs no second evaluation
// that counts. Measure writes what it finds as features, a data set that package tuner fits: a term for each number,
// its slope as the count, and the rest of the value as the offset. They hold near the point where they were measured.
//
// # How few evaluations are enough
//
// Most numbers change the value of few positions. A sample, measured in full, says where each number is likely to
// count: a value for a piece on a square only where that piece stands there. There it is moved alone. Then all
// numbers of a group are moved at once, at every position, each by its own step. Where the value changes by the sum
// of the known slopes, none is missing; where not, halves of the group find it. Moving all down as
// well shows the positions where the value bends, whose slopes are measured from both sides with smaller steps.
//
// Start reading at Measure (measure.go), then group.go.
//
// No promise of stability.
package slopes
