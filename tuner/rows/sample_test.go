package rows

import (
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

func TestReservoirKeepsEveryNth(t *testing.T) {
	var r reservoir
	p := board.StartPosition()
	for range 3*samplePositions + 1 {
		r.add(&p)
	}
	if r.stride != 4 || len(r.positions) != (3*samplePositions+1+3)/4 {
		t.Errorf("stride %d, %d positions of %d", r.stride, len(r.positions), r.n)
	}
}
