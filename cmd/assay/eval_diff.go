package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/assay-chess/assay/eval"
)

// evalDifference compares the values of a position under two weight files, A and B, of one
// model, as --json prints it.
type evalDifference struct {
	FEN    string            `json:"fen"`
	Model  string            `json:"model"`
	A      string            `json:"a"` // ids
	B      string            `json:"b"`
	ValueA int               `json:"value_a"` // centipawns, White's view
	ValueB int               `json:"value_b"`
	Phase  int               `json:"phase"`
	Terms  []eval.TermChange `json:"terms"` // those that add different amounts, the largest difference first
}

// evalDiff explains a position under two weight files, the last two of args.
func evalDiff(w, stderr io.Writer, args []string, asJSON bool) error {
	if len(args) < 3 {
		return usagef("--diff: want a FEN and two weight files")
	}
	fen, names := args[:len(args)-2], args[len(args)-2:]
	a, b, err := openTwoWeights(names[0], names[1])
	if err != nil {
		return err
	}
	if a.model == nil {
		return fmt.Errorf("%s is for the foreign evaluation %s, which only its own engine can evaluate with; assay weights diff compares the weights", a.name, a.file.Model)
	}
	p, err := parsePosition(fen)
	if err != nil {
		return err
	}
	underA, err := explain(&p, a)
	if err != nil {
		return err
	}
	underB, err := explain(&p, b)
	if err != nil {
		return err
	}
	d := evalDifference{
		FEN: underA.FEN, Model: a.model.Name, A: underA.Weights, B: underB.Weights,
		ValueA: underA.Value, ValueB: underB.Value, Phase: underA.Phase, Terms: eval.Diff(underA.Explanation, underB.Explanation),
	}
	if asJSON {
		return printJSON(w, d)
	}
	_, err = io.WriteString(w, d.table(a.name, b.name))
	return err
}

// table returns the differences as text.
func (d *evalDifference) table(nameA, nameB string) string {
	var s strings.Builder
	value := func(cp int) string { return fmt.Sprintf("%+.2f", float64(cp)/100) }
	fmt.Fprintf(&s, "A  %s  %s (id %s)\nB  %s  %s (id %s)\n", value(d.ValueA), nameA, d.A, value(d.ValueB), nameB, d.B)
	fmt.Fprintf(&s, "pawns, White's view; phase %d of %d; %d terms add different amounts\n", d.Phase, eval.MaxPhase, len(d.Terms))
	if len(d.Terms) == 0 {
		return s.String()
	}
	fmt.Fprintf(&s, "\n%-24s %6s %6s %15s %15s %9s %9s %9s\n", "term", "White", "Black", "mg, eg A", "mg, eg B", "adds A", "adds B", "change")
	sum := 0.0
	for i := range d.Terms {
		t := &d.Terms[i]
		sum += t.Change()
		fmt.Fprintf(&s, "%-24s %6d %6d %15s %15s %9s %9s %9s\n", t.Name, t.White, t.Black,
			fmt.Sprintf("%d, %d", t.MGA, t.EGA), fmt.Sprintf("%d, %d", t.MGB, t.EGB),
			decimal(t.AddsA), decimal(t.AddsB), decimal(t.Change()))
	}
	fmt.Fprintf(&s, "%-88s %9s\n", "sum", decimal(sum))
	return s.String()
}
