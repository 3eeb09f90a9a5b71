package ui

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/tuner"
)

// mostChanges is how many coefficients PrintChanges prints.
const mostChanges = 20

// PrintChanges prints the coefficients that moved most.
func PrintChanges(out io.Writer, terms []tuner.TermFit) error {
	list := tuner.LargestChanges(terms, mostChanges)
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nThe %d coefficients that moved most, of %d terms (--all has every one); a star\nmarks a change "+
		"of more than two standard errors:\n", len(list), len(terms))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\t\tstart\tnew\t± SE\tpositions\t\t")
	for _, c := range list {
		star := ""
		if c.Term.Moved() {
			star = "*"
		}
		quote.Fprintf(w, "%s\t%s\t%.0f\t%d\t%s\t%d\t%s\t\n", c.Term.Name, c.Half, c.Start, c.Value, ErrorText(c.SE, 1),
			c.Term.Count, star)
	}
	return w.Flush()
}
