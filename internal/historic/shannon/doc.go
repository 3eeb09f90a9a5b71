// Package shannon plays chess by the two strategies of Claude E. Shannon, "Programming a
// Computer for Playing Chess", Philosophical Magazine 41 (1950) 256-275, first read in
// 1949: type A searches all variations to a fixed depth, type B only forceful variations,
// as far as they go. Shannon wrote no program; he describes one.
//
// It is not strong; for that see engine/search.
//
// From the paper:
//   - The evaluation f(P) of section 3 (the model shannon-1950 of package eval) at the end
//     of every variation; minimax as in the master program T9; moves in the order of T7.
//   - Type A (sections 4 and 5): a fixed number of moves for each side, with positions
//     evaluated even in the middle of exchanges and in check.
//   - Type B (section 6): a variation ends where g(P) = 0, after at least two and at most
//     ten moves. h(P,M) selects the moves: all of them at the root, deeper down only more
//     and more forceful ones. A move is never dropped because it puts a piece en prise.
//   - Section 8: type positions, by option, with a program for each phase.
//   - Section 7: statistical variation among moves of nearly equal value, a stored opening
//     book, and style, which is the weight of the positional terms.
//
// Our choices, where the paper is silent:
//   - Alpha-beta, a table of positions and the order of replies. None changes a value. Of
//     equal moves the first in T7's list is played.
//   - Checkmate scores engine.MateScore, a draw 0. The fifty-move rule is implemented,
//     repetition is not (the paper mentions both). The full rules of chess; the paper's
//     sketch leaves out castling and en passant.
//   - h is 5 for captures and promotions, 4 for checks, 3 for an attack on a more valuable
//     piece and for a minor piece that leaves its home square, 2 for moving or newly
//     defending an attacked piece, otherwise 0. A piece is attacked if any enemy piece
//     attacks it. The thresholds by ply are an option. By default checks are followed for
//     four moves, since series of queen checks otherwise take minutes.
//   - Where h drops moves, the side to move may instead take f(P). In check no move is
//     dropped.
//   - Clause 3 of g, "any check exists on a square controlled by opponent", is read as being
//     in check.
//   - The margin of nearly equal moves, and the lines of the book.
//
// Start reading at Player.Search, then types.go.
package shannon
