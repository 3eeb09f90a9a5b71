package doc

import (
	"fmt"
	"path/filepath"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
)

// Learn describes what a loop of generations learned, in the folder dir: the gain, the largest changes, and beside
// them every coefficient, generation and file.
func Learn(r *learn.Result, dir string) *Document {
	d := New(fmt.Sprintf("%s against %s: the weights %s, in %d games at %d nodes a move", r.Final.Strength.Text(" Elo"),
		r.Plan.Opponent, r.FinalPlayer().ID, r.Final.Games, r.Plan.Final.Nodes))
	d.Done, d.WDL = int64(len(r.Generations)), Match(r.Final, "").WDL
	for _, h := range r.Held {
		d.Text = append(d.Text, fmt.Sprintf("Held at its start weight: %s; %s.", h.Name, h.Why))
	}
	if r.Learned.ID != r.Champion.ID {
		d.Text = append(d.Text, fmt.Sprintf("No generation was promoted: these are the weights %s of the last fit; the "+
			"champion has those it began with.", r.Learned.ID))
	}
	gain := Part{Text: []string{fmt.Sprintf("The gain, in matches of fixed length at %d nodes a move:", r.Plan.Final.Nodes),
		measured(r.Final)}}
	matches := []*match.Result{r.Final}
	switch {
	case r.FromStart == nil:
		d.Text = append(d.Text, "Nothing was learned that passed a gate: the champion has the weights it began with.")
	case r.Opponent.ID == r.Start.ID:
		d.Text = append(d.Text, "The opponent has the weights that the run began with: this is what was learned.")
	default:
		gain.Text, matches = append(gain.Text, measured(r.FromStart)), append(matches, r.FromStart)
	}
	all := Part{Title: "Every coefficient", Tables: []ui.Table{terms(r)}, More: true}
	d.Parts = []Part{Changes(r.Terms), all, Generations(r.Generations), gain}
	for _, m := range matches {
		p := measures(m)
		p.Tables[0].Caption = m.A + " against " + m.B
		d.Parts = append(d.Parts, p)
	}
	d.Parts = append(d.Parts, written(r, dir))
	return d
}

// measured says what a match of fixed length measured.
func measured(m *match.Result) string {
	nodes := ""
	if n := m.NodesAPly(); n != [2]float64{} {
		nodes = fmt.Sprintf(", %.0f and %.0f nodes a ply", n[0], n[1])
	}
	return fmt.Sprintf("  %s against %s: Elo %s, %d games%s", m.A, m.B, m.Strength.Text(""), m.Games, nodes)
}

// Generations describes what each generation did, as far as it got.
func Generations(list []learn.GenerationResult) Part {
	var t ui.Table
	for i := range list {
		g := &list[i]
		name := fmt.Sprintf("generation %d\t", g.Number)
		add := func(format string, args ...any) {
			t.Add(name+format, args...)
			name = "\t"
		}
		if s := g.Fit.SPSA; s != nil {
			add("%d games between perturbed weights, %d parameters", s.Games, len(s.Parameters))
		} else if g.Games.Games > 0 {
			add("%d games (of %d adjudicated and played on, %d drawn after all, %d reversed)", g.Games.Games, g.Games.PlayedOn,
				g.Games.Disagreed-g.Games.Reversed, g.Games.Reversed)
		} else {
			add("playing")
		}
		if fit := g.Fit.Result; fit != nil {
			add("%d positions, validation loss %s -> %s", fit.Rows, lossOr("-", 5, fit.Start.Valid),
				lossOr("-", 5, fit.Rounded.Valid))
		}
		if m := g.Gate; m != nil {
			add("gate %s (%d games, Elo %s): %s", m.Outcome(), m.Games, m.Strength.Text(""), g.Reason)
		}
		for _, w := range g.Warnings {
			add("note: %s", w)
		}
	}
	return Part{Title: "Generations", Tables: []ui.Table{t}, More: true}
}

