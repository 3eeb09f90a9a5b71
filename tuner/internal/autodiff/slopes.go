package autodiff

import (
	"gorgonia.org/gorgonia"

	"github.com/assay-chess/assay/eval/formula"
)

// smooth reports of each node of the formula whether it depends on an input other than
// columns in a way that has a derivative.
func smooth(f *formula.Formula) []bool {
	out := make([]bool, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		args := n.Arguments()
		switch n.Op {
		case formula.Constant, formula.Sign, formula.Less, formula.LessEqual, formula.Equal,
			formula.And, formula.Or, formula.Not:
			continue
		case formula.Read:
			out[i] = f.Inputs[n.Input].Kind != formula.Column
		case formula.Lookup:
			out[i] = true
		case formula.If:
			args = args[1:]
		}
		for _, a := range args {
			out[i] = out[i] || out[a]
		}
	}
	return out
}

// wanted returns the inputs with respect to which the value has derivatives, and of each
// lookup whether it is one.
func wanted(f *formula.Formula) (inputs []int, lookups []bool) {
	is := smooth(f)
	reached := make([]bool, len(f.Nodes))
	reached[len(f.Nodes)-1] = true
	seen := map[int]bool{}
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		n := &f.Nodes[i]
		if !reached[i] || !is[i] {
			continue
		}
		args := n.Arguments()
		if n.Op == formula.If {
			args = args[1:]
		}
		for _, a := range args {
			reached[a] = true
		}
		if n.Op == formula.Read && !seen[n.Input] {
			seen[n.Input] = true
			inputs = append(inputs, n.Input)
		}
	}
	for i := range f.Nodes {
		if f.Nodes[i].Op == formula.Lookup {
			lookups = append(lookups, reached[i])
		}
	}
	return inputs, lookups
}

// differentiate adds the derivatives to the graph, all with one call, and returns where they
// will be read: of inputs, then of lookups, and then their places.
func (b *builder) differentiate(root *gorgonia.Node) ([]*read, error) {
	inputs, reached := wanted(b.m.f)
	var by gorgonia.Nodes
	var reads []*read
	for _, i := range inputs {
		by = append(by, b.input(i))
		reads = append(reads, new(read))
		b.p.slopes[i] = &reads[len(reads)-1].data
	}
	var live []*lookup
	for k, l := range b.p.lookups {
		if reached[k] {
			by = append(by, b.zeros[k])
			reads = append(reads, &l.slope)
			live = append(live, l)
		}
	}
	b.p.lookups = live
	if len(by) == 0 {
		return nil, nil
	}
	sum, err := gorgonia.Sum(root)
	if err != nil {
		return nil, err
	}
	slopes, err := gorgonia.Grad(sum, by...)
	if err != nil {
		return nil, err
	}
	for i, n := range slopes {
		gorgonia.Read(n, &reads[i].value)
	}
	for _, l := range live {
		reads = append(reads, &l.place)
	}
	return reads, nil
}
