package enginetest

// tricky holds legal positions that have exposed bugs in engines.
var tricky = []string{
	// Castling, pins, en passant, promotions: the perft classics.
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	// The most legal moves of any position, 218, and one with 104 captures of queens.
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
	// Double check, discovered check by en passant, a pawn pinned on its rank.
	"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
	"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
	"rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
	// Bare kings, one piece, nothing but pawns that block each other.
	"8/8/4k3/8/8/4K3/8/8 w - - 0 1",
	"8/8/4k3/8/8/4K3/3N4/8 b - - 0 1",
	"4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4K3 w - - 0 1",
	// At and before the end of fifty moves; and very late in a game.
	"7k/8/8/8/8/8/R7/K7 w - - 99 120",
	"7k/8/8/8/8/8/R7/K7 b - - 100 120",
	"8/8/8/5k2/8/8/8/4K2R w - - 30 6000",
	// One legal move; zugzwang; underpromotion saves the game.
	"7k/6pp/8/8/8/8/q7/7K w - - 0 1",
	"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1",
	"8/1P6/8/8/8/k7/p7/K7 w - - 0 1",
	// Chess960: king and rooks off their squares, castling on the spot.
	"1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1",
	"4k3/8/8/8/8/8/8/5KR1 w K - 0 1",
	// As many queens as chess allows, all attacking each other.
	"r1bqkb1r/qqqqqqqq/2n2n2/8/8/2N2N2/QQQQQQQQ/R1BQKB1R w KQkq - 0 1",
}
