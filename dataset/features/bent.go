package features

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
)

// bentDifferences names what is not the negative, or not the same, in the answer to the
// mirrored twin of an evaluation with a formula. A channel of both sides may be the same, as
// one that counts for the side that is ahead, so that the value decides.
func bentDifferences(set *dataset.FeatureSet, a, b *record) (differ []string) {
	if a.Skip != "" || b.Skip != "" {
		if a.Skip != b.Skip {
			differ = append(differ, fmt.Sprintf("one is skipped for %q, the other for %q", a.Skip, b.Skip))
		}
		return differ
	}
	differ = countDifferences(set, a, b)
	at := 0
	for _, c := range set.Columns {
		if !c.Sides {
			at++
			continue
		}
		if x, y := a.Columns[at:at+2], b.Columns[at:at+2]; !close32(x[0], y[1]) || !close32(x[1], y[0]) {
			differ = append(differ, fmt.Sprintf("column %q is %g and %g, and then %g and %g",
				c.Name, x[0], x[1], y[0], y[1]))
		}
		at += 2
	}
	for _, rec := range []*record{a, b} {
		for _, t := range rec.Terms {
			if set.Terms[t].Asymmetric {
				return differ
			}
		}
	}
	tolerance := 1e-3
	if set.Float { // rounded sums may be truncated in another way
		tolerance = set.MaxDrift()
	}
	if v, w := set.Value(&a.FeatureRow), set.Value(&b.FeatureRow); !(math.Abs(v+w) <= tolerance+1e-6*math.Abs(v)) {
		differ = append(differ, fmt.Sprintf("the formula's value is %.6g and then %.6g, want %.6g", v, w, -v))
	}
	switch {
	case (a.Eval == dataset.NoEval) != (b.Eval == dataset.NoEval):
		differ = append(differ, "only one has an eval")
	case a.Eval != dataset.NoEval && !(math.Abs(float64(a.Eval)+float64(b.Eval)) <= set.MaxDrift()):
		differ = append(differ, fmt.Sprintf("eval is %g and then %g, want %g", a.Eval, b.Eval, -a.Eval))
	}
	return differ
}

// formulaSuspects suspects a part of the formula: each is written in another way, one at a time.
func (d *diagnosis) formulaSuspects() {
	text := d.set.Formula
	change := func(rank int, from, to int, with, kind string) {
		set := *d.set
		set.Formula = text[:from] + with + text[to:]
		if set.Check() != nil {
			return
		}
		what := "the formula is not what the engine computes: " + kind
		if to-from < 40 {
			what += fmt.Sprintf(", %s in place of %s (in %q)", with, text[from:to], around(text, from, to))
		}
		d.try(suspect{rank: rank, what: what, kind: what, edits: []edit{func(*example, *record) bool { return true }}},
			&set)
	}
	for _, at := range formulaWords.FindAllStringIndex(text, -1) {
		from, to := at[0], at[1]
		word := text[from:to]
		name, _, _ := strings.Cut(word, ".")
		isValue := slices.ContainsFunc(d.set.Channels, func(c dataset.Channel) bool { return c.Name == name }) ||
			slices.ContainsFunc(d.set.Columns, func(c dataset.Column) bool { return c.Name == name }) || strings.Contains(text, "let "+word+" ")
		for _, c := range [][2]string{{".mg", ".eg"}, {".white", ".black"}} {
			if strings.Contains(word, c[0]) || strings.Contains(word, c[1]) {
				change(3, from, to, strings.NewReplacer(c[0], c[1], c[1], c[0]).Replace(word),
					"the other one of two is meant")
			}
		}
		switch {
		case word == "//":
			change(4, from, to, "/", "the engine does not truncate here")
		case word == "/":
			change(3, from, to, "//", "the engine truncates the division")
		case word == "+" || word == "-":
			change(4, from, to, map[string]string{"+": "-", "-": "+"}[word], "the sign is the other one")
		case word == "<" || word == ">":
			change(3, from, to, map[string]string{"<": ">", ">": "<"}[word], "the comparison is the other way round")
		case word == "max" || word == "min":
			change(4, from, to, map[string]string{"max": "min", "min": "max"}[word], "the engine takes the other one")
		case word == "balance" || word == "let" || word == "value":
		case isValue:
			change(3, from, to, "max("+word+", 0)", "the engine cuts off what is below 0: a max is forgotten")
			change(4, from, to, "min("+word+", 0)", "the engine cuts off what is above 0: a min is forgotten")
			change(4, from, to, "abs("+word+")", "the engine takes the size: an abs is forgotten")
			change(4, from, to, "(-"+word+")", "the sign is the other one")
		}
	}
	d.wholeFormula(change)
}

// formulaWords are the names and operators of a formula.
var formulaWords = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9.]*|//|[/<>+-]`)

// around is a formula near a place.
func around(text string, from, to int) string {
	return strings.TrimSpace(strings.Join(strings.Fields(text[max(0, from-20):min(len(text), to+20)]), " "))
}

// wholeFormula suspects changes of a whole expression, of the value or of a let.
func (d *diagnosis) wholeFormula(change func(rank int, from, to int, with, kind string)) {
	text := d.set.Formula
	for _, at := range regexp.MustCompile(`=([^=;]*[^=;<>!])(;|$)`).FindAllStringSubmatchIndex(text, -1) {
		body := strings.TrimSpace(text[at[2]:at[3]])
		of := strings.TrimSpace(text[max(0, strings.LastIndexByte(text[:at[0]], ';')):at[0]])
		change(4, at[2], at[3], " trunc("+body+")", "the engine truncates all of "+strings.Trim(of, "; "))
		change(4, at[2], at[3], " max("+body+", 0)", "the engine cuts off what is below 0: a max is forgotten around "+strings.Trim(of, "; "))
	}
	if strings.Count(text, "/")-2*strings.Count(text, "//") > 1 {
		all := regexp.MustCompile(`/+`).ReplaceAllString(text, "//")
		change(3, 0, len(text), all, "the engine truncates all divisions")
		change(4, 0, len(text), regexp.MustCompile(`(value *=)(.*)$`).ReplaceAllString(all, "$1 trunc($2)"),
			"the engine truncates all divisions and the value")
	}
}
