package board

import (
	"testing"
)

// benchPositions are what the benchmarks of single functions go through in turn.
func benchPositions(b *testing.B) (positions []Position) {
	b.Helper()
	eachPosition(b, 12, 60, func(p *Position) {
		if p.CountLegal() > 0 {
			positions = append(positions, *p)
		}
	})
	return positions[:1024]
}

func BenchmarkPerft(b *testing.B) {
	for _, c := range []struct {
		name, fen string
		depth     int
	}{
		{"start", StartFEN, 5},
		{"kiwipete", kiwipeteFEN, 4},
		{"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5},
		{"promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := mustParse(b, c.fen)
			n := uint64(0)
			for b.Loop() {
				n += Perft(&p, c.depth)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
		})
	}
}

func BenchmarkLegalMoves(b *testing.B) {
	positions := benchPositions(b)
	buf := make([]Move, 0, MaxMoves)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf = positions[i%1024].LegalMoves(buf[:0])
	}
}

func BenchmarkLegalCaptures(b *testing.B) {
	positions := benchPositions(b)
	buf := make([]Move, 0, MaxMoves)
	for i := 0; b.Loop(); i++ {
		buf = positions[i%1024].LegalCaptures(buf[:0])
	}
}

func BenchmarkCountLegal(b *testing.B) {
	positions := benchPositions(b)
	n := 0
	for i := 0; b.Loop(); i++ {
		n += positions[i%1024].CountLegal()
	}
}

// BenchmarkMake copies a position and makes a move in the copy.
func BenchmarkMake(b *testing.B) {
	positions := benchPositions(b)
	moves := make([]Move, len(positions))
	for i := range positions {
		legal := positions[i].LegalMoves(nil)
		moves[i] = legal[i%len(legal)]
	}
	for i := 0; b.Loop(); i++ {
		child := positions[i%1024]
		child.Make(moves[i%1024])
	}
}

func BenchmarkIsLegal(b *testing.B) {
	positions := benchPositions(b)
	moves := make([]Move, len(positions))
	for i := range positions { // of two plies before, as a killer move may be
		legal := positions[(i+1022)%1024].LegalMoves(nil)
		moves[i] = legal[i%len(legal)]
	}
	for i := 0; b.Loop(); i++ {
		positions[i%1024].IsLegal(moves[i%1024])
	}
}

// captures returns positions with one of their captures each.
func captures(b *testing.B) ([]Position, []Move) {
	b.Helper()
	var positions []Position
	var moves []Move
	eachPosition(b, 13, 400, func(p *Position) {
		if legal := p.LegalCaptures(nil); len(legal) > 0 && len(moves) < 1024 {
			positions = append(positions, *p)
			moves = append(moves, legal[len(moves)%len(legal)])
		}
	})
	return positions[:1024], moves[:1024]
}

func BenchmarkSEE(b *testing.B) {
	positions, moves := captures(b)
	for i := 0; b.Loop(); i++ {
		positions[i%1024].SEE(moves[i%1024])
	}
}

func BenchmarkSEEAtLeast(b *testing.B) {
	positions, moves := captures(b)
	for i := 0; b.Loop(); i++ {
		positions[i%1024].SEEAtLeast(moves[i%1024], 0)
	}
}

func BenchmarkGivesCheck(b *testing.B) {
	positions, moves := captures(b)
	for i := 0; b.Loop(); i++ {
		positions[i%1024].GivesCheck(moves[i%1024])
	}
}

func BenchmarkParseFEN(b *testing.B) {
	var fens []string
	for _, p := range benchPositions(b) {
		fens = append(fens, p.FEN())
	}
	for i := 0; b.Loop(); i++ {
		if _, err := ParseFEN(fens[i%1024]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFEN(b *testing.B) {
	positions := benchPositions(b)
	n := 0
	for i := 0; b.Loop(); i++ {
		n += len(positions[i%1024].FEN())
	}
}

func BenchmarkParseSAN(b *testing.B) {
	positions := benchPositions(b)
	var sans []string
	for i := range positions {
		legal := positions[i].LegalMoves(nil)
		sans = append(sans, positions[i].SAN(legal[i%len(legal)]))
	}
	for i := 0; b.Loop(); i++ {
		if _, err := positions[i%1024].ParseSAN(sans[i%1024]); err != nil {
			b.Fatal(err)
		}
	}
}
