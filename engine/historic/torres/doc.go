// Package torres is El Ajedrecista, the automaton of Leonardo Torres y Quevedo, which
// mates with king and rook against king: named in C. E. Shannon, "Programming a Computer
// for Playing Chess" (1950), section 1, and described in chapter 25 of B. V. Bowden
// (ed.), Faster Than Thought (Pitman, 1953).
//
// Neither prints its rules. These are the six that are public (G. W. Atkinson, Chess and
// Machine Intuition, 1993, as reported by others), for an automaton whose king stands on
// a8 and its rook on b8 while the other king is on ranks 1 to 6:
//
//  1. Rook and the other king both on files a-c: the rook goes to h; both on f-h: to a.
//  2. The rook is more than one rank above the other king: it goes down one.
//  3. The automaton's king is more than two ranks above it: it goes down one.
//  4. The kings are an odd number of files apart: the rook makes way, a-b or g-h.
//  5. They face each other on one file: the rook goes down one, with check.
//  6. Else the automaton's king goes one file towards the other.
//
// They win from 41 of the 42 squares that the other king can begin on, against every
// defence, in 67 moves at most; the fifty-move rule is not kept. From c6 a defence
// reaches a position in which the rook would have to pass its own king, the defect that
// Faster Than Thought describes: "the machine cannot move its rook back past its king and
// one can then force a draw".
//
// Ours: the rules serve either color, and upside down where the other king is above the
// rook; and the player, which has to answer in every position, makes the first legal
// move where the automaton refuses: where there is other material, or where a rule asks
// for a move that is not legal. Wrong moves by the opponent, of which the automaton
// allowed two, cannot occur.
//
// Start reading at Rule.
package torres
