package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// Entrant names a player by its specification, and opens it once, so that errors appear
// before the run starts. With an error that wraps uci.ErrStart the entrant is valid.
func Entrant(spec string) (selfplay.Entrant, error) {
	name, err := roster.Identify(spec)
	if err != nil {
		return selfplay.Entrant{}, playerError(spec, err)
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

// playerError adds to the error of an unknown player what it may have meant.
func playerError(spec string, err error) error {
	if !errors.Is(err, roster.ErrUnknownPlayer) {
		return err
	}
	name, _, _ := strings.Cut(spec, ":")
	name, _, _ = strings.Cut(name, "?")
	if _, e := exec.LookPath(name); e == nil {
		return err // which names it
	}
	return fmt.Errorf("%w%s", err, DidYouMean(name, "", roster.Names()))
}
