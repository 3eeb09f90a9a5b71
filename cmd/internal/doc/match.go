package doc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Match describes a match, which is kept in the folder dir unless that is empty.
func Match(r *match.Result, dir string) *Document {
	d := New(r.Headline())
	d.Done, d.Warnings, d.WDL = r.Games, r.Warnings, fmt.Sprintf("%d–%d–%d", r.Wins, r.Draws, r.Losses)
	var facts ui.Table
	for i, nps := range r.NodesPerSecond() {
		name, id := [2]string{r.A, r.B}[i], [2]string{r.IDA, r.IDB}[i]
		facts.Add("%c\t%s%s", 'A'+i, name, ui.If(nps > 0, ", %.0f nodes/s", nps))
		if id != name && id != "" {
			facts.Add("\t%s", id)
		}
	}
	p := r.Pentanomial
	facts.Add("games\t%d: +%d =%d -%d for A, score %.2f %%", r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score)
	facts.Add("pairs\t%d: LL %d, LD %d, even %d, WD %d, WW %d", p.Samples(), p[0], p[1], p[2], p[3], p[4])
	if r.Verdict != match.NoVerdict {
		facts.Add("Elo\t%s", r.Strength.Text(""))
		if r.LLR != nil && r.Lower != nil && r.Upper != nil {
			d.LLR = fmt.Sprintf("%.2f (%.2f, %.2f)", *r.LLR, *r.Lower, *r.Upper)
			facts.Add("LLR\t%.2f, bounds %.2f and %.2f%s", *r.LLR, *r.Lower, *r.Upper, testText(r))
		}
	}
	if r.Nodes != [2]uint64{} && r.Plies > 0 {
		n := r.NodesAPly()
		facts.Add("searches\t%.0f nodes a ply of A, %.0f of B", n[0], n[1])
	}
	if u := r.Unscored; u != [2]int64{} {
		facts.Add("no score\t%d plies of A, %d of B; adjudication needs scores of both", u[0], u[1])
	}
	if len(r.Terminations) > 0 {
		facts.Add("ended by\t%s", ui.CountsText(r.Terminations))
	}
	if r.Forfeits != [2]int64{} || r.Verdict == match.NoVerdict {
		facts.Add("forfeits\tA %d, B %d (%s)", r.Forfeits[0], r.Forfeits[1], ui.FaultsText(dir, r.Forfeits[0]+r.Forfeits[1]))
	}
	if r.VoidPairs > 0 {
		facts.Add("void pairs\t%d, played again", r.VoidPairs)
	}
	if r.Load.Busy() {
		facts.Add("machine\tbusy: %v", r.Load)
	}
	d.Parts = []Part{{Tables: []ui.Table{facts}}}
	if r.Verdict != match.NoVerdict {
		d.Parts = append(d.Parts, measures(r))
	}
	return d
}

func testText(r *match.Result) string {
	if r.Test == nil {
		return ""
	}
	return fmt.Sprintf(", %s Elo %g to %g", r.Test.Model, r.Test.Elo0, r.Test.Elo1)
}

func measures(r *match.Result) Part {
	var t ui.Table
	t.Add("LOS\t%s", ui.Known("%.1f %%", 100*r.LOS))
	t.Add("even pairs\t%.1f %%", 100*r.DrawRatio)
	for _, row := range r.Details.Lines() {
		t.Rows = append(t.Rows, row[:])
	}
	return Part{Title: "Other measures of strength", Tables: []ui.Table{t}, More: true}
}

