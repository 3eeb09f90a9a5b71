// Package torres is El Ajedrecista, the automaton of Leonardo Torres y Quevedo (1890) that
// mates with king and rook against king. Sources: C. E. Shannon, "Programming a Computer for
// Playing Chess" (1950), section 1, names it, and chapter 25 of B. V. Bowden (ed.), Faster
// Than Thought (Pitman, 1953), describes it.
//
// Neither prints its rules. The six used here are the published ones (G. W. Atkinson, Chess
// and Machine Intuition, 1993, as quoted by others). They assume that the automaton's king
// starts on a8 and its rook on b8, and the other king on ranks 1 to 6:
//
//  1. Rook and enemy king both on files a to c: the rook goes to the h-file; both on f to
//     h: to the a-file.
//  2. The rook is more than one rank above the enemy king: it goes down one rank.
//  3. The own king is more than two ranks above the enemy king: it goes down one rank.
//  4. The kings are an odd number of files apart: the rook steps aside, a-b or g-h.
//  5. The kings are on the same file: the rook goes down one rank, with check.
//  6. Otherwise the own king goes one file toward the enemy king.
//
// They win from 41 of the 42 squares on which the enemy king can start, against every
// defense, in at most 67 moves; the fifty-move rule is ignored. From c6 a defense reaches a
// position in which the rook would have to pass its own king, the defect that Faster Than
// Thought describes: "the machine cannot move its rook back past its king and one can then
// force a draw".
//
// Our choices: the rules also serve Black, and also with the board upside down if the enemy
// king is above the rook. A player must always move, so where the automaton refuses, because
// of other material or because a rule's move is not legal, it plays the first legal move.
// Wrong moves by the opponent, of which the automaton allowed two, cannot occur.
//
// Start reading at answer, in rules.go.
package torres
