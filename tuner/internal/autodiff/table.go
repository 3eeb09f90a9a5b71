package autodiff

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/assay-chess/assay/eval/formula"
)

// lookup is a table that a formula looks up.
type lookup struct {
	first, size  int
	place, slope read
}

// tableOp finds the numbers at places of a table, between whose entries it interpolates, or
// the slopes there. It implements gorgonia.SDOp.
type tableOp struct {
	number  int // of the lookup
	entries func() []float64
	slope   bool
}

var _ gorgonia.SDOp = &tableOp{}

// Arity implements gorgonia.Op.
func (o *tableOp) Arity() int { return 1 }

// Type implements gorgonia.Op.
func (o *tableOp) Type() hm.Type {
	return hm.NewFnType(hm.TypeVariable('a'), hm.TypeVariable('a'))
}

// InferShape implements gorgonia.Op.
func (o *tableOp) InferShape(s ...gorgonia.DimSizer) (tensor.Shape, error) {
	return s[0].(tensor.Shape).Clone(), nil
}

// Do implements gorgonia.Op.
func (o *tableOp) Do(v ...gorgonia.Value) (gorgonia.Value, error) {
	places := v[0].(*tensor.Dense).Float64s()
	entries, out := o.entries(), make([]float64, len(places))
	for i, x := range places {
		at, f := formula.Place(x, len(entries))
		switch {
		case !o.slope:
			out[i] = entries[at]*(1-f) + entries[at+1]*f
		case x > 0 && x < float64(len(entries)-1):
			out[i] = entries[at+1] - entries[at]
		}
	}
	return tensor.New(tensor.WithShape(len(out)), tensor.WithBacking(out)), nil
}

// ReturnsPtr implements gorgonia.Op.
func (o *tableOp) ReturnsPtr() bool { return false }

// CallsExtern implements gorgonia.Op.
func (o *tableOp) CallsExtern() bool { return false }

// OverwritesInput implements gorgonia.Op.
func (o *tableOp) OverwritesInput() int { return -1 }

// WriteHash implements gorgonia.Op.
func (o *tableOp) WriteHash(h hash.Hash) { fmt.Fprint(h, o.String()) }

// Hashcode implements gorgonia.Op.
func (o *tableOp) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// String implements gorgonia.Op.
func (o *tableOp) String() string { return fmt.Sprintf("table %d, slope %v", o.number, o.slope) }

// DiffWRT implements gorgonia.SDOp.
func (o *tableOp) DiffWRT(int) []bool { return []bool{!o.slope} }

// SymDiff implements gorgonia.SDOp.
func (o *tableOp) SymDiff(inputs gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	slope, err := gorgonia.ApplyOp(&tableOp{o.number, o.entries, true}, inputs[0])
	if err != nil {
		return nil, err
	}
	product, err := gorgonia.HadamardProd(grad, slope)
	return gorgonia.Nodes{product}, err
}
