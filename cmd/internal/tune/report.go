package tune

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner"
)

// describe describes a fit, with all of its terms if wanted.
func describe(r *tuner.Report, file *models.File, took time.Duration) *doc.Document {
	d := doc.Tune(r, took)
	if len(r.Ablations) > 0 && r.Without(0) != nil {
		d.Note("%s", ablated(r, file.Model))
	}
	d.Parts = append(d.Parts, doc.Changes(r.Terms), doc.Part{Code: terms(&r.Result, file), More: true},
		doc.Part{Text: collinear(r.Collinear), More: true})
	d.Note("wrote %s", r.Out)
	return d
}

// ablated says how the weights without a group play against those with it.
func ablated(r *tuner.Report, model string) string {
	file := filepath.ToSlash(withoutPath(filepath.Dir(r.Out), "GROUP"))
	if _, err := eval.Lookup(model); err == nil {
		return fmt.Sprintf("Games:     assay match assay:weights=%s assay:weights=%s --nodes 5000 --games 2000", r.Out, file)
	}
	return fmt.Sprintf("Games: let the engine with the weights of %s play that with those of %s.", r.Out, file)
}

// known formats a number, or returns other if it is not known.
func known(format string, v, shown num.Float, other string) string {
	if !v.Known() {
		return other
	}
	return fmt.Sprintf(format, shown)
}

func lossText(v num.Float) string { return known("%.6f", v, v, "none") }

// terms shows old and new weights with their standard errors by group; piece-square tables as boards.
func terms(r *tuner.Result, file *models.File) string {
	var b strings.Builder
	boards, shown := weights.SquareBoards(file.Terms)
	group := ""
	fmt.Fprintf(&b, "%-25s %4s    %-13s %4s    %-13s %4s %4s\n", "term", "mg", "fitted", "eg", "fitted", "data", "games")
	for i := range r.Terms {
		x := &r.Terms[i]
		if shown[i] {
			continue
		}
		if x.Group != group {
			group = x.Group
			fmt.Fprintf(&b, "%s\n", group)
		}
		startEG, arrow, eg := fmt.Sprintf("%.0f", x.StartEG), "->", withKnownError(x.EG, x.SEEG)
		if !x.Tapered {
			startEG, arrow, eg = "", "", ""
		}
		fmt.Fprintf(&b, "%-25s %4.0f -> %-13s %4s %2s %-13s %4s %4.0f%s\n", x.Name, x.StartMG, withKnownError(x.MG, x.SEMG),
			startEG, arrow, eg, known("%.0f%%", x.DataShare, 100*x.DataShare, "-"), x.EffectiveGames, mark(x))
	}
	b.WriteString(boards)
	b.WriteString(`
data: the share of the term that the data determined; the prior holds the rest,
and then a small error says nothing of the truth.
games: effective number of games that inform the term; ? fewer than 30, the
error is too small; = frozen; - never seen. --json also has the priors, and the entries of tables, which carry
part of the material, as differences from their mean.
`)
	return b.String()
}

// withKnownError is weights.WithError, with a dash for an error that is not known.
func withKnownError(w int32, se num.Float) string {
	if !se.Known() {
		return fmt.Sprintf("%d +- %s", w, ui.ErrorText(se, 1))
	}
	return weights.WithError(w, float64(se))
}

func mark(x *tuner.TermFit) string {
	switch {
	case x.Frozen:
		return " ="
	case x.Count == 0:
		return " -"
	case x.Few():
		return " ?"
	}
	return ""
}

// collinear names coefficients that the data cannot distinguish.
func collinear(list []tuner.Collinear) (text []string) {
	if len(list) == 0 {
		return nil
	}
	text = []string{"Coefficients that the data alone cannot separate from others; the prior does. Freeze\n" +
		"them if it is off, and compare only differences within a table."}
	const lines, names = 3, 3
	for _, c := range list[:min(lines, len(list))] {
		share := fmt.Sprintf("but for %.2g %% of its information", 100*c.Unexplained)
		if c.Exact {
			share = "exactly"
		}
		others := c.Others
		if len(others) > names {
			others = append(slices.Clone(others[:names]), "...")
		}
		text = append(text, fmt.Sprintf("  %s is, %s, %s", c.Coefficient, share, strings.Join(others, ", ")))
	}
	if len(list) > lines {
		text = append(text, fmt.Sprintf("  and %d more; --json lists all", len(list)-lines))
	}
	return text
}