// Ladder describes the ratings of players, by games that are kept in the folder dir, unless that is empty, or by
// from PGN files.
func Ladder(r *ladder.Result, dir string) *Document {
	ended := fmt.Sprintf("%d games, ended by %s", r.Games, ui.CountsText(r.Terminations))
	forfeits := int64(0)
	for _, x := range r.Ratings {
		forfeits += x.Forfeits
	}
	if r.Verdict == gamelog.NoVerdict {
		d := New("NO VERDICT: " + r.Reason)
		t := ui.Table{Head: []string{">games", ">forfeits", "player"}}
		for _, x := range r.Unrated {
			forfeits += x.Forfeits
			t.Add("%d\t%d\t%s", x.Games, x.Forfeits, x.Name)
		}
		d.Done = r.Games
		d.Parts = []Part{{Tables: []ui.Table{t}, Notes: []string{
			fmt.Sprintf("%s; %d void pairs (forfeits: %s)", ended, r.VoidPairs, ui.FaultsText(dir, forfeits))}}}
		return d
	}
	d := new(Document)
	if len(r.Ratings) > 0 {
		first := &r.Ratings[0]
		d = New(fmt.Sprintf("first of %d: %s, %s", len(r.Ratings), first.Name, first.Text(" Elo")))
	}
	d.Done, d.Warnings = r.Games, r.Warnings
	var notes []string
	if slices.ContainsFunc(r.Ratings, func(x ladder.Rating) bool { return !x.Known() }) {
		notes = append(notes, fmt.Sprintf("Elo -: fewer than %d games.", sprt.MinGames))
	}
	origin := "Elo 0 is the mean of all players"
	if r.Anchor != "" {
		origin = "Elo is relative to " + r.Anchor
		if r.Terminations != nil { // a player of a ladder
			origin += ", which has no error"
		}
	}
	notes = append(notes, fmt.Sprintf("%s. LOS: probability of being stronger than the next. White's advantage: %s; "+
		"equal players draw %.0f %%.", origin,
		sprt.Strength{Elo: r.WhiteElo, EloLo: r.WhiteEloLo, EloHi: r.WhiteEloHi}.Text(" Elo"), 100*r.Draws))
	for _, g := range r.Groups {
		notes = append(notes, "group of players that never met the others, so that ratings cannot be compared: "+
			strings.Join(g, ", "))
	}
	if r.Terminations != nil {
		notes = append(notes, ended)
	}
	for _, x := range r.Ratings {
		if x.Forfeits > 0 {
			notes = append(notes, fmt.Sprintf("%d games forfeited by %s (%s)", x.Forfeits, x.Name,
				ui.FaultsText(dir, forfeits)))
		}
	}
	if r.VoidPairs > 0 {
		notes = append(notes, fmt.Sprintf("%d void pairs were played again (see the journal)", r.VoidPairs))
	}
	if r.Load.Busy() {
		notes = append(notes, fmt.Sprintf("machine busy: %v", r.Load))
	}
	d.Parts = []Part{{Tables: []ui.Table{ratings(r)}, Notes: notes}}
	if len(r.Scores) > 0 {
		const most = 8 // players, for a terminal
		d.Parts = append(d.Parts, Part{Title: "Points of all pairings", Tables: []ui.Table{pairings(r)},
			More: len(r.Scores) > most})
	}
	return d
}

func ratings(r *ladder.Result) ui.Table {
	t := ui.Table{Head: []string{">rank", ">Elo [95 %]", ">games", ">score", ">draws", ">LOS", "player"}}
	for i := range r.Ratings {
		x := &r.Ratings[i]
		elo, los := "-", "-" // the reason is below the table
		if x.Known() {
			elo = x.Strength.Text("")
			if i+1 < len(r.Ratings) {
				los = fmt.Sprintf("%.1f %%", 100*x.LOS)
			}
		}
		t.Add("%d\t%s\t%d\t%.1f %%\t%.0f %%\t%s\t%s", x.Rank, elo, x.Games, 100*x.Percent,
			100*float64(x.Draws)/float64(max(x.Games, 1)), los, x.Name)
	}
	return t
}

