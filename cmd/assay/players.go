package main

import (
	"fmt"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay"
)

// players are the players of a command line.
type players struct {
	shown []string // names for people
	specs []string // as the roster takes them
}

// namePlayers splits players as typed into names and specifications. Two players may have
// one name only if they are the same.
func namePlayers(texts []string) (p players, err error) {
	first := map[string]string{}
	for _, text := range texts {
		shown, spec, err := roster.Named(text)
		if err != nil {
			return p, cli.Usage(err)
		}
		if other, taken := first[shown]; taken && other != spec {
			return p, cli.Usagef("two players are named %q: give one of them another name=", shown)
		}
		first[shown] = spec
		p.shown, p.specs = append(p.shown, shown), append(p.specs, spec)
	}
	return p, nil
}

// entrants opens each player once. What begins the name of a player in errors.
func (p *players) entrants(times *timeFlags, git *gitFlags, what func(i int) string) (list []selfplay.Entrant, err error) {
	for i, spec := range p.specs {
		e, err := times.entrant(git, spec, what(i))
		if err != nil {
			return nil, err
		}
		e.Shown = p.shown[i]
		list = append(list, e)
	}
	return list, nil
}

// numbered names players in errors by their number.
func numbered(command string) func(int) string {
	return func(i int) string { return fmt.Sprintf("%s: player %d", command, i+1) }
}
