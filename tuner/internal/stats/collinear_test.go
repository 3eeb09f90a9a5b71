package stats

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Every collinear coefficient is listed, however many there are.
func TestFindCollinearAll(t *testing.T) {
	const n = 60
	h, names := mat.NewSymDense(n, nil), make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("t%d mg", i)
		for j := i; j < n; j++ {
			h.SetSym(i, j, 1)
		}
	}
	list := FindCollinear(h, names)
	if len(list) != n-1 {
		t.Fatalf("%d of %d", len(list), n-1)
	}
	for _, c := range list {
		if !c.Exact || len(c.Others) != 1 || c.Others[0] != "+1 t0 mg" {
			t.Errorf("%+v", c)
		}
	}
}
