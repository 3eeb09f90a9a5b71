package ui

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/roster"
)

// Player parses the specification of a player, as a user types it. The error about one that does not exist says what
// may have been meant.
func Player(text string) (engine.Spec, error) {
	before, _, _ := strings.Cut(text, "?")
	path := before[strings.LastIndex(before, ":")+1:] // after uci: or name=new:
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && strings.Contains(path, " ") {
		keys := strings.TrimPrefix(strings.TrimSuffix(before, path), "uci:")
		text = "uci:" + keys + quote.Word(path) + text[len(before):] // one word, not a command and its arguments
	}
	spec, err := roster.Parse(text)
	name, options, more := strings.Cut(spec.Name, "?")
	if err == nil && spec.External() && len(spec.Command) > 0 {
		name, options, more = spec.Command[0], "", len(spec.Options) > 0
	} else if !errors.Is(err, roster.ErrUnknownPlayer) {
		return spec, err
	}
	if _, e := exec.LookPath(name); e == nil || filepath.Base(name) != name {
		return spec, err // which names it
	}
	for _, dir := range programFolders {
		path := strings.TrimSuffix(dir, "/") + "/" + name
		if _, e := exec.LookPath(path); e != nil {
			continue
		}
		if more {
			path += "?" + cmp.Or(options, "OPTION=VALUE")
		}
		return spec, fmt.Errorf("%w: %q is not in PATH; type %s", roster.ErrUnknownPlayer, name, quote.Word(path))
	}
	if err == nil {
		return spec, nil // to start it says the rest
	}
	return spec, fmt.Errorf("%w%s", err, DidYouMean(name, "", roster.Names()))
}

// programFolders are where engines are that PATH need not have: here, and where packages install games.
var programFolders = []string{".", "/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin"}

// OpenPlayer opens a player once with an opener, such as a pool's, so that errors appear before the run starts.
// With an error that wraps uci.ErrStart the player is valid. The checksum of an engine's file is computed while the
// engine starts. Without an opener the player is not opened.
func OpenPlayer(open selfplay.Opener, spec engine.Spec) (selfplay.Player, error) {
	if open == nil {
		id, same, err := roster.Identify(spec)
		return selfplay.Player{Spec: spec, ID: id, Name: spec.Label, Same: same}, err
	}
	var id, same string
	var unknown error
	identified := make(chan struct{})
	go func() {
		defer close(identified)
		id, same, unknown = roster.Identify(spec)
	}()
	p, err := open(spec)
	opened := err == nil
	if opened {
		if s, ok := engine.As[engine.Starter](p); ok { // an external engine
			err = s.Start()
		}
		err = errors.Join(err, p.Close())
	}
	<-identified
	switch {
	case unknown != nil:
		return selfplay.Player{}, unknown
	case !opened:
		return selfplay.Player{}, err
	}
	return selfplay.Player{Spec: spec, ID: id, Name: spec.Label, Same: same}, err
}
