package factor

import (
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/screen"
)

func parse(t *testing.T, player, groups string, texts ...string) (*Set, engine.Spec) {
	t.Helper()
	base, err := roster.Parse(player)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(texts, base, groups, "")
	if err != nil {
		t.Fatal(err)
	}
	return s, base
}

// Factors that are grouped go on and off together, the others alone.
func TestGroups(t *testing.T) {
	s, _ := parse(t, "git:main", "A,c D,e", "A=0,1", "B=2,3", "c=git:idea", "D=4,5", "e=x.diff")
	if want := []string{"A+c", "B", "D+e"}; !reflect.DeepEqual(s.Names(), want) {
		t.Errorf("%v, want %v", s.Names(), want)
	}
	if s.Built() != 0b101 {
		t.Errorf("patches in %b", s.Built())
	}
	if got := Text(s.Options(0b101)); got != "?A=1&B=2&D=5" {
		t.Errorf("%s", got)
	}
	ids := s.Identities(func(text string) string { return map[string]string{"git:idea": "0123", "x.diff": "4567"}[text] })
	if ids[0].Off != "A=0" || ids[0].On != "A=1 0123" || ids[2].On != "D=5 4567" {
		t.Errorf("%+v", ids)
	}
}

// A group of weights that is on has those of the file, the others have the player's.
func TestWeights(t *testing.T) {
	s, base := parse(t, "assay:weights=assay-start", "", "weights=assay-1")
	m, old, err := roster.Weights(base)
	if err != nil {
		t.Fatal(err)
	}
	_, now, err := roster.Weights(engine.Spec{Name: "assay", Weights: "assay-1"})
	if err != nil {
		t.Fatal(err)
	}
	for of := range screen.Subset(8) {
		f, err := roster.WeightsWithOptions(base, s.Options(of))
		if err != nil {
			t.Fatal(err)
		}
		for i, term := range m.Terms {
			want := old[i]
			for j, factor := range s.Factors {
				if of.Has(j) && factor.Groups[0] == term.Group {
					want = now[i]
				}
			}
			if f.Terms[i].MG != want.MG || f.Terms[i].EG != want.EG {
				t.Fatalf("subset %b: %s is %d, %d, want %v", of, term.Name, f.Terms[i].MG, f.Terms[i].EG, want)
			}
		}
	}
	two, _ := parse(t, "assay:weights=assay-start", "", "weights=assay-1:"+strings.Join(s.Names()[:2], ","))
	if !reflect.DeepEqual(two.Names(), s.Names()[:2]) {
		t.Errorf("%v", two.Names())
	}
}

// The fit of a subset has the sources that are not left out.
func TestData(t *testing.T) {
	s, base := parse(t, "assay", "without-a,without-c", "data=a", "X=1,2", "data=runs/b", "data=c")
	if want := []string{"without-a+without-c", "X", "without-runs/b"}; !reflect.DeepEqual(s.Names(), want) {
		t.Errorf("%v, want %v", s.Names(), want)
	}
	if s.Built() != 0b101 || s.Data() != 0b101 {
		t.Errorf("fits for %b, data in %b", s.Built(), s.Data())
	}
	for of, want := range map[screen.Subset]string{0: "111 a c runs/b", 0b011: "001 runs/b", 0b110: "110 a c"} {
		list, name := s.Sources(of)
		if got := name + " " + strings.Join(list, " "); got != want {
			t.Errorf("%b: %s, want %s", of, got, want)
		}
	}
	for _, wrong := range [][]string{{"data=a", "X=1,2"}, {"data=a", "data=b", "weights=assay-1"}, {"data=", "X=1,2"}} {
		if _, err := Parse(wrong, base, "", ""); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
}

// A weight file of a subset says which terms were fitted: a source may lack the others.
func TestWeightFile(t *testing.T) {
	f, err := models.ParseAny("w.json", []byte(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005,
"provenance": {}, "terms": [{"name": "a", "group": "g", "mg": 7, "eg": 8, "fit_mg": 7.2, "fit_eg": 8.1},
{"name": "rest", "mg": 1, "eg": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	terms, err := f.Table()
	if err != nil {
		t.Fatal(err)
	}
	s := &Set{Factors: []Factor{{Groups: []string{"g"}}}, weights: &weights{built: true, file: f, terms: terms,
		old: []eval.Coef{{MG: 3, EG: 4}, {MG: 1, EG: 1}}, new: []eval.Coef{{MG: 7, EG: 8}, {MG: 1, EG: 1}}}}
	for of, want := range []int32{3, 7} {
		text, err := s.WeightFile(screen.Subset(of))
		if err != nil {
			t.Fatal(err)
		}
		got, err := models.ParseAny("subset.json", text)
		if err != nil || got.Terms[0].MG != want || got.Held(&got.Terms[0]) || !got.Held(&got.Terms[1]) {
			t.Errorf("%b: %s, %v", of, text, err)
		}
	}
}
