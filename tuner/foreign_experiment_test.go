//go:build experiment

package tuner

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestForeignTable prints what the verdict says of our model, taken for a foreign one, from
// guessed and from good weights, and what people's games say: a table of TUNER.md. It takes
// a quarter of an hour.
func TestForeignTable(t *testing.T) {
	m, err := eval.Lookup("assay")
	if err != nil {
		t.Fatal(err)
	}
	people, _ := scoredStore(t, "assay", peoplePositions(t), 2)
	all := scoredPositions(t, "../../shared/data/sf-scored-435k.tsv.zst", 1<<30)
	file, err := models.Embedded("assay-1")
	if err != nil {
		t.Fatal(err)
	}
	_, good, err := file.Weights()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []int{12, 3, 1} {
		n := len(all) / part
		s, _ := scoredStore(t, "assay", all[:n], 2)
		for _, start := range []struct {
			name string
			w    []eval.Coef
		}{{"guessed", m.Start}, {"assay-1", good}} {
			for _, way := range []struct {
				name   string
				own    bool
				effect float64
				choose bool
			}{{"own widths", true, 0, false}, {"own widths, chosen", true, 0, true}, {"25", false, 25, false}, {"15", false,
				15, false}, {"6", false, 6, false}, {"15, chosen", false, 15, true}} {
				terms, err := rows.TermsOf(m, start.w)
				if err != nil {
					t.Fatal(err)
				}
				for i := range terms {
					terms[i].Own = way.own
				}
				c := NewConfig()
				c.Folds, c.ChoosePrior = 5, way.choose
				if way.effect != 0 {
					c.Prior = map[string]float64{"all": way.effect}
				}
				r, err := Fit(t.Context(), s, terms, c)
				if err != nil {
					t.Fatal(err)
				}
				v := r.Verdict
				if err := r.TestOn(t.Context(), people, terms); err != nil {
					t.Fatal(err)
				}
				t.Logf("%d games, %s, %s (%.2g): cv %v %s; net %+.5f; people %v; rescale %.3f", r.Games, start.name, way.name,
					r.Config.PriorFactor, v.CrossValidation, v.Answer, v.Net, r.Gain(), r.Rescale)
			}
		}
	}
}

// peoplePositions reads the positions of lichess-64k.
func peoplePositions(t *testing.T) (out []dataset.PositionRow) {
	f, err := os.Open("../../shared/data/lichess-64k.book.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		at := strings.LastIndex(lines.Text(), "[")
		result, err := strconv.ParseFloat(strings.TrimRight(lines.Text()[at+1:], "]"), 32)
		if err != nil {
			t.Fatal(err)
		}
		p, err := board.ParseFEN(strings.TrimSpace(lines.Text()[:at]))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, dataset.PositionRow{Board: p, Score: dataset.NoScore, Result: float32(result), Weight: 1})
	}
	return out
}
