package features

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/features/writer"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
)

// writerTerms are those of an engine that uses the writer in Go.
var writerTerms = []writer.Term{
	{Name: "pawn", Group: "material", MG: 80, EG: 100}, {Name: "knight", Group: "material", MG: 330, EG: 280},
	{Name: "bishop", Group: "material", MG: 340, EG: 300},
	{Name: "rook", Group: "material", MG: 480, EG: 520}, {Name: "queen", Group: "material", MG: 1000, EG: 950},
	{Name: "tempo", Kind: "flat", MG: 12, EG: 12},
}

// counted is what that engine sees in a position.
type counted struct {
	white, black [6]float32 // by term
	scale        [2]float32 // of White's endgame half and of Black's: less for a side without a queen
	halves       []int32    // middlegame; White's and Black's endgame
	phase        float32
}

func count(p *board.Position) (c counted) {
	c.phase, c.halves, c.scale = float32(eval.Phase(p))/24, make([]int32, 3), [2]float32{1, 1}
	for t := board.Pawn; t <= board.Queen; t++ {
		w, b := p.Pieces(board.White, t).Count(), p.Pieces(board.Black, t).Count()
		c.white[t], c.black[t] = float32(w), float32(b)
		c.halves[0] += int32((w - b) * int(writerTerms[t].MG))
		c.halves[1] += int32(w * int(writerTerms[t].EG))
		c.halves[2] += int32(b * int(writerTerms[t].EG))
	}
	for side := range c.scale {
		if p.Pieces(board.Color(side), board.Queen) == 0 {
			c.scale[side] = 0.75
		}
	}
	if p.SideToMove() == board.White {
		c.white[5] = 1
	} else {
		c.black[5] = 1
	}
	return c
}

// value is the evaluation with both sides' factors.
func (c *counted) value() float32 {
	eg := c.scale[0]*float32(c.halves[1]) - c.scale[1]*float32(c.halves[2])
	return c.phase*float32(c.halves[0]) + (1-c.phase)*eg + 12*(c.white[5]-c.black[5])
}

// leafOf plays the capture that wins most, if one wins anything.
func leafOf(p board.Position) board.Position {
	best, move := 0.0, board.Move(0)
	for _, m := range p.LegalMoves(nil) {
		if victim := p.PieceAt(m.To()); p.IsCapture(m) && victim != board.NoPiece {
			if gain := writerTerms[victim.Type()].MG - writerTerms[min(p.PieceAt(m.From()).Type(),
				board.Queen)].MG; gain > best {
				best, move = gain, m
			}
		}
	}
	if best > 0 {
		p.Make(move)
	}
	return p
}

// writerEngine is an engine of assay.features/2: it counts by side, or leaves, or gives a
// position another answer the second time; or it makes a mistake in that.
func writerEngine(how string) {
	bySide, resolves := strings.HasPrefix(how, "sides"), strings.HasPrefix(how, "leaf")
	w := writer.New(os.Stdin, os.Stdout, writer.Header{Model: how, BySide: bySide, Resolves: resolves, Terms: writerTerms})
	asked := map[string]bool{}
	for fen, ok := w.Next(); ok; fen, ok = w.Next() {
		p, err := board.ParseFEN(fen)
		if err != nil {
			panic(err)
		}
		root := count(&p)
		if resolves {
			p = leafOf(p)
		}
		c := count(&p)
		if !bySide {
			c.scale = [2]float32{1, 1}
		}
		rec := writer.Record{Phase: c.phase, Scale: 1, EGScale: 1, Eval: c.value(), HasEval: true, ScaleWhite: c.scale[0],
			ScaleBlack: c.scale[1], Leaf: p.FEN()}
		switch {
		case how == "sides-swapped":
			rec.ScaleWhite, rec.ScaleBlack = rec.ScaleBlack, rec.ScaleWhite
		case how == "sides-halves":
			c.halves[1], c.halves[2] = c.halves[2], c.halves[1]
		case how == "leaf-root": // the evaluation is the leaf's, the counts are not
			c.white, c.black = root.white, root.black
		case how == "again" && asked[fen]:
			rec.Offset, rec.Eval = 5, rec.Eval+5
		}
		asked[fen] = true
		if rec.Halves = c.halves; !bySide {
			rec.Halves = nil
		}
		for t := range writerTerms {
			if bySide {
				w.AddSides(t, c.white[t], c.black[t])
			} else {
				w.Add(t, c.white[t]-c.black[t])
			}
		}
		w.Write(rec)
	}
	if w.Err() != nil {
		panic(w.Err())
	}
}