// pairings has the points and games of each player against each, by rank.
func pairings(r *ladder.Result) ui.Table {
	t := ui.Table{Head: []string{">rank"}}
	for i := range r.Ratings {
		t.Head = append(t.Head, fmt.Sprintf(">%d", i+1))
		row := []string{fmt.Sprint(i + 1)}
		for j := range r.Ratings {
			cell := ""
			if s := r.Scores[i][j]; i != j && s.Games() == 0 {
				cell = "-"
			} else if i != j {
				cell = fmt.Sprintf("%g/%d", s.Points(), s.Games())
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// flat is the difference, in Elo, from which the logistic is not straight any more.
const flat = 100

// Screen describes the effects of many changes.
func Screen(r *screen.Result) *Document {
	ended := fmt.Sprintf("%d games (%.0f %% drawn) from %d openings, %s, ended by %s", r.Games,
		100*float64(r.Draws)/float64(max(r.Games, 1)), r.Openings, r.Limits, ui.CountsText(r.Terminations))
	if r.Verdict == gamelog.NoVerdict {
		d := New("NO VERDICT: " + r.Reason)
		d.Done, d.Text = r.Games, []string{ended}
		return d
	}
	known := slices.ContainsFunc(r.Effects, func(e screen.Effect) bool { return e.Known() })
	chosen := "no factor; keep the base"
	switch {
	case len(r.Recommended) > 0:
		chosen = strings.Join(r.Recommended, ", ")
	case !known:
		chosen = "nothing, after too few games"
	}
	d := New("recommended: " + chosen)
	d.Done, d.Warnings = r.Games, r.Warnings
	squares := 0.0
	for j := range r.Effects {
		e := &r.Effects[j]
		squares += max(0, math.Pow(e.Elo.OrZero(), 2)-math.Pow(e.SE.OrZero(), 2))
	}
	if spread := 2 * math.Sqrt(squares); spread > flat {
		d.Warnings = append(slices.Clip(d.Warnings), fmt.Sprintf("subsets differ by up to %.0f Elo, and results flatten "+
			"above %d: take smaller steps or fewer factors", spread, flat))
	}
	var notes []string
	if known {
		notes = interactions(r)
	} else {
		notes = []string{"Elo -: too few games for the number of factors, or all ended alike"}
	}
	for _, x := range r.Decided {
		fixed := ui.If(x.Fixed, ", and kept at the better level (so their effects are too large)")
		notes = append(notes, fmt.Sprintf("decided after %d games%s: %s", x.Games, fixed, strings.Join(x.Factors, ", ")))
	}
	d.Parts = []Part{{Tables: []ui.Table{effects(r)}, Notes: append(notes, ended)}}
	return d
}

// effects is the table of effects, the largest first. Its last column draws them on a terminal.
func effects(r *screen.Result) ui.Table {
	order := make([]int, len(r.Factors))
	reach := 1.0
	for j := range order {
		order[j] = j
		if e := &r.Effects[j]; e.Known() {
			reach = max(reach, math.Abs(float64(e.EloLo)), math.Abs(float64(e.EloHi)))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Effects[b].Elo.OrZero(), r.Effects[a].Elo.OrZero())
	})
	t := ui.Table{Head: []string{"factor", "Elo [95 %]", "p", ""}}
	for _, j := range order {
		if e := &r.Effects[j]; e.Known() {
			t.Add("%s\t%s\t%s\t%s", r.Factors[j].Name, e.Strength.Text(""), chance(e.P),
				bar(float64(e.EloLo), float64(e.Elo), float64(e.EloHi), reach))
		} else {
			t.Add("%s\t-\t-\t", r.Factors[j].Name)
		}
	}
	return t
}

func chance(p num.Float) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// bar draws an interval from -reach to reach.
func bar(lo, mid, hi, reach float64) string {
	const half = 15
	at := func(elo float64) int { return half + int(math.Round(half*min(max(elo/reach, -1), 1))) }
	cells := slices.Repeat([]rune{' '}, 2*half+1)
	for i := at(lo); i <= at(hi); i++ {
		cells[i] = '-'
	}
	cells[half] = '|'
	cells[at(mid)] = 'o'
	return strings.TrimRight(string(cells), " ")
}

// interactions are what the games say beside main effects.
func interactions(r *screen.Result) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	pair := func(i screen.Interaction) string {
		return r.Factors[i.Factors[0]].Name + " x " + r.Factors[i.Factors[1]].Name
	}
	if t := r.Interacting; t != nil {
		add("interactions of two factors: p %s (%d degrees of freedom)", chance(t.P), t.DF)
	} else {
		add("interactions of two factors: not estimated")
	}
	for _, i := range r.Interactions {
		if i.Seen {
			add("  %s: %+.1f ± %.1f Elo beyond the sum of both", pair(i.Interaction), i.Elo, 1.96*i.SE)
		}
	}
	for _, chain := range r.Chains {
		if math.Abs(chain.Elo) < 1.96*chain.SE {
			continue
		}
		text := ""
		for _, i := range chain.Of {
			text += map[bool]string{true: " + ", false: " - "}[i.Sign > 0] + pair(i)
		}
		add("  %+.1f ± %.1f Elo in the sum%s", chain.Elo, 1.96*chain.SE, text)
	}
	if r.Design == screen.Rows {
		text := "not testable, as many factors as rows"
		switch t := r.LackOfFit; {
		case r.Interacting == nil:
			text = "not tested"
		case t != nil:
			text = fmt.Sprintf("p %s (%d degrees of freedom)", chance(t.P), t.DF)
		}
		add("lack of fit: %s", text)
	}
	if t := r.Homogeneity; t != nil {
		text := "the same before and after factors were fixed, and pooled"
		if t.P < 0.05 {
			text = "changed when factors were fixed; those shown are at the levels fixed"
		}
		add("effects: %s (p %s)", text, chance(t.P))
	}
	return list
}
