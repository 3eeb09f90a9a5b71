// Package prinz solves chess problems of the type "mate in two", as D. G. Prinz's program for
// the Manchester machine did in November 1951: Research 6 (1952), p. 261, reported in chapter
// 25 of B. V. Bowden (ed.), Faster Than Thought (Pitman, 1953), section Chess, "The First
// Chess Problem Solved by a Computing Machine". It does not play; use it by
// "assay historic prinz".
//
// From the chapter: its rules of chess (no castling, double pawn moves, en passant captures
// or promotion, so that a pawn on the last rank cannot move; checkmate and stalemate are not
// distinguished), the numbers of the squares, 11 to 18 on the first rank up to 81 to 88,
// legality by making a move and testing for self-check, and printing every first move that
// is tried, with "MATE" after the key.
//
// Our choices: the order of moves where the printed list does not fix it. In that list pawns
// come before rooks and kings last, and a rook goes west before north, step by step outward.
// Here knights, bishops and queens come between rooks and kings; pieces of the same type are
// taken in the order of their squares; directions turn clockwise from west. When the machine
// leaves a loop is not known. This program leaves it as soon as a move is refuted. On the
// printed problem it makes 536 moves, of which 121 are illegal; the chapter counts "about
// 450" and "about 100".
//
// The diagram of the problem is lost; Problem is reconstructed from the printed list.
//
// No promise of stability. Start reading at Solve.
package prinz