// Changes describes the coefficients that moved most.
func Changes(terms []tuner.TermFit) Part {
	const most = 20
	list := tuner.LargestChanges(terms, most)
	if len(list) == 0 {
		return Part{}
	}
	t := ui.Table{Head: []string{"", "", ">start", ">new", ">± SE", ">positions", ""},
		Caption: fmt.Sprintf("The %d coefficients that moved most, of %d terms (--all has every one); a star\nmarks a change "+
			"of more than two standard errors:", len(list), len(terms))}
	for _, c := range list {
		t.Add("%s\t%s\t%.0f\t%d\t%s\t%d\t%s", c.Term.Name, c.Half, c.Start, c.Value, ui.ErrorText(c.SE, 1), c.Term.Count,
			star(c.Term))
	}
	return Part{Title: "The largest changes", Tables: []ui.Table{t}}
}

func star(t *tuner.TermFit) string {
	if t.Moved() {
		return "*"
	}
	return ""
}

// terms has every coefficient before and after, in centipawns.
func terms(r *learn.Result) ui.Table {
	byGames := false
	for i := range r.Generations {
		byGames = byGames || r.Generations[i].Number == r.Learned.Generation && r.Generations[i].Fit.SPSA != nil
	}
	t := ui.Table{Head: []string{"term", ">mg", ">new", ">± SE", ">eg", ">new", ">± SE", ">positions", ""},
		Caption: fmt.Sprintf("All %d terms, start and learned, in centipawns; a star marks a change\nof more than two standard "+
			"errors where at least 30 effective games and the data rather than the prior speak", len(r.Terms))}
	if byGames {
		t.Head[3], t.Head[6] = ">95 %", ">95 %"
		t.Caption = fmt.Sprintf("All %d terms, start and learned by games, in centipawns; the 95 %% interval is that of the\n"+
			"optimum by a regression on all results, - where it says nothing", len(r.Terms))
	}
	certain := func(se num.Float, i tuner.Interval) string {
		switch {
		case !byGames:
			return ui.ErrorText(se, 1)
		case i == (tuner.Interval{}):
			return "-"
		}
		return fmt.Sprintf("%.0f to %.0f", i[0], i[1])
	}
	for i := range r.Terms {
		x := &r.Terms[i]
		t.Add("%s\t%.0f\t%d\t%s\t%.0f\t%d\t%s\t%d\t%s", x.Name, x.StartMG, x.MG, certain(x.SEMG, x.IntervalMG), x.StartEG,
			x.EG, certain(x.SEEG, x.IntervalEG), x.Count, star(x))
	}
	return t
}

// written lists what the run left.
func written(r *learn.Result, dir string) Part {
	t := ui.Table{Caption: "Written:"}
	add := func(what string, path ...string) { t.Add("%s\t%s", what, filepath.Join(path...)) }
	if r.Champion.Generation > 0 {
		add("champion", dir, filepath.FromSlash(r.Champion.File))
	}
	for _, g := range r.Generations {
		parts := []string{"games", "positions", "weights.json", "gate"}
		if g.Fit.SPSA != nil {
			parts = []string{"spsa", "weights.json", "gate"}
		}
		for _, part := range parts {
			add(fmt.Sprintf("generation %d", g.Number), dir, learn.Folder(g.Number), part)
		}
	}
	last := learn.Folder(len(r.Generations))
	add("final match", dir, last, "final", "games.pgn")
	if r.FromStart != nil && r.Opponent.ID != r.Start.ID {
		add("match from start", dir, last, "from-start", "games.pgn")
	}
	add("result", dir, durable.RunResultName)
	return Part{Title: "Files", Tables: []ui.Table{t}, More: true}
}

// lossOr formats a loss, or returns other if it is not known.
func lossOr(other string, digits int, v num.Float) string {
	if !v.Known() {
		return other
	}
	return fmt.Sprintf("%.*f", digits, v)
}
