// Package nss is the chess program of Allen Newell, J. C. Shaw and Herbert A. Simon
// ("Chess-Playing Programs and the Problem of Complexity", IBM Journal of Research and
// Development 2 (1958) 320-335), later CP-I on JOHNNIAC: a list of goals, each of which
// proposes moves, values positions and says which replies must be looked at.
//
// Faithful to the paper:
//   - The goals of the opening in their order: material balance, center control,
//     development, pawn structure. A goal is on the list if its specification holds.
//   - Values are vectors, one component a goal, compared as words in a dictionary, and
//     minimaxed with cut-offs while the tree grows.
//   - A position is analyzed further until it is dead for every goal: captures that do
//     not lose material (material balance), developing moves that attack an exposed
//     piece (development).
//   - The first acceptable move is played, in the order in which the goals propose
//     them; if there is none, the best of those analyzed. By option a move that two
//     goals propose comes first, the paper's second way of choosing.
//   - The generators of material balance (a to f) and of center control (1 to 3).
//
// Ours, where the paper is silent or says that it is only a sketch:
//   - A move is acceptable if each component is at least what it is now.
//   - Exchanges are played out with men behind others and without pins; after the first
//     capture either side may stop. A man is employed elsewhere if without it another
//     own man would be lost.
//   - Tempi: minor pieces on the board off their home squares, center pawns that have
//     left theirs, and 3 for having castled or 2 for being able to; a piece attacked by a
//     man of less value costs the side to move one. They are counted against the
//     opponent's.
//   - Even exchanges are proposed last, where no other move is acceptable, or by option
//     with the others: in the printed game CP-I declines one at moves 6 to 11.
//   - Development proposes minor pieces, castling, and rooks for the center files, the
//     king's side first and the third rank first, as CP-I developed in that game. Pawn
//     structure proposes nothing; it counts doubled and isolated pawns.
//   - In the analysis a side need not capture: its position may also be left as it
//     stands, except in check, where all moves are looked at. The analysis ends eight
//     plies deep (an option).
//   - If no goal proposes anything every legal move is analyzed. A mate is better and
//     being mated worse than any vector; stalemate has no goal, as in the paper.
//
// Of the 29 moves of the game that CP-I played against Simon in 1960 this program has 20,
// and its goals propose 24.
//
// It has no goals for attack, king safety or the endgame, and plays accordingly.
//
// Start reading at goals.go, then player.go.
package nss
