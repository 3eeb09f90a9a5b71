// Package prinz solves chess problems of the type "mate in two" as D. G. Prinz's
// program for the Manchester machine did in November 1951: Research 6 (1952), p. 261,
// reported in chapter 25 of B. V. Bowden (ed.), Faster Than Thought (Pitman, 1953),
// section Chess, "The First Chess Problem Solved by a Computing Machine".
//
// From the chapter: its rules of chess (no castling, no double moves of pawns, no
// capture en passant, no promotion, so that a pawn on the last row does nothing; mate
// and stalemate are not told apart), the numbering of the squares 11 to 18 for the
// bottom row up to 81 to 88, legality by making a move and testing for self-check, and
// the printing of every first move tried, with "MATE" after the key.
//
// Ours: the order of moves, of which the printed list shows a part and fixes it there.
// Pawns come before rooks and kings last, and a rook goes west before it goes north,
// step by step outward. Knights, bishops and queens stand between rooks and kings; men
// of a kind are taken by the numbers of their squares; directions turn clockwise from
// west. When the machine leaves a loop is not known either: this one leaves as soon as
// a move is refuted, makes 536 moves on the printed problem, of which 121 are illegal,
// where the chapter counts "about 450" and "about 100".
//
// The diagram of the problem is lost; Problem is rebuilt from the printed list.
//
// Start reading at Solve.
package prinz
