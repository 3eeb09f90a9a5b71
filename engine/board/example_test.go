package board_test

import (
	"errors"
	"fmt"

	"github.com/assay-chess/assay/engine/board"
)

func ExampleParseFEN() {
	p, err := board.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.SideToMove(), "to move,", p.CountLegal(), "legal moves")
	fmt.Println("queens:", p.ByType(board.Queen).Count())

	_, err = board.ParseFEN("4k3/8/8/8/8/8/8/8 w - - 0 1")
	fmt.Println(errors.Is(err, board.ErrFEN), err)
	// Output:
	// white to move, 48 legal moves
	// queens: 2
	// true invalid position "4k3/8/8/8/8/8/8/8 w - - 0 1": want one white king, got 0
}

func ExamplePosition_LegalMoves() {
	p, err := board.ParseFEN("7k/5Q2/8/6K1/8/8/8/8 b - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range p.LegalMoves(nil) {
		fmt.Println(p.UCI(m), p.SAN(m))
	}
	p, err = board.ParseFEN("4k3/P7/8/8/8/8/8/R3K3 w Q - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"O-O-O", "a8=N", "Rb1", "Ke3"} {
		m, err := p.ParseSAN(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		// A move is from, to and promotion. Castling is king captures rook; UCI writes it
		// as the protocol wants.
		fmt.Println(text, m, p.UCI(m))
	}
	// Output:
	// O-O-O e1a1 e1c1
	// a8=N a7a8n a7a8n
	// Rb1 a1b1 a1b1
	// not a legal move: "Ke3" in 4k3/P7/8/8/8/8/8/R3K3 w Q - 0 1
}

// A position is a value. To unmake a move, keep a copy.
func ExamplePosition_Make() {
	p := board.StartPosition()
	before := p
	m, err := p.ParseUCI("e2e4")
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Make(m)
	fmt.Println(p.FEN())
	p = before
	fmt.Println(p.FEN() == board.StartFEN, p == before, p.Key() == before.Key())
	// Output:
	// rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
	// true true true
}

func ExampleGame() {
	g := board.NewGame(board.StartPosition())
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		m, err := g.Position().ParseSAN(san)
		if err != nil {
			fmt.Println(err)
			return
		}
		g.Push(m)
	}
	result, why, over := g.Outcome()
	fmt.Println(result, why, over)
	// Output: 0-1 checkmate true
}

func ExamplePerft() {
	p := board.StartPosition()
	for depth := range 5 {
		fmt.Println(depth, board.Perft(&p, depth))
	}
	// Output:
	// 0 1
	// 1 20
	// 2 400
	// 3 8902
	// 4 197281
}
