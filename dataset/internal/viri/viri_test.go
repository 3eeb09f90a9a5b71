package viri

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

func write(t testing.TB, b []byte, g *dataset.GameRow) []byte {
	t.Helper()
	b, err := Append(b, g)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The first position of standard chess, and e2e4 at 33 centipawns, byte by byte.
func TestLayout(t *testing.T) {
	file := []byte{
		0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff,
		0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88, 0x9e, 0xca, 0xad, 0xe9,
		64, 0, 1, 0, 0, 0, 2, 0,
		0x0c, 0x07, 33, 0,
		0, 0, 0, 0,
	}
	n := 0
	for g, err := range Read(bytes.NewReader(file)) {
		if err != nil || !bytes.Equal(write(t, nil, &g), file) {
			t.Fatalf("%v; written again as %x", err, write(t, nil, &g))
		}
		e4 := board.NewMove(12, 28)
		want := dataset.GameRow{Variant: dataset.Standard, Moves: []board.Move{e4}, Scores: []int16{33}, Result: 1}
		if !reflect.DeepEqual(g, want) {
			t.Errorf("%+v", g)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d games", n)
	}
}

// Records of marlinformat, byte by byte: Black to move behind e2e4 at -120 centipawns, drawn; and one with
// castling for White's h-rook alone, d6 to be taken, and no score.
func TestPosition(t *testing.T) {
	pawn, err := board.ParseFEN("4k3/8/8/8/3pP3/8/8/4K3 b - e3 7 30")
	if err != nil {
		t.Fatal(err)
	}
	castles, err := board.ParseFEN("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 9")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rec  []byte
		want dataset.PositionRow
	}{
		{[]byte{0x10, 0, 0, 0x18, 0, 0, 0, 0x10, 0x85, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0x94, 7, 30, 0, 0x88, 0xff, 1, 0xaa},
			dataset.PositionRow{Board: pawn, Ply: 59, Score: -120, Result: .5, Weight: 1}},
		{[]byte{0x90, 0, 0, 0, 0x18, 0, 0, 0x10, 0x65, 0x08, 0xd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			43, 0, 9, 0, 0xff, 0x7f, 2, 0},
			dataset.PositionRow{Board: castles, Ply: 16, Score: dataset.NoScore, Result: 1, Weight: 1}},
	} {
		got, foreign, err := Position(c.rec)
		if err != nil || got != c.want || foreign != (c.want.Score == dataset.NoScore) {
			t.Errorf("%s: %+v, %v, %v, want %+v", got.Board.FEN(), got, foreign, err, c.want)
		}
		for i, bad := range map[int]byte{8: 7, 30: 3, 24: 127, 0: 0} {
			rec := bytes.Clone(c.rec)
			rec[i] = bad
			if _, _, err := Position(rec); err == nil {
				t.Errorf("byte %d is %d: no error", i, bad)
			}
		}
	}
}

// FuzzPosition reads any record: an error, or a row that passes its check.
func FuzzPosition(f *testing.F) {
	f.Add(make([]byte, Size))
	f.Fuzz(func(t *testing.T, rec []byte) {
		if len(rec) != Size {
			return
		}
		if r, _, err := Position(rec); err == nil && r.Check() != nil {
			t.Error(r)
		}
	})
}

func randomGames(seed uint64, n int) (games []dataset.GameRow) {
	rng := rand.New(rand.NewPCG(seed, 1))
	starts := []string{"", "", "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1",
		"r3k2r/1P4p1/8/3pP3/8/8/p6P/R3K2R w KQkq d6 0 9", "4k3/8/8/8/3pP3/8/8/4K2R b K e3 0 30"}
	for i := range n {
		g := dataset.GameRow{Variant: dataset.Standard, Start: starts[i%len(starts)], Result: int8(rng.IntN(3) - 1)}
		p := board.StartPosition()
		if g.Start != "" {
			p, _ = board.ParseFEN(g.Start)
			g.Start = p.FEN()
		}
		if p.Chess960() {
			g.Variant = dataset.Chess960
		}
		for range 60 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			for _, special := range moves {
				if p.IsCastling(special) || p.IsEnPassant(special) {
					m = special
				}
			}
			p.Make(m)
			g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, int16(rng.IntN(4000)-2000))
		}
		if p.CountLegal() == 0 {
			g.Result = 0
			if p.InCheck() {
				g.Result = int8(board.WinFor(p.SideToMove().Other()))
			}
		}
		games = append(games, g)
	}
	return games
}

