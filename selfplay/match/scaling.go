package match

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// ScalingCommand is the command in a run folder of Scale.
const ScalingCommand = "match --scaling"

// What more nodes do to A's Elo.
const (
	grows    = "grows"     // the 95 % interval of its slope is above 0
	shrinks  = "shrinks"   // below 0
	holds    = "holds"     // the interval is within ±holdsWithin
	notKnown = "not known" // none of these
)

// holdsWithin is the change of Elo with each doubling of nodes below which Elo holds.
const holdsWithin = 3.0

// scalingSteps are the matches of a scaling: a factor on the nodes, and the share of the games. A game costs
// as much as its nodes, and a slope is known best if the ends have games as 1/sqrt(cost). A fifth in the
// middle shows a bend.
var scalingSteps = []struct {
	nodes uint64
	share float64
}{{1, 0.64}, {4, 0.20}, {16, 0.16}}

// MinScalingGames leaves the match at the most nodes enough games for an Elo.
const MinScalingGames = 200

// Scaling is the result of a match at three limits of nodes, from A's view.
type Scaling struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Verdict string   `json:"verdict"` // of Elo: grows, shrinks, holds or notKnown; or NoVerdict
	Reason  string   `json:"reason,omitempty"`
	Games   int64    `json:"games"`
	Elo     Slope    `json:"elo"`
	NElo    Slope    `json:"nelo"` // of normalized Elo, which draws alone do not shrink
	Limits  []Result `json:"limits"`
	Nodes   []uint64 `json:"nodes"` // a move, of each of Limits
	Already bool     `json:"-"`     // it was complete before
}

// Slope is how Elo changes with each doubling of nodes: a line through the matches, each weighted by its error.
type Slope struct {
	Verdict     string        `json:"verdict"`
	PerDoubling sprt.Strength `json:"per_doubling"`
	Bend        sprt.Strength `json:"bend"` // how far the middle is above the line through the ends
}

// Bent reports whether the middle is off the line through the ends by more than chance.
func (s Slope) Bent() bool { return s.Bend.Known() && float64(s.Bend.EloLo)*float64(s.Bend.EloHi) > 0 }

// Headline says in one sentence what more nodes do.
func (r *Scaling) Headline() string {
	if r.Verdict == NoVerdict {
		return "NO VERDICT: " + r.Reason
	}
	text := fmt.Sprintf("%s: %s against %s, ", strings.ToUpper(r.Verdict), r.A, r.B)
	if !r.Elo.PerDoubling.Known() {
		return text + "because one side won nothing at one of the limits"
	}
	return text + r.Elo.PerDoubling.Text(" Elo") + " with each doubling of nodes"
}

// Notes returns what a reader should know beside the headline.
func (r *Scaling) Notes() (list []string) {
	switch {
	case r.Elo.Verdict == shrinks && r.NElo.Verdict != shrinks && r.NElo.PerDoubling.Known():
		list = append(list, "normalized Elo does not shrink: draws, which are more with more nodes, may be all of it")
	case r.Elo.Verdict == notKnown && r.Elo.PerDoubling.Known():
		half := float64(r.Elo.PerDoubling.EloHi-r.Elo.PerDoubling.EloLo) / 2
		list = append(list, fmt.Sprintf("about %.0f games would know the slope to ±%g Elo",
			math.Ceil(float64(r.Games)*half*half/(holdsWithin*holdsWithin)/1000)*1000, holdsWithin))
	}
	if r.Elo.Bent() {
		list = append(list, "the three are not on a line (the middle is off by "+r.Elo.Bend.Text(" Elo")+
			"): do not extend the slope to more nodes")
	}
	return list
}

// Scale plays matches between A and B at three limits: c.Limits.Nodes, and 4 and 16 times as many. Games
// is the number of all games. With Out each match has a folder in it, and what an earlier call played
// counts. Errors are those of Run.
func Scale(ctx context.Context, c Config) (*Scaling, error) {
	if c.Test != nil || c.Limits.Nodes == 0 || c.Games < MinScalingGames {
		return nil, fmt.Errorf("match: %w: scaling needs nodes, and a number of games of at least %d", selfplay.ErrConfig,
			MinScalingGames)
	}
	c.LimitsB = c.Limits
	if err := c.complete(); err != nil {
		return nil, err
	}
	openings, err := c.Setup.Openings(c.need())
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	if c.Out == "" {
		return c.scale(ctx)
	}
	info := durable.RunInfo{Command: ScalingCommand, Resume: c.Resume, Program: c.Program, Pinned: c.Pinned,
		Players: gamelog.Players(c.A, c.B)}
	id := struct {
		Scaling bool `json:"scaling"` // else it would be that of a match
		identity
	}{true, c.identity(openings)}
	return gamelog.InFolder(c.Out, info, id,
		func(_ *durable.Run, r *Scaling) error { r.Already = true; return nil },
		func(run *durable.Run) (*Scaling, error) {
			gamelog.KeepNames(run, &c.A, &c.B)
			return c.scale(ctx)
		})
}

