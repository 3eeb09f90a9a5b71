package weights

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/models"
)

// WithError formats a weight with its standard error, if it has one.
func WithError(w int32, se float64) string {
	if se == 0 {
		return fmt.Sprint(w)
	}
	return fmt.Sprintf("%d +- %.1f", w, se)
}

// SquareBoards shows the terms of piece-square tables as boards, two of which fit a terminal of 80 columns. It
// returns the indices of these terms, without numbered tables.
func SquareBoards(terms []models.TermWeight) (text string, shown map[int]bool) {
	const files = "   a   b   c   d   e   f   g   h"
	names := make([]string, len(terms))
	for i := range terms {
		names[i] = terms[i].Name
	}
	var b strings.Builder
	shown = map[int]bool{}
	for _, table := range models.SquareTables(names) {
		if table.Numbered {
			continue
		}
		fmt.Fprintf(&b, "\n%-40s%s\n", table.Name+", mg", "eg")
		for rank := 7; rank >= 0; rank-- {
			mg, eg := "", ""
			for _, i := range table.Terms[8*rank : 8*rank+8] {
				if shown[i] = i >= 0; i >= 0 {
					mg, eg = mg+fmt.Sprintf("%4d", terms[i].MG), eg+fmt.Sprintf("%4d", terms[i].EG)
				} else {
					mg, eg = mg+"    ", eg+"    "
				}
			}
			if strings.TrimSpace(mg) != "" { // pawns have no first rank
				fmt.Fprintf(&b, "%d%s %s\n", rank+1, mg, strings.TrimRight(eg, " "))
			}
		}
		fmt.Fprintf(&b, " %s %s\n", files, files)
	}
	return b.String(), shown
}