// An engine that scales each side's endgame half on its own, from its process to the data
// set: counts, scaled counts and the value are those that it computed.
func TestEngineBySide(t *testing.T) {
	data, rows := positions(t, 1500)
	out, scaled := t.TempDir(), 0
	if _, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, "sides"),
		Procs: 2}); err != nil {
		t.Fatal(err)
	}
	r, set, err := dataset.OpenFeatures(out)
	if err != nil || !set.BySide {
		t.Fatalf("%+v, %v", set, err)
	}
	i := 0
	for f, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		c := count(&rows[i].Board)
		var got, want [6][2]float32
		for k, term := range f.Terms {
			got[term] = [2]float32{f.Counts[k], f.EGCounts[k]}
		}
		for term := range want {
			want[term] = [2]float32{c.white[term] - c.black[term], c.scale[0]*c.white[term] - c.scale[1]*c.black[term]}
		}
		if got != want || math.Abs(set.Value(&f)-float64(c.value())) > 0.01 || f.Score != rows[i].Score {
			t.Fatalf("row %d of %s: %+v, want %v and the value %v", i, rows[i].Board.FEN(), f, want, c.value())
		}
		if c.scale[0] != c.scale[1] {
			scaled++
		}
		i++
	}
	if i != len(rows) || scaled < 100 {
		t.Errorf("%d rows, %d of them with two factors", i, scaled)
	}
}

// An engine that counts the leaves of its own quiescence search: each row is about its leaf,
// and has the position's score only where the leaf is the position itself.
func TestEngineResolves(t *testing.T) {
	data, rows := positions(t, 1500)
	out, resolved := t.TempDir(), 0
	if _, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, "leaf"),
		Procs: 2}); err != nil {
		t.Fatal(err)
	}
	r, set, err := dataset.OpenFeatures(out)
	if err != nil || !set.Resolves {
		t.Fatalf("%+v, %v", set, err)
	}
	i := 0
	for f, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		leaf, score := leafOf(rows[i].Board), rows[i].Score
		if leaf.Key() != rows[i].Board.Key() {
			resolved++
			score = dataset.NoScore
		}
		c := count(&leaf)
		var got, want [6]float32
		for k, term := range f.Terms {
			got[term] = f.Counts[k]
		}
		for term := range want {
			want[term] = c.white[term] - c.black[term]
		}
		if got != want || f.Phase != c.phase || f.Score != score || f.Game != rows[i].Game {
			t.Fatalf("row %d of %s with the leaf %s: %+v, want %v", i, rows[i].Board.FEN(), leaf.FEN(), f, want)
		}
		i++
	}
	if i != len(rows) || resolved < 100 {
		t.Errorf("%d rows, %d of them replaced by a leaf", i, resolved)
	}
}

// Mistakes of such engines are stopped, and the message says what is wrong.
func TestEngineMistakes(t *testing.T) {
	data, _ := positions(t, 1500)
	for how, c := range map[string]struct {
		err  error
		says string
	}{
		"sides-swapped": {dataset.ErrDrift, "the factors of the two sides are exchanged"},
		"sides-halves":  {dataset.ErrDrift, "the endgame halves of White and Black are swapped"},
		"leaf-root":     {dataset.ErrDrift, "likely cause"},
		"again":         {errRepeat, "likely cause: an evaluation or pawn cache"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			_, err := Run(context.Background(), []string{data}, out, Config{Command: testEngine(t, how), Procs: 1})
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "row ") {
				t.Errorf("%v, want %v and %q", err, c.err, c.says)
			}
			if _, _, err := dataset.OpenFeatures(out); err == nil {
				t.Error("the data set counts as complete")
			}
		})
	}
}

// What the second answer to a position may not change.
func TestCompareAgain(t *testing.T) {
	base := func() *record {
		return &record{FeatureRow: dataset.FeatureRow{Terms: []uint16{1, 3}, Counts: []float32{1, -2},
			EGCounts: []float32{1, -1}, Phase: 0.5, Scale: 1, EGScale: 1, Eval: 7}, halves: []int32{1, 2}}
	}
	if err := compareAgain(base(), base()); err != nil {
		t.Errorf("the same answer: %v", err)
	}
	for _, c := range []struct {
		what   string
		change func(*record)
	}{
		{"eval 7, then 8", func(r *record) { r.Eval = 8 }},
		{"2 terms, then 1 or other counts", func(r *record) {
			r.Terms, r.Counts, r.EGCounts = r.Terms[:1], r.Counts[:1],
				r.EGCounts[:1]
		}},
		{"2 terms, then 2 or other counts", func(r *record) { r.EGCounts[1] = -2 }},
		{"2 terms, then 2 or other counts", func(r *record) { r.sides = []sideCount{{0, 8, 8}} }},
		{"another phase, factor, offset or half", func(r *record) { r.Offset = 1 }},
		{"another phase, factor, offset or half", func(r *record) { r.EGScale = 0.5 }},
		{"another phase, factor, offset or half", func(r *record) { r.halves[1] = 3 }},
	} {
		second := base()
		c.change(second)
		if err := compareAgain(base(), second); !errors.Is(err, errRepeat) || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%v, want %q", err, c.what)
		}
	}
}

// A mistake in a row that the sample does not have is named too, by the rows around it.
func TestRareMistake(t *testing.T) {
	data, rows := positions(t, 1500)
	_, err := Run(context.Background(), []string{data}, t.TempDir(),
		Config{Command: testEngine(t, "drift", rows[1399].Board.FEN()), Procs: 1})
	if !errors.Is(err, dataset.ErrDrift) || !strings.Contains(err.Error(), "row 1400 ") ||
		!strings.Contains(err.Error(), "likely cause: ") {
		t.Errorf("%v", err)
	}
}
