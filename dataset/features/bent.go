package features

import (
	"fmt"
	"regexp"
	"strings"
)

// swaps are what a word of a formula may stand in place of.
var swaps = map[string]struct {
	rank       int
	with, kind string
}{
	"//":  {4, "/", "the engine does not truncate here"},
	"/":   {3, "//", "the engine truncates the division"},
	"+":   {4, "-", "the sign is the other one"},
	"-":   {4, "+", "the sign is the other one"},
	"<":   {3, ">", "the comparison is the other way round"},
	">":   {3, "<", "the comparison is the other way round"},
	"max": {4, "min", "the engine takes the other one"},
	"min": {4, "max", "the engine takes the other one"},
}

// formulaSuspects suspects a part of the formula: each is written in another way, one at a time.
func (d *diagnosis) formulaSuspects() {
	text := d.set.Formula
	change := func(rank int, from, to int, with, kind string) {
		set := *d.set
		set.Formula = text[:from] + with + text[to:]
		if set.Check() != nil { // such as a max around the name of a function
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
		for _, c := range [][2]string{{".mg", ".eg"}, {".white", ".black"}} {
			if other := strings.NewReplacer(c[0], c[1], c[1], c[0]).Replace(word); other != word {
				change(3, from, to, other, "the other one of two is meant")
			}
		}
		if s, ok := swaps[word]; ok {
			change(s.rank, from, to, s.with, s.kind)
			continue
		}
		change(3, from, to, "max("+word+", 0)", "the engine cuts off what is below 0: a max is forgotten")
		change(4, from, to, "min("+word+", 0)", "the engine cuts off what is above 0: a min is forgotten")
		change(4, from, to, "abs("+word+")", "the engine takes the size: an abs is forgotten")
		change(4, from, to, "(-"+word+")", "the sign is the other one")
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
		change(4, at[2], at[3], " max("+body+", 0)",
			"the engine cuts off what is below 0: a max is forgotten around "+strings.Trim(of, "; "))
	}
	if strings.Count(text, "/")-2*strings.Count(text, "//") > 1 {
		all := regexp.MustCompile(`/+`).ReplaceAllString(text, "//")
		change(3, 0, len(text), all, "the engine truncates all divisions")
		change(4, 0, len(text), regexp.MustCompile(`(value *=)(.*)$`).ReplaceAllString(all, "$1 trunc($2)"),
			"the engine truncates all divisions and the value")
	}
}