// scale plays the matches, the shortest first.
func (c *Config) scale(ctx context.Context) (*Scaling, error) {
	r := &Scaling{A: c.A.Label(), B: c.B.Label()}
	for i, step := range scalingSteps {
		m := *c
		m.Games = 2 * uint64(math.Round(float64(c.Games)*step.share/2))
		if i == len(scalingSteps)-1 {
			m.Games = c.Games - uint64(r.Games)
		}
		m.Limits.Nodes *= step.nodes
		m.LimitsB = m.Limits
		switch { // no two matches have an opening in common
		case m.Opening.Book != "":
			m.Opening.Skip += int(r.Games / 2)
		case i > 0:
			m.Stage += fmt.Sprintf("/x%d", step.nodes)
		}
		if m.Out != "" {
			m.Out = ScalingFolder(c.Out, i)
		}
		if m.Progress != nil {
			m.Progress = func(done, _ int64, note string) {
				c.Progress(r.Games+done, int64(c.Games), fmt.Sprintf("%d nodes: %s", m.Limits.Nodes, note))
			}
		}
		one, err := Run(ctx, m)
		if one == nil {
			return nil, err
		}
		r.Games += one.Games
		r.Limits, r.Nodes = append(r.Limits, *one), append(r.Nodes, m.Limits.Nodes)
		if err != nil {
			r.Verdict, r.Reason = NoVerdict, fmt.Sprintf("at %d nodes: %s", m.Limits.Nodes, one.Reason)
			if !errors.Is(err, selfplay.ErrNoVerdict) {
				return nil, err
			}
			return r, err
		}
	}
	r.conclude()
	return r, nil
}

// conclude fits the slopes.
func (r *Scaling) conclude() {
	r.Elo = r.slope(func(s sprt.Details) (elo, lo, hi num.Float) { return s.Elo, s.NormalLo, s.NormalHi })
	r.NElo = r.slope(func(s sprt.Details) (elo, lo, hi num.Float) { return s.NElo, s.NEloLo, s.NEloHi })
	r.Verdict = r.Elo.Verdict
}

// ScalingFolder returns the folder of a match in that of its scaling.
func ScalingFolder(out string, i int) string {
	return filepath.Join(out, fmt.Sprintf("x%d", scalingSteps[i].nodes))
}

// slope fits a measure of strength by log2 of the nodes.
func (r *Scaling) slope(measure func(sprt.Details) (elo, lo, hi num.Float)) Slope {
	var x, y, weights, squares []float64
	for i := range r.Limits {
		elo, lo, hi := measure(r.Limits[i].Details)
		se := float64(hi-lo) / 2 / normal95
		if !r.Limits[i].Details.NElo.Known() || !(se > 0) { // unknown if one side won nothing
			return Slope{notKnown, sprt.Unknown(), sprt.Unknown()}
		}
		x, y = append(x, math.Log2(float64(r.Nodes[i])/float64(r.Nodes[0]))), append(y, float64(elo))
		squares, weights = append(squares, se*se), append(weights, 1/(se*se))
	}
	_, slope := stat.LinearRegression(x, y, weights, false)
	spread := floats.Sum(weights) * stat.MomentAbout(2, x, stat.Mean(x, weights), weights)
	s := Slope{notKnown, interval(slope, 1/spread),
		interval(y[1]-(y[0]+y[2])/2, squares[1]+(squares[0]+squares[2])/4)}
	switch p := s.PerDoubling; {
	case p.EloLo >= -holdsWithin && p.EloHi <= holdsWithin:
		s.Verdict = holds
	case p.EloLo > 0:
		s.Verdict = grows
	case p.EloHi < 0:
		s.Verdict = shrinks
	}
	return s
}

// normal95 is the 97.5 % point of the normal distribution.
const normal95 = 1.959963984540054

// interval is a normal estimate with its variance.
func interval(x, variance float64) sprt.Strength {
	reach := normal95 * math.Sqrt(variance)
	return sprt.Strength{Elo: num.Float(x), EloLo: num.Float(x - reach), EloHi: num.Float(x + reach)}
}
