// Package machack is Mac Hack VI, the first program that played in tournaments, in 1967:
// Greenblatt, Eastlake and Crocker, "The Greenblatt Chess Program", Proceedings of the Fall
// Joint Computer Conference 31 (1967), reprinted as AI Memo 174 (1969).
//
// From the paper:
//   - Minimax with alpha-beta, in which a move is also refuted if it is only equally good.
//   - A generator that gives every legal move a plausibility score. The moves are ordered by
//     it and only the first ones are searched: 15, 15, 9, 9, 7 by level in tournaments, else
//     6. Safe checks, captures at the first two levels, and moves of further pieces up to a
//     least number of distinct pieces are searched in addition. Moves that lead to being
//     mated do not count.
//   - The feedover conditions, under which the generator is applied beyond the depth, and
//     captures without limit after that.
//   - A hash table of 32,000 entries.
//   - A deduction for developmentally poor moves and for a piece that moves twice.
//   - The secondary search below each new best move.
//   - An opening book.
//   - The static evaluation S = B + R + P + K + C (the model machack-1967 of package eval).
//
// The paper names about fifty heuristics of plausibility but prints no numbers for them, for
// the deductions or for the depth. Our choices:
//   - A depth of five plies; feedover for at most two plies.
//   - A piece is en prise if its least valuable attacker is worth less than it is, or if it
//     has more attackers than defenders.
//   - The heuristics of habits.go, with points of the size of the paper's one example (10 for
//     unblocking a bishop). An unblocked piece gets no points for the square that the moving
//     piece goes to: the paper counts squares that a piece "can move to".
//   - A pawn on the second rank is never backward. By the letter of the paper's list all
//     eight pawns of a side start as backward pawns, because a neighbor would defend each of
//     them if it advanced; moves like 1.f3, after which some are defended, are then the best.
//     The letter holds on the other ranks. The term backward.home counts the difference.
//   - Deductions of 4 points (a pawn is 128) for a poor move and of 8, 6 or 4 for a second
//     move of the same piece.
//   - A small book. A mating move comes first. The fifty-move rule is implemented.
//   - The search is repeated one ply deeper until the depth is reached, so that a limit finds
//     a move ready. The hash table is cleared each time, so that the last iteration finds
//     what a single search of that depth would.
//   - Values are in centipawns; the program's were in 1/128 pawn.
//
// Without its book it opens with 1.e4 and answers 1.e4 with e5, as in the printed games of the
// time before the book. Of Mac Hack's 158 moves in the four printed games it plays 78. Other
// readings of the last line of the list for backward pawns, with points for the moving
// piece's square (left) and without (right), play
//
//	the letter (all home pawns are backward)             71  71
//	the letter off the second rank                       76  78
//	a neighbor ahead, none level or behind               72  74
//	a neighbor ahead                                     71  71
//	only blocked pawns (the line before)                 70  75
//	the neighbors, not the pawn, are to advance          69
//	the letter, and a pawn attacks the square ahead          72
//
// Only with the second column's 78 and 75 it both opens with 1.e4 and answers 1.e4 and 1.g3
// with e5. Differences of a few moves are no evidence by themselves.
//
// It does not offer draws, and does not learn; the paper does not describe either.
//
// Start reading at Player, then generator.list for the plausible move generator and
// search.node for the search.
package machack
