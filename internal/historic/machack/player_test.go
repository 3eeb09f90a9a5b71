package machack

import (
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/enginetest"
	"github.com/assay-chess/assay/internal/setup"
)

func open(t testing.TB) *Player {
	t.Helper()
	m := setup.Must(eval.Lookup("machack-1967"))
	p := setup.Must(New(m.With(m.Start)))
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