func TestGamesAreReadBack(t *testing.T) {
	games := randomGames(1, 200)
	var file []byte
	for i := range games {
		file = write(t, file, &games[i])
	}
	var got []dataset.GameRow
	for g, err := range Read(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, g)
	}
	if !reflect.DeepEqual(got, games) {
		t.Errorf("%d games of %d, or others", len(got), len(games))
	}
}

// A game begins after its opening; a missing score stays missing.
func TestOpeningsAreLeftOut(t *testing.T) {
	g := dataset.GameRow{Variant: dataset.Standard, OpeningPlies: 1, Result: -1}
	p := board.StartPosition()
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		m, err := p.ParseSAN(san)
		if err != nil {
			t.Fatal(err)
		}
		p.Make(m)
		g.Moves, g.Scores = append(g.Moves, m), append(g.Scores, dataset.NoScore)
	}
	g.Scores[1] = -20
	for got, err := range Read(bytes.NewReader(write(t, nil, &g))) {
		want := dataset.GameRow{Variant: dataset.Standard, Start: "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq " +
			"- 0 1",
			Moves: g.Moves[1:], Scores: g.Scores[1:], Result: -1}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	g.Moves[3] = g.Moves[0]
	if _, err := Append(nil, &g); err == nil {
		t.Error("an illegal move is written")
	}
}

// Castling as the king's own move is understood; games that cannot be are refused, and
// those behind them read; a file that ends within a game is an error.
func TestFilesOfOtherPrograms(t *testing.T) {
	good := dataset.GameRow{Variant: dataset.Standard, Start: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", Result: 0}
	base := write(t, nil, &good)
	base = base[:headSize]
	castle := append(bytes.Clone(base), 4|6<<6&0xff, 6>>2|2<<6, 0, 0, 60|58<<6&0xff, 58>>2|2<<6, 5, 0, 0, 0, 0, 0)
	n := 0
	for g, err := range Read(bytes.NewReader(castle)) {
		if err != nil || len(g.Moves) != 2 || g.Moves[0] != board.NewMove(4, 7) || g.Moves[1] != board.NewMove(60, 56) {
			t.Errorf("%+v, %v", g, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d games", n)
	}
	bad := func(at int, value byte) []byte {
		b := bytes.Clone(castle)
		b[at] = value
		return b
	}
	for want, file := range map[string][]byte{
		"not legal":            bad(32, 5),
		"result 3":             bad(30, 3),
		"king":                 bad(8, 0x06),
		"piece 7":              bad(8, 0x57),
		"not 0 to 64":          bad(24, 70),
		"pieces, more than 32": append(bytes.Repeat([]byte{0xff}, 8), bad(8, 0)[8:]...),
	} {
		var errs []error
		for _, err := range Read(bytes.NewReader(append(file, castle...))) {
			errs = append(errs, err)
		}
		var ge *GameError
		if len(errs) != 2 || !errors.As(errs[0], &ge) || ge.Number != 1 || !strings.Contains(errs[0].Error(), want) ||
			errs[1] != nil {
			t.Errorf("%s: %v", want, errs)
		}
	}
	for _, n := range []int{1, 31, 32, 33, len(castle) - 1} {
		var last error
		for _, err := range Read(bytes.NewReader(castle[:n])) {
			last = err
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("cut to %d bytes: %v", n, last)
		}
	}
}

func FuzzRead(f *testing.F) {
	games := randomGames(2, 5)
	var file []byte
	for i := range games {
		file = write(f, file, &games[i])
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, data []byte) {
		for g, err := range Read(bytes.NewReader(data)) {
			if err == nil && g.Check() != nil {
				t.Error(g.Check())
			}
		}
	})
}
