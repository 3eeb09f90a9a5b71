package synthetic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// BentK is the slope under which results are drawn.
const BentK = 0.005

// Bent is an evaluation whose value is a formula. Its first channel is tapered and not counted by side.
type Bent struct {
	Terms    []rows.Term
	Channel  []int // by term
	Channels []formula.Channel
	Formula  *formula.Formula
}

// BentRow is a position as the counts of each term: White's, or both sides', and Black's.
type BentRow struct {
	Counts [][2]float32 // by term
	Phase  int
	Result float32
	Game   uint64
}

// Add appends a term of a channel.
func (e *Bent) Add(channel int, name string, mg, eg float64) {
	e.Terms = append(e.Terms, rows.Term{Name: name, Group: e.Channels[channel].Name, Tapered: e.Channels[channel].Tapered,
		Mirror: len(e.Terms), MG: mg, EG: eg})
	e.Channel = append(e.Channel, channel)
}

// NewBent is an evaluation of n terms of a tapered channel, king danger of each side, which counts by its square,
// and complexity, which multiplies the endgame half. Without a jump it has no kinks where rows are, so that its
// loss has one minimum.
func NewBent(n int, jump bool) *Bent {
	e := &Bent{Channels: []formula.Channel{{Name: "main", Tapered: true}, {Name: "danger", Sides: true},
		{Name: "complexity"}}}
	e.Formula = formula.New("bent", func(b *formula.Builder) formula.Value {
		attack := b.Balance(func(black bool) formula.Value {
			return b.Read(formula.Input{Channel: 1, Black: black}).Max(b.Number(0)).Square().Over(400)
		})
		mg, eg := b.Read(formula.Input{Channel: 0}), b.Read(formula.Input{Channel: 0, Endgame: true})
		phase := b.Read(formula.Input{Channel: formula.Phase})
		play := b.Number(1).Plus(b.Read(formula.Input{Channel: 2}).Clamp(-50, 50).Over(100))
		v := b.Number(0)
		if jump {
			v = b.If(b.Number(30).Less(eg), b.Number(10), v)
		}
		v = v.Plus(mg.Plus(attack).Times(phase))
		return v.Plus(eg.Plus(attack.Times(b.Number(0.3))).Times(play).Times(b.Number(1).Minus(phase)))
	})
	for i := range n {
		e.Add(0, fmt.Sprintf("main.%d", i), float64(60+10*i), float64(90-5*i))
	}
	for i := range 4 {
		e.Add(1, fmt.Sprintf("danger.%d", i), float64(20+10*i), float64(20+10*i))
	}
	e.Add(2, "complexity", 5, 5)
	return e
}

// value is the evaluation of a row with the start values of the terms.
func (e *Bent) value(m *formula.Machine, r *BentRow) float64 {
	in := make([]float64, len(e.Formula.Inputs))
	for i, x := range e.Formula.Inputs {
		if x.Channel == formula.Phase {
			in[i] = float64(r.Phase) / rows.MaxPhase
		}
		for t := range e.Terms {
			if e.Channel[t] != x.Channel {
				continue
			}
			count, value := r.Counts[t][0], e.Terms[t].MG
			if x.Black {
				count = r.Counts[t][1]
			}
			if x.Endgame {
				value = e.Terms[t].EG
			}
			in[i] += float64(count) * value
		}
	}
	return m.Value(in)
}

// Games draws games of rows, whose results follow the start values of the terms. The rows of a game share its luck.
func (e *Bent) Games(games, length int, seed uint64) (out []BentRow) {
	r := rand.New(rand.NewPCG(seed, 11))
	m := formula.NewMachine(e.Formula)
	for g := range games {
		luck := r.Float64()
		for range length {
			row := BentRow{Counts: make([][2]float32, len(e.Terms)), Phase: r.IntN(rows.MaxPhase + 1), Game: uint64(g + 1)}
			for t := range e.Terms {
				switch {
				case r.IntN(3) == 0:
				case e.Channels[e.Channel[t]].Sides:
					row.Counts[t] = [2]float32{float32(r.IntN(4)), float32(r.IntN(4))}
				default:
					row.Counts[t][0] = float32(r.IntN(5) - 2)
				}
			}
			if luck < objective.Sigmoid(BentK*e.value(m, &row)) {
				row.Result = 1
			}
			out = append(out, row)
		}
	}
	return out
}

// Store builds a store of rows, in memory or, if disk is not empty, in that folder.
func (e *Bent) Store(t testing.TB, list []BentRow, disk string) *rows.Store {
	t.Helper()
	b := rows.NewBuilder(len(e.Terms))
	if disk != "" {
		var err error
		if b, err = rows.NewDiskBuilder(len(e.Terms), disk); err != nil {
			t.Fatal(err)
		}
	}
	bend := rows.NewNonlinear(e.Formula, e.Channels, e.Channel)
	b.SetNonlinear(bend)
	for i := range list {
		r := &list[i]
		phase := float32(r.Phase) / rows.MaxPhase
		row := rows.Row{Phase: rows.OwnFactors, MG: phase, EG: 1 - phase, Scale: 1, Result: r.Result, Score: rows.NoScore,
			Weight: 1, Game: r.Game}
		for term, n := range r.Counts {
			row.Entries = bend.Entries(row.Entries, uint16(term), n[0], n[1])
		}
		if err := b.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	return Finish(t, b)
}
