// Package draughts is the draughts program that C. S. Strachey wrote for the Manchester
// machine in 1952: chapter 25 of B. V. Bowden (ed.), Faster Than Thought (Pitman, 1953),
// section Draughts, with the game printed there on page 303. It plays no chess; use it by
// "assay historic draughts".
//
// From the chapter: a position as the three words B, W and K, bit n for square n; Black,
// the machine, on squares 0 to 11 and moving first; move generation by shifting a word, one
// type of move for all men at once, the highest bit first; both strategies with their
// values of a king; the random choice among moves of equal value. In the printed text the
// mask M and two of the words have lost a group of four digits, and "theta > 2^28" must
// read >=, since a man also becomes a king on square 28.
//
// Our choices: English draughts where the chapter says nothing (men capture forward only,
// any capture may be chosen, captures are compulsory and must be completed, becoming a king
// ends the move), the order of the types of moves, and that a side that cannot move loses.
// A stage is a move of either side, the machine's own included. With these the printed game
// is legal in all its 67 plies, and Strategy2 has the machine's move among its best in 33
// of 34 turns. Alpha-beta is ours too; it changes no value that Choose returns.
//
// For the play of the program only the order of values matters: all values of a king between 2 and
// 3 men play the same moves.
//
// No promise of stability. Start reading at Position, then at Strategy.
package draughts
