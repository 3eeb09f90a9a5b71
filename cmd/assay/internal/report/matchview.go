package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/cores"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// matchConfig is what a match's config.json says that its result needs.
type matchConfig struct {
	A         string     `json:"a"`
	B         string     `json:"b"`
	Games     int64      `json:"games"`
	Test      *sprt.Test `json:"sprt"`
	Corrected bool       `json:"overshoot_corrected"`
}

// matchView is a match, as far as it got.
type matchView struct {
	Name, Dir string
	Config    matchConfig
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
	Load       cores.Load
}

// readMatch reads the match in dir. It returns nil if there is none yet.
func (b *builder) readMatch(dir, name string) (*matchView, error) {
	v := &matchView{Name: name, Dir: dir, FaultLogs: gamelog.FaultLogs(dir), Load: gamelog.ReadLoad(dir)}
	if ok, err := readJSON(&v.Config, dir, "config.json"); !ok || err != nil {
		return nil, err
	}
	if info, err := durable.ReadRunInfo(dir); err == nil && len(info.Players) == 2 {
		v.Config.A, v.Config.B = info.Players[0].Name, info.Players[1].Name
		v.IDs = [2]string{info.Players[0].ID, info.Players[1].ID}
	}
	v.Result = new(match.Result)
	if ok, err := readJSON(v.Result, dir, "result.json"); err != nil {
		return nil, err
	} else if !ok {
		v.Result = nil
	} else {
		v.MoreFaults = gamelog.MissingFaultLogs(dir, v.Result.Forfeits[0]+v.Result.Forfeits[1])
	}
	var err error
	if v.Tally, err = b.tally(dir, name); err != nil {
		return nil, err
	}
	return v, v.follow()
}

// follow goes through the pairs in order, as the match did.
func (v *matchView) follow() error {
	const maxPoints = 300 // of a curve
	c, err := match.Follow(v.Tally.Pairs(), v.Config.Test, v.Config.Corrected, maxPoints)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Dir, err)
	}
	v.Penta, v.Standing, v.SoFar, v.LLR = c.Pentanomial, c.Standing, c.Strength, c.LLR
	var elo, llr, lower, upper series
	for _, p := range c.Points {
		at := float64(p.Games)
		if p.Known() {
			e, lo, hi := ends(p.Strength)
			elo.x, elo.y = append(elo.x, at), append(elo.y, e)
			elo.lo, elo.hi = append(elo.lo, lo), append(elo.hi, hi)
		}
		if v.Config.Test != nil {
			llr.x, llr.y = append(llr.x, at), append(llr.y, p.LLR)
			lower.x, lower.y = append(lower.x, at), append(lower.y, p.Lower)
			upper.x, upper.y = append(upper.x, at), append(upper.y, p.Upper)
		}
	}
	v.draw(elo, llr, lower, upper)
	return nil
}

func (v *matchView) draw(elo, llr, lower, upper series) {
	if len(llr.x) > 0 {
		llr.name, llr.line, llr.points = "LLR", true, len(llr.x) < 40
		lower.name, lower.guide = "bounds of the test", true
		upper.guide = true
		v.Figures = append(v.Figures, chart(figure{Title: "Log-likelihood ratio against its bounds: " + v.Name,
			Note: "The test stops at the first crossing. Above the upper bound it accepts elo1, below the lower bound elo0."}, "games", "LLR", lower, upper, llr))
	}
	v.drawElo(elo)
	if len(v.Tally.Pairs()) == 0 {
		return
	}
	var values []float64
	for _, n := range v.Penta {
		values = append(values, float64(n))
	}
	v.Figures = append(v.Figures, bars(figure{Title: "Pairs of games by their score: " + v.Name,
		Note: "A pair is two games from one opening with colors reversed. The score is A's."}, "pairs", []string{"0", "½", "1", "1½", "2"}, values))
}

// drawElo draws the Elo from the game on at which there is one.
func (v *matchView) drawElo(elo series) {
	if len(elo.x) == 0 {
		return
	}
	// The intervals of the first pairs are so wide that they would hide the rest.
	elo.name, elo.line = "Elo of A, 95 % interval", true
	from := len(elo.x) / 12
	elo.x, elo.y, elo.lo, elo.hi = elo.x[from:], elo.y[from:], elo.lo[from:], elo.hi[from:]
	zero := series{name: "equal", x: []float64{elo.x[0], elo.x[len(elo.x)-1]}, y: []float64{0, 0}, guide: true}
	v.Figures = append(v.Figures, chart(figure{Title: "Elo with its 95 % interval: " + v.Name}, "games", "Elo", zero, elo))
}

// figures draws the statistics of the games.
func (t *tally) figures(name string) []figure {
	if t.Games == 0 {
		return nil
	}
	list := []figure{bars(figure{Title: "Results: " + name}, "games", []string{"White won", "drawn", "Black won"},
		[]float64{float64(t.White), float64(t.Draw), float64(t.Lost)})}
	names := slices.SortedFunc(maps.Keys(t.Terminations), func(a, b string) int { return int(t.Terminations[b] - t.Terminations[a]) })
	var ends []float64
	for _, n := range names {
		ends = append(ends, float64(t.Terminations[n]))
	}
	list = append(list, bars(figure{Title: "How games ended: " + name}, "games", names, ends))
	var labels []string
	var values []float64
	for i, n := range t.Lengths {
		labels, values = append(labels, fmt.Sprint(10*i)), append(values, float64(n))
	}
	list = append(list, bars(figure{Title: "Lengths of games in plies: " + name, Note: "Each bar covers ten plies, beginning with the number below it."}, "games", labels, values))
	labels, values = nil, nil
	for i := range t.Phases {
		labels, values = append(labels, fmt.Sprint(24-i)), append(values, float64(t.Phases[24-i]))
	}
	return append(list, bars(figure{Title: "Phases of positions: " + name, Note: "24 is the middlegame with all pieces; 0 is pawns and kings only."}, "positions", labels, values))
}

// summary lists the statistics of the games in words.
func (t *tally) summary() [][2]string {
	different, most, effective := t.Openings()
	rows := [][2]string{
		{"games", fmt.Sprint(t.Games)},
		{"plies searched", fmt.Sprint(t.Plies)},
		{"White's score", percent(float64(t.White)+float64(t.Draw)/2, float64(t.Games))},
		{"drawn", percent(float64(t.Draw), float64(t.Games))},
		{"openings", fmt.Sprintf("%d different; the most common one in %d games; as diverse as %.0f equally common ones", different, most, effective)},
		{"games equal to an earlier game", fmt.Sprint(t.Repeated)},
	}
	share, rate := t.RepeatedPositions()
	repeated := percent(share, 1) + " of the searched positions"
	if rate > 1 {
		repeated += fmt.Sprintf(" (of a sample by key, one in %d)", rate)
	}
	return append(rows, [2]string{"repeated positions", repeated})
}

func percent(part, whole float64) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f\u00a0%%", 100*part/whole)
}

// jsonScript encodes data for the page's script.
func jsonScript(v any) (template.JS, error) {
	data, err := json.Marshal(v) // escapes <, > and & itself
	return template.JS(data), err
}
