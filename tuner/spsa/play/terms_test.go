package play

import (
	"strings"
	"testing"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/tuner/spsa"
)

func parametersOf(t *testing.T, weights string) map[string]FileParameter {
	t.Helper()
	f, err := models.Open(weights)
	if err != nil {
		t.Fatal(err)
	}
	m, w, err := f.Weights()
	if err != nil {
		t.Fatal(err)
	}
	list, err := TermParameters(m, w)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]FileParameter{}
	for _, p := range list {
		if _, err := p.checked(); err != nil {
			t.Errorf("%s: %s: %v", weights, p.Name, err)
		}
		if !strings.HasSuffix(p.Name, eval.OnlyMG) && !strings.HasSuffix(p.Name, eval.OnlyEG) {
			if i, ok := m.Term(p.Name); !ok || float64(w[i].MG) != *p.Start {
				t.Errorf("%s: %s starts at %v", weights, p.Name, *p.Start)
			}
		}
		byName[p.Name] = p
	}
	return byName
}

// The steps of Shannon's terms follow from their sizes: a legal move counts in tens, so it has
// the smallest step; a queen has a tenth of itself.
func TestTermParameters(t *testing.T) {
	p := parametersOf(t, "shannon-1950")
	if len(p) != 9 {
		t.Errorf("%d parameters of nine terms", len(p))
	}
	if c := p["queen"].CEnd; c != 90 || *p["queen"].Min != 540 || *p["queen"].Max != 1260 {
		t.Errorf("queen: c_end %v from %v to %v", c, *p["queen"].Min, *p["queen"].Max)
	}
	if m, iso := p["mobility"].CEnd, p["isolated"].CEnd; !(m > 2 && m < 6) || !(iso > 15 && iso < 40) ||
		*p["isolated"].Max < 0 {
		t.Errorf("c_end of mobility %v, of isolated %v, which rises to %v", m, iso, *p["isolated"].Max)
	}
}

// A term that depends on the root of a search is no parameter.
func TestRootedTerms(t *testing.T) {
	p := parametersOf(t, "machack-1967")
	if _, ok := p["ratio"]; ok || len(p) != 15 {
		t.Errorf("%d parameters, ratio is one: %v", len(p), ok)
	}
}

// Weights that differ by phase are two parameters.
func TestTaperedTerms(t *testing.T) {
	p := parametersOf(t, "assay")
	if _, one := p["queen"]; one || p["queen.mg"].CEnd == 0 || p["queen.eg"].CEnd == 0 {
		t.Errorf("parameters %v", p)
	}
	if p := parametersOf(t, "assay-start"); len(p) != 647 {
		t.Errorf("%d parameters of 647 terms", len(p))
	}
}

func TestTermsRefused(t *testing.T) {
	m, err := eval.Lookup("machack-1967")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TermParameters(m, m.Start[1:]); err == nil {
		t.Error("weights of another length are taken")
	}
}

// The steps are ones that the schedule takes for any number of games.
func TestTermSchedule(t *testing.T) {
	for _, m := range eval.Models() {
		list, err := TermParameters(m, m.Start)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parameters(list, 10)
		if err != nil || p[0].REnd != spsa.DefaultREnd(10, len(list)) {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		c := spsa.Config{Parameters: p, Iterations: 10, Ahead: 1}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
