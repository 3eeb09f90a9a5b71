package ownengine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/cmd/internal/ui"
)

const defaultHours = 2.5

// newPlan returns the plan of assay.toml and the flags, which win. Without --games its numbers of games need split.
func newPlan(flags *settings.Set, project *settings.Project) (enginerun.Plan, error) {
	own := project.Learn
	of := func(name string) *settings.Set {
		if flags.Given(name) {
			return flags
		}
		return own
	}
	p := enginerun.Plan{Seed: flags.Seed, Clock: own.Clock, Nodes: of("nodes").Limits.Nodes, Hours: of("hours").Hours,
		Generations: max(1, of("generations").Generations), Games: of("games").TuneGames, Lambda: own.Lambda,
		Decay: own.Decay,
		Rows:  own.Rows, PerGame: own.PerGame, Relabel: own.RelabelNodes,
		Freeze: own.Freeze, Added: flags.Added, Book: own.Opening.Book,
		Final: of("final-games").FinalGames,
		Deep:  of("deep-games").DeepGames, Clocked: of("clock-games").ClockGames, FinalClock: of("clock").FinalClock}
	if flags.Given("nodes") {
		p.Clock = ""
	}
	if p.Clock == "" {
		p.Nodes = cmp.Or(p.Nodes, settings.DefaultNodes)
	}
	_, _ = fmt.Sscanf(own.Gate, "%g,%g", &p.Elo0, &p.Elo1) // checked where it was read
	switch {
	case flags.Given("games") && flags.Given("hours"):
		return p, ui.Usagef("--games and --hours both say how long a generation plays: give one of them")
	case flags.Given("hours") || p.Games == 0:
		p.Games, p.Hours = 0, cmp.Or(p.Hours, defaultHours)
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
