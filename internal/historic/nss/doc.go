// Package nss is the chess program of Allen Newell, J. C. Shaw and Herbert A. Simon
// ("Chess-Playing Programs and the Problem of Complexity", IBM Journal of Research and
// Development 2 (1958) 320-335), later named CP-I, on JOHNNIAC. It has a list of goals.
// Each goal proposes moves, values positions, and says which replies must be searched.
//
// It has no goals for attack, king safety or the endgame, and plays accordingly.
//
// From the paper:
//   - The goals of the opening in their order: material balance, center control,
//     development, pawn structure. A goal is on the list if its specification holds.
//   - Values are vectors with one component per goal. They are compared lexicographically
//     and minimaxed, with cut-offs, while the tree grows.
//   - A position is analyzed until it is dead for every goal: captures that do not lose
//     material (material balance), developing moves that attack an exposed piece
//     (development).
//   - The first acceptable move is played, in the order in which the goals propose them; if
//     there is none, the best of those analyzed. By option a move that two goals propose
//     comes first, or a second list of goals looks for rare consequences (rare.go): the
//     paper's second and third ways of choosing.
//   - The move generators of material balance (a to f) and of center control (1 to 3).
//
// Our choices, where the paper is silent or gives only a sketch:
//   - A move is acceptable if no component becomes lower than it is now.
//   - Exchanges are played out with pieces behind others and without regard to pins. After
//     the first capture either side may stop. A piece is employed elsewhere if without it
//     another own piece would be lost.
//   - Tempi: minor pieces off their home squares, center pawns that have left theirs, and 3
//     for having castled or 2 for being able to castle. If a piece of the side to move is
//     attacked by one of less value, that side loses a tempo. The opponent's tempi are
//     subtracted.
//   - Even exchanges are proposed last, if no other move is acceptable, or by option with
//     the others: in the printed game CP-I declines one at moves 6 to 11.
//   - Development proposes minor pieces, castling, and rooks for the center files, kingside
//     first and the third rank first, as CP-I developed in that game. Pawn structure
//     proposes nothing; it counts doubled and isolated pawns.
//   - In the analysis a side need not capture: it may leave the position as it stands. In
//     check all moves are searched. The analysis ends after eight plies (an option).
//   - If no goal proposes a move, every legal move is analyzed. A mate is better and being
//     mated worse than any vector. Stalemate has no goal, as in the paper.
//
// CP-I played a game of 29 moves against Simon in 1960, with three goals: it had none for the
// pawn structure yet. With Goals=3 this program plays 20 of these moves, with its default of
// four goals 14. The goals propose 24 of them either way.
//
// Start reading at goals.go, then player.go.
package nss
