package cli

import (
	"errors"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// Entrant names a player by its specification, and opens it once, so that errors appear
// before the run starts. With an error that wraps uci.ErrStart the entrant is valid.
func Entrant(spec string) (selfplay.Entrant, error) {
	name, err := roster.Identify(spec)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	p, err := roster.Open(spec)
	if err != nil {
		return selfplay.Entrant{}, err
	}
	if s, ok := engine.As[engine.Starter](p); ok { // a foreign engine
		err = s.Start()
	}
	return selfplay.Entrant{Spec: spec, Name: name}, errors.Join(err, p.Close())
}
