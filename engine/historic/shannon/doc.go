// Package shannon plays chess by the two strategies of Claude E. Shannon, "Programming
// a Computer for Playing Chess", Philosophical Magazine 41 (1950) 256-275, read in
// 1949: type A, all variations to a fixed depth, and type B, forceful variations as far
// as they lead.
//
// Faithful to the paper:
//   - f(P) of section 3, the model shannon-1950 of package eval, at the end of every
//     variation; minimax as his master program T9 does it, moves listed as by T7.
//   - Type A (sections 4, 5): n moves for each side, evaluated even in the middle of
//     exchanges and in check.
//   - Type B (section 6): variations end where g(P) = 0, after at least two moves and
//     at most ten; h(P,M) screens moves, every first move for itself, then only the more
//     forceful the deeper; a move that puts a man en prise is never screened for that.
//   - Section 7: statistical variation among moves of nearly equal value, a stored
//     opening book, and style, the weight of the positional terms.
//
// Ours, where the paper is silent:
//   - Cut-offs (alpha-beta), a table of positions and the order of replies, none of which
//     changes a value. Of equal moves the first that T7 lists is kept.
//   - Mate is the score of engine.MateScore, a draw 0; the fifty-move rule is known,
//     repetition is not (the paper says both). Full rules: the paper neglects castling
//     and en passant in its sketch.
//   - h is 5 for captures and promotions, 4 for checks, 3 for an attack on a man of more value
//     and for a minor piece leaving its home square, 2 for moving or newly defending a
//     man that is attacked, otherwise 0; a man is attacked here by any enemy. The
//     thresholds by ply are an option; by default checks are followed for four moves, as
//     series of queen checks otherwise take minutes.
//   - Where moves are screened out, f(P) stands for all of them, unless the side to move
//     is in check: then no move is screened out.
//   - Clause 3 of g, "any check exists on a square controlled by opponent", is being in
//     check.
//   - The margin of nearly equal moves and the lines of the book.
//
// It is not strong: see engine/search for that.
//
// Start reading at Player.Search, then typea.go and typeb.go.
package shannon
