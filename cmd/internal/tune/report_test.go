package tune

import (
	"fmt"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner"
	"strings"
	"testing"

	"github.com/assay-chess/assay/tuner/wdl"
)

// Tables have dozens of collinear coefficients: the text names a few and counts the others.
func TestCollinearList(t *testing.T) {
	var list []tuner.Collinear
	for i := range 64 {
		list = append(list, tuner.Collinear{Coefficient: fmt.Sprintf("pst.%d mg", i),
			Others: []string{"a", "b", "c", "d"}, Exact: i < 2, Unexplained: 0.001})
	}
	text := strings.Join(collinear(list), "\n") + "\n"
	for _, want := range []string{"  pst.0 mg is, exactly, a, b, c, ...\n",
		"  pst.2 mg is, but for 0.1 % of its information, a, b, c, ...\n  and 61 more; --json lists all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := strings.Join(collinear(list[:3]), "\n"); strings.Contains(text, "more") {
		t.Errorf("three of three:\n%s", text)
	}
}

// ± on the page is 95 %, in the JSON one standard error.
func TestWDLPage(t *testing.T) {
	var page strings.Builder
	m := wdl.Model{Pawn: 65, PawnSE: 3.3, Spread: 101, SpreadSE: 4, Draws: 0.31, DrawsSE: 0.014}
	setup.Check(t, printWDL(&page, &m, "c", ""))
	for _, want := range []string{"65.0 ± 6.5 ", "101.0 ± 7.8 ", "31.0 ± 2.7 %"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in:\n%s", want, &page)
		}
	}
}
