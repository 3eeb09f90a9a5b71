package match

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog/gamelogtest"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// scalingOf is a result of three matches with these Elo and standard errors.
func scalingOf(elo, se [3]float64) *Scaling {
	r := &Scaling{A: "new", B: "base", Games: 4000, Nodes: []uint64{1500, 6000, 24000}}
	for i, x := range elo {
		reach := normal95 * se[i]
		lo, hi := num.Float(x-reach), num.Float(x+reach)
		r.Limits = append(r.Limits, Result{Details: sprt.Details{Elo: num.Float(x), NormalLo: lo, NormalHi: hi,
			NElo: num.Float(x), NEloLo: lo, NEloHi: hi}})
	}
	r.conclude()
	return r
}

func TestSlopes(t *testing.T) {
	for _, tt := range []struct {
		elo, se [3]float64
		slope   float64 // by hand: weighted least squares at 0, 2 and 4 doublings
		error   float64
		verdict string
		bent    bool
	}{
		{[3]float64{10, 20, 30}, [3]float64{2, 2, 2}, 5, 2 / math.Sqrt(8), grows, false},
		{[3]float64{30, 20, 10}, [3]float64{2, 2, 2}, -5, 2 / math.Sqrt(8), shrinks, false},
		{[3]float64{30, 20, 10}, [3]float64{20, 20, 20}, -5, 20 / math.Sqrt(8), notKnown, false},
		{[3]float64{10, 10.4, 10.8}, [3]float64{2, 2, 2}, 0.2, 2 / math.Sqrt(8), holds, false},
		{[3]float64{0, 30, 0}, [3]float64{2, 2, 2}, 0, 2 / math.Sqrt(8), holds, true},
		// The middle counts for nothing: the line through the ends.
		{[3]float64{0, 300, 40}, [3]float64{3, 1e6, 4}, 10, 1.25, grows, false},
	} {
		r := scalingOf(tt.elo, tt.se)
		got := r.Elo.PerDoubling
		reach := float64(got.EloHi-got.EloLo) / 2 / normal95
		if math.Abs(float64(got.Elo)-tt.slope) > 1e-6 || math.Abs(reach-tt.error) > 1e-6 || r.Verdict != tt.verdict ||
			r.Elo.Bent() != tt.bent {
			t.Errorf("%v ± %v: %+v (SE %v), %s, bent %v; want %+v", tt.elo, tt.se, got, reach, r.Verdict, r.Elo.Bent(), tt)
		}
		if !strings.HasPrefix(r.Headline(), strings.ToUpper(tt.verdict)+": new against base, ") {
			t.Error(r.Headline())
		}
	}
}

func TestSlopeOfOneSidedMatches(t *testing.T) {
	r := scalingOf([3]float64{10, 20, 30}, [3]float64{2, 2, 2})
	r.Limits[2].Details.NElo = num.Unknown
	r.conclude()
	if r.Verdict != notKnown || r.Elo.PerDoubling.Known() || !strings.Contains(r.Headline(), "one side won nothing") {
		t.Errorf("%+v: %s", r.Elo, r.Headline())
	}
}

// An interrupted scaling has the bytes of an undisturbed one, and its matches have no opening in common.
func TestScale(t *testing.T) {
	one := config(t, 250)
	whole, err := Scale(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, 250)
	err, attempts := context.Canceled, 0
	for ; errors.Is(err, context.Canceled); attempts++ {
		ctx, cancel := context.WithCancel(t.Context())
		c.Concurrency = 1 + attempts%3
		from := int64(-1)
		c.Progress = func(done, _ int64, _ string) {
			if from < 0 {
				from = done
			}
			if done >= from+40 {
				cancel()
			}
		}
		_, err = Scale(ctx, c)
		cancel()
	}
	if err != nil || attempts < 3 {
		t.Fatalf("%d attempts: %v", attempts, err)
	}
	seen := map[string]int{}
	for i, want := range []struct{ games, nodes uint64 }{{160, 1}, {50, 4}, {40, 16}} {
		a, b := ScalingFolder(one.Out, i), ScalingFolder(c.Out, i)
		gamelogtest.SameFiles(t, a, b, gamelogtest.Promised...)
		if m := whole.Limits[i]; m.Games != int64(want.games) || whole.Nodes[i] != one.Limits.Nodes*want.nodes {
			t.Errorf("%d games at %d nodes, want %+v", m.Games, whole.Nodes[i], want)
		}
		for _, g := range journalOf(t, a) {
			text, _ := json.Marshal([]any{g.Start, g.Moves[:g.Opening]})
			if in, known := seen[string(text)]; known && in != i {
				t.Errorf("matches %d and %d have an opening in common", in, i)
			}
			seen[string(text)] = i
		}
	}
	for _, name := range []string{"config.json", "result.json"} {
		a, errA := os.ReadFile(filepath.Join(one.Out, name))
		b, errB := os.ReadFile(filepath.Join(c.Out, name))
		if string(a) != string(b) || errors.Join(errA, errB) != nil {
			t.Errorf("%s differs", name)
		}
	}
	one.Open = func(engine.Spec) (engine.Player, error) { return nil, errors.New("no game should be played") }
	if again, err := Scale(t.Context(), one); err != nil || !again.Already || again.Headline() != whole.Headline() {
		t.Errorf("again: %+v, %v", again, err)
	}
	if _, err := Run(t.Context(), one); err == nil { // a match of the same settings is another run
		t.Error("a match resumed the folder of a scaling")
	}
	one.Games = 100
	if _, err := Scale(t.Context(), one); !errors.Is(err, selfplay.ErrConfig) {
		t.Errorf("100 games: %v", err)
	}
}
