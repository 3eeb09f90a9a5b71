package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// matchConfig is the part of a match's config.json that its result needs.
type matchConfig struct {
	A         string     `json:"a"`
	B         string     `json:"b"`
	Test      *sprt.Test `json:"sprt"`
	Corrected bool       `json:"overshoot_corrected"`
}

// matchView is a match, as far as it got.
type matchView struct {
	Name, Dir string
	Config    matchConfig
	Total     uint64        // games, at most; 0 if there is no limit
	IDs       [2]string     // of A and B in data; empty if they are not known
	Result    *match.Result // nil while the match is in progress
	Standing  sprt.Summary  // of the pairs that count so far
	SoFar     sprt.Strength // by them
	Penta     sprt.Pentanomial
	Tally     *tally
	LLR       *float64
	Figures   []figure
	FaultLogs int // in the folder
	// MoreFaults are forfeited games whose logs the folder has no room for, if known.
	MoreFaults int64
	Load       machine.Load
}

func (b *builder) match() {
	if m := b.readMatch(b.dir, "match"); m != nil {
		b.headline("match-headline", m)
		b.add("match", "The match", "match", m)
	}
}

// readMatch reads the match in dir. It returns nil if there is none yet.
func (b *builder) readMatch(dir, name string) *matchView {
	v := &matchView{Name: name, Dir: dir, FaultLogs: gamelog.FaultLogs(dir), Load: gamelog.ReadLoad(dir)}
	if !b.read(&v.Config, dir, durable.RunConfigName) {
		return nil
	}
	info, _ := durable.ReadRunInfo(dir) // what is wrong with it is in the run's status
	if v.Total = info.Total; len(info.Players) == 2 {
		v.Config.A, v.Config.B = info.Players[0].Name, info.Players[1].Name
		v.IDs = [2]string{info.Players[0].ID, info.Players[1].ID}
	}
	if v.Result = read[match.Result](&b.reader, dir, durable.RunResultName); v.Result != nil {
		v.MoreFaults = gamelog.MissingFaultLogs(dir, v.Result.Forfeits[0]+v.Result.Forfeits[1])
	}
	v.Tally = b.tally(dir, name)
	if err := v.follow(); err != nil {
		b.keep(fmt.Errorf("%s: %w", dir, err))
	}
	return v
}

// Elo is the Strength in words.
func (v *matchView) Elo() string {
	if v.Result != nil && v.Result.Verdict == match.NoVerdict {
		return "no verdict"
	}
	return v.Strength().Text("")
}

// Strength is the Elo of a match, of a complete one as in its result.
func (v *matchView) Strength() sprt.Strength {
	if v.Result != nil {
		return v.Result.Strength
	}
	return v.SoFar
}

// follow goes through the pairs in order, as the match did.
func (v *matchView) follow() error {
	const maxPoints = 300 // of a curve
	c, err := match.Follow(v.Tally.Pairs(), v.Config.Test, v.Config.Corrected, maxPoints)
	if err != nil {
		return err
	}
	v.Penta, v.Standing, v.SoFar, v.LLR = c.Pentanomial, c.Standing, c.Strength, c.LLR
	elo := series{name: "Elo of A, 95 % interval", line: true}
	llr := series{name: "LLR", line: true}
	lower, upper := series{name: "bounds of the test", guide: true}, series{guide: true}
	for _, p := range c.Points {
		at := float64(p.Games)
		if p.Known() {
			elo.strength(at, p.Strength)
		}
		if v.Config.Test != nil {
			llr.put(at, p.LLR)
			lower.put(at, p.Lower)
			upper.put(at, p.Upper)
		}
	}
	if n := len(llr.x); n > 0 {
		llr.points = n < 40
		v.Figures = append(v.Figures, chart(figure{Title: "Log-likelihood ratio against its bounds: " + v.Name,
			Note: "The test stops at the first crossing. Above the upper bound it accepts elo1, below the lower bound elo0.",
		}, "games", "LLR", lower, upper, llr))
	}
	if n := len(elo.x); n > 0 {
		// The intervals of the first pairs are so wide that they would hide the rest.
		from := n / 12
		elo.x, elo.y, elo.lo, elo.hi = elo.x[from:], elo.y[from:], elo.lo[from:], elo.hi[from:]
		zero := level("equal", 0, elo.x[0], elo.x[len(elo.x)-1])
		v.Figures = append(v.Figures, chart(figure{Title: "Elo with its 95 % interval: " + v.Name}, "games", "Elo", zero,
			elo))
	}
	if len(v.Tally.Pairs()) > 0 {
		v.Figures = append(v.Figures, pairsFigure(": "+v.Name, " with colors reversed", v.Penta))
	}
	return nil
}

// pairsFigure draws the scores of the pairs of a match.
func pairsFigure(of, turns string, p sprt.Pentanomial) figure {
	return bars(figure{Title: "Pairs of games by their score" + of,
		Note: "A pair is two games from one opening" + turns + ". The score is A's."},
		"pairs", []string{"0", "½", "1", "1½", "2"}, counts(p[:]))
}

func counts[N ~int | ~int64](list []N) (values []float64) {
	for _, n := range list {
		values = append(values, float64(n))
	}
	return values
}

// figures draws the statistics of the games.
func (t *tally) figures(name string) []figure {
	names := slices.SortedFunc(maps.Keys(t.Terminations), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Terminations[b], t.Terminations[a]), cmp.Compare(a, b))
	})
	var ends, phases []float64
	for _, n := range names {
		ends = append(ends, float64(t.Terminations[n]))
	}
	var lengths, numbers []string
	for i := range t.Lengths {
		lengths = append(lengths, fmt.Sprint(10*i))
	}
	for i := range t.Phases {
		numbers, phases = append(numbers, fmt.Sprint(24-i)), append(phases, float64(t.Phases[24-i]))
	}
	return []figure{
		bars(figure{Title: "Results: " + name}, "games", []string{"White won", "drawn", "Black won"},
			counts([]int64{t.White, t.Draw, t.Lost})),
		bars(figure{Title: "How games ended: " + name}, "games", names, ends),
		bars(figure{Title: "Lengths of games in plies: " + name,
			Note: "Each bar covers ten plies, beginning with the number below it."}, "games", lengths, counts(t.Lengths[:])),
		bars(figure{Title: "Phases of positions: " + name,
			Note: "24 is the middlegame with all pieces; 0 is pawns and kings only."}, "positions", numbers, phases),
	}
}

// summary lists the statistics of the games in words.
func (t *tally) summary() [][2]string {
	different, most, effective := t.Openings()
	share, rate := t.RepeatedPositions()
	repeated := percent(share, 1) + " of the searched positions"
	if rate > 1 {
		repeated += fmt.Sprintf(" (of a sample by key, one in %d)", rate)
	}
	return [][2]string{
		{"games", fmt.Sprint(t.Games)},
		{"plies searched", fmt.Sprint(t.Plies)},
		{"White's score", percent(float64(t.White)+float64(t.Draw)/2, float64(t.Games))},
		{"drawn", percent(float64(t.Draw), float64(t.Games))},
		{"openings", fmt.Sprintf("%d different; the most common one in %d games; as diverse as %.0f equally common ones",
			different, most, effective)},
		{"games equal to an earlier game", fmt.Sprint(t.Repeated)},
		{"repeated positions", repeated},
	}
}
