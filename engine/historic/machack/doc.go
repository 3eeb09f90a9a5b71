// Package machack is Mac Hack VI, the program that entered tournaments in 1967:
// Greenblatt, Eastlake and Crocker, "The Greenblatt Chess Program", Proceedings of the
// Fall Joint Computer Conference 31 (1967), reprinted as AI Memo 174 (1969).
//
// From the paper: minimax with alpha-beta, in which a move is refuted if it is equally
// good; a generator that gives every legal move a plausibility, by which moves are
// ordered and a part of them kept; widths 15, 15, 9, 9, 7 in tournaments and 6 else,
// widened for safe checks, for captures at the first two levels, for a least number of
// distinct pieces, and not used up by moves that lead to mate; the feedover conditions
// under which the generator is applied beyond the depth; captures without limit there;
// a hash table of 32,000 entries; the modifications of a value for moves that are
// developmentally poor and for a piece that moves twice; the secondary search below each
// new best move; book openings; the static evaluation S = B + R + P + K + C, which is the
// model machack-1967 of package eval.
//
// The paper names about fifty heuristics of plausibility and prints the numbers of none,
// nor of the modifications, nor the depth. Ours: a depth of five plies; feedover for two
// plies at most; a man is en prise if its least attacker is worth less than it is, or it
// has more attackers than defenders; the heuristics of kinds.go with points chosen by
// judgement, of the size of the paper's one example (10 for unblocking a bishop); 4
// points (a pawn is 128) off a poor move, 8, 6 or 4 off a piece's second move; the book,
// which is small. A mating move comes first and fifty moves are a draw. The search is
// repeated with one ply more until the depth is reached, so that limits find a move
// ready; the hash table is emptied each time, and every repetition is what a single
// search of that depth finds. The program's values are in 1/128 pawn, these in
// centipawns, as the evaluation has them.
//
// Not here: offers of a draw, and learning, which the paper has not either.
//
// Start reading at Player, then generator.list for the plausible move generator and
// search.node for the search.
package machack
