package nim

import (
	"testing"

	"github.com/assay-chess/assay/engine/game/gametest"
)

func TestConform(t *testing.T) {
	gametest.Conform(t, Learned{}, func(h Heaps) Heaps {
		h.Second = !h.Second
		return h
	})
}
