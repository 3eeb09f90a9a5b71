package tuner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/internal/synthetic"
	"github.com/assay-chess/assay/tuner/rows"
)

// TestBentKinks: a coefficient that ends on a kink, and one whose rows are near a jump, are named.
func TestBentKinks(t *testing.T) {
	set := synthetic.LinearSet(4)
	set.Channels = append(set.Channels, dataset.Channel{Name: "a", Kind: dataset.PlainChannel},
		dataset.Channel{Name: "b", Kind: dataset.PlainChannel})
	set.Formula = "value = main.mg*phase + main.eg*(1 - phase) + if(a > 20, 2, 1)*a - abs(b)"
	set.Terms = append(set.Terms, dataset.FeatureTerm{Name: "jumpy", Channel: "a", MG: 17, EG: 17},
		dataset.FeatureTerm{Name: "kinky", Channel: "b", MG: 20, EG: 20},
		dataset.FeatureTerm{Name: "steady", Channel: "b", MG: 300, EG: 300})
	data := synthetic.BentGames(t, set, 300, 10, 6)
	for i := range data { // the rows of kinky are won more often than its part may say
		row := &data[i]
		for k, term := range row.Terms {
			switch set.Terms[term].Name {
			case "jumpy":
				row.Counts[k] = 1
			case "kinky":
				row.Counts[k], row.Result = 1, max(row.Result, float32(i%4/2))
			case "steady":
				row.Counts[k] = 0
				if len(row.Terms) > 1 && set.Terms[row.Terms[k-1]].Name != "kinky" {
					row.Counts[k] = 1
				}
			}
		}
	}
	c := NewConfig()
	c.Valid, c.K, c.Prior = 0, synthetic.BentK, map[string]float64{"jumpy": 0.1}
	r := setup.Must(Fit(context.Background(), bentStore(t, set, data, false), rows.TermsOfFeatures(set), c))
	if got := strings.Join(r.Bend.OnKinks, ", "); got != "jumpy, kinky" ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "the errors of 2 coefficients are rough") {
		t.Errorf("%s are named, %v\n%+v", got, r.Warnings, r.Terms[4:])
	}
}

// TestBentMemory: a fit with a formula needs its matrices, and says so.
func TestBentMemory(t *testing.T) {
	set := synthetic.BentSet(6)
	s := bentStore(t, set, synthetic.BentGames(t, set, 50, 4, 7), false)
	c := NewConfig()
	c.Memory = 1 << 20
	if _, err := Fit(context.Background(), s, rows.TermsOfFeatures(set), c); !errors.Is(err, objective.ErrConfig) ||
		!strings.Contains(err.Error(), "needs matrices") {
		t.Errorf("%v", err)
	}
}
