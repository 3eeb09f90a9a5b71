package tune

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner"
)

// describe describes a fit, with all of its terms if wanted.
func describe(r *tuner.Report, model string, took time.Duration) *doc.Document {
	d := doc.Tune(r, took)
	if len(r.Ablations) > 0 && r.Without(0) != nil {
		d.Note("%s", ablated(r, model))
	}
	d.Parts = append(d.Parts, doc.Changes(r.Terms), doc.Terms(r.Terms, false),
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
