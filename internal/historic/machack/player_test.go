package machack

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/enginetest"
)

func open(t testing.TB) *Player {
	t.Helper()
	m, err := eval.Lookup("machack-1967")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(m.With(m.Start))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The narrow width saves time; the contract does not depend on it.
func TestConform(t *testing.T) {
	enginetest.Conform(t, func() engine.Player {
		p := open(t)
		p.width = "normal"
		return p
	})
}
