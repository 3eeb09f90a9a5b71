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
func Entrant(spec string) (selfplay.Entrant, error) { return EntrantOf(roster.Open, spec) }

// EntrantOf is Entrant with another opener, such as that of a pool. The checksum of an engine's
// file is computed while the engine starts.
func EntrantOf(open selfplay.Opener, spec string) (selfplay.Entrant, error) {
	var name string
	var unknown error
	identified := make(chan struct{})
	go func() {
		defer close(identified)
		name, unknown = roster.Identify(spec)
	}()
	p, err := open(spec)
	opened := err == nil
	if opened {
		if s, ok := engine.As[engine.Starter](p); ok { // a foreign engine
			err = s.Start()
		}
		err = errors.Join(err, p.Close())
	}
	<-identified
	switch {
	case unknown != nil:
		return selfplay.Entrant{}, playerError(spec, unknown)
	case !opened:
		return selfplay.Entrant{}, err
	}
	return selfplay.Entrant{Spec: spec, Name: name}, err
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
