// Package draughts plays draughts as C. S. Strachey's program for the Manchester machine
// did: chapter 25 of B. V. Bowden (ed.), Faster Than Thought (Pitman, 1953), section
// Draughts, and the game printed there on page 303.
//
// From the chapter: the three words B, W and K, bit n for square n; Black, the machine,
// on squares 0 to 11 and moving first; moves found a type at a time, all men at once, by
// shifting a word, the largest digit first; both strategies with their values of a king;
// the choice by chance among moves of equal value. Of what is printed, the mask M and
// two of the words have lost a group of four digits, and "theta > 2^28" must read >=,
// since square 28 makes kings as well.
//
// Ours: English draughts where the chapter does not say (men capture forward only, any
// capture may be chosen, captures are compulsory and completed, becoming a king ends
// the move), the order of the types of moves, and that who cannot move has lost. A stage
// is a move of either side, the machine's own counted. With these the printed game is
// legal in all its 67 plies, and Strategy 2 has the machine's move among its best in 33
// of 34 turns. Alpha-beta, which the chapter does not have, changes no value that Choose
// returns.
//
// Learn fits the value of a king to the results of games that the program plays against
// itself, and says how far the games leave it open; Compare plays values against each
// other. What a king is worth to the program it knows by order alone: values between 2
// and 3 play the same moves. 2 7/8 is better than 3, as the chapter says, and worse than
// 1 1/2, at which a king is not worth a man's sacrifice either.
//
// It is no chess player: `assay historic draughts` shows it.
//
// Start reading at Position, then at Strategy.
package draughts
