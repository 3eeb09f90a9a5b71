package autodiff

import (
	"gorgonia.org/gorgonia"

	"github.com/assay-chess/assay/eval/formula"
)

// smooth reports of each node of the formula whether it depends on a channel in a way that has a derivative.
func smooth(f *formula.Formula) []bool {
	out := make([]bool, len(f.Nodes))
	for i := range f.Nodes {
		n := &f.Nodes[i]
		args := n.Arguments()
		switch n.Op {
		case formula.Constant, formula.Sign, formula.Less:
			continue
		case formula.Read:
			out[i] = f.Inputs[n.Input].Channel != formula.Phase
		case formula.If:
			args = args[1:]
		}
		for _, a := range args {
			out[i] = out[i] || out[a]
		}
	}
	return out
}

// wanted returns the inputs with respect to which the value has derivatives.
func wanted(f *formula.Formula) (inputs []int) {
	is := smooth(f)
	reached := make([]bool, len(f.Nodes))
	reached[len(f.Nodes)-1] = true
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
		if n.Op == formula.Read {
			inputs = append(inputs, n.Input)
		}
	}
	return inputs
}

// differentiate adds the derivatives to the graph, all with one call, and returns where they will be read.
func (b *builder) differentiate(root *gorgonia.Node) ([]*read, error) {
	var by gorgonia.Nodes
	var reads []*read
	for _, i := range wanted(b.m.f) {
		by = append(by, b.input(i))
		reads = append(reads, new(read))
		b.p.slopes[i] = &reads[len(reads)-1].data
	}
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
	return reads, nil
}
