package ownengine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
)

const defaultHours = 2.5

// newPlan returns the plan of assay.toml and of the typed flags, which win. Without --games its numbers of games need
// split.
func newPlan(c *Config, own *opts.Loop) (p enginerun.Plan, err error) {
	if err := own.Replace(c.Typed); err != nil {
		return p, ui.Usage(err)
	}
	p = enginerun.Plan{Seed: c.Seed, Clock: own.Clock, Nodes: own.Nodes, Hours: own.Hours,
		Generations: max(1, own.Generations), Games: own.Games, Lambda: own.Lambda, Decay: own.Decay, Rows: own.Rows,
		PerGame: own.PerGame, Relabel: own.RelabelNodes, Freeze: own.Freeze, Added: c.Added, Book: own.Book,
		Final: own.Final, Deep: own.Deep, Clocked: own.AtClock, FinalClock: own.FinalClock}
	if p.Clock == "" {
		p.Nodes = cmp.Or(p.Nodes, opts.DefaultNodes)
	}
	if p.Elo0, p.Elo1, err = own.Gates(); err != nil {
		return p, err
	}
	switch {
	case opts.Given(c.Typed, "games") && opts.Given(c.Typed, "hours"):
		return p, ui.Usagef("--games and --hours both say how long a generation plays: give one of them")
	case p.Games == 0:
		p.Hours = cmp.Or(p.Hours, defaultHours)
	default:
		p.GivenGames(p.Games)
	}
	if p.Final < 2 || p.Final%2 != 0 || p.Deep%2 != 0 || p.Deep < 0 || p.Clocked%2 != 0 || p.Clocked < 0 {
		return p, ui.Usagef("final-games, deep-games, clock-games: %d, %d, %d, want even numbers", p.Final, p.Deep,
			p.Clocked)
	}
	if p.Rows < 0 || p.PerGame < 0 || p.Relabel > 0 && p.Rows == 0 && p.PerGame == 0 {
		return p, ui.Usagef("relabel_nodes: say how many positions are searched, by rows or per_game")
	}
	if p.Hours < 0 || p.Games < 0 || p.Hours == 0 && p.Games < 2 {
		return p, ui.Usagef("--games or --hours: want a number above 0")
	}
	return p, nil
}

// frozen returns the terms that keep their values: those named, and a tempo, which says nothing of positions.
func frozen(p *enginerun.Plan, terms []string) []string {
	list := slices.Clone(p.Freeze)
	for _, t := range terms {
		if strings.EqualFold(t, "tempo") && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}
