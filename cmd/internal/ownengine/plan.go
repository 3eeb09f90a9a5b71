package ownengine

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
)

// Plan is what decides the result of a run. It is written to config.json.
type Plan struct {
	Seed        uint64   `json:"seed,string"`
	Nodes       uint64   `json:"nodes,omitempty"` // a move; or
	Clock       string   `json:"tc,omitempty"`
	Hours       float64  `json:"hours,omitempty"` // of the run; 0: the games were given
	Generations int      `json:"generations"`     // at most
	Games       int      `json:"games"`           // of self-play, in each generation
	Gate        int      `json:"gate_games"`      // at most
	Lambda      float64  `json:"lambda"`
	Decay       float64  `json:"decay"` // weight of rows, for each promotion since; of Added: once
	Freeze      []string `json:"freeze,omitempty"`
	Added       []string `json:"added,omitempty"` // data sets of positions that each fit also learns from
	Book        string   `json:"book,omitempty"`
	Elo0        float64  `json:"gate_elo0"`
	Elo1        float64  `json:"gate_elo1"`
	Final       int      `json:"final_games"` // with hours at least, unless time is short
	Clocked     int      `json:"clock_games"` // at FinalClock
	FinalClock  string   `json:"clock"`
	Speed       float64  `json:"games_per_second,omitempty"` // from which the hours were shared
	AtOnce      int      `json:"games_at_once,omitempty"`
	LeftOut     bool     `json:"left_out,omitempty"` // the match at a clock: the hours are too few

	mostFinal int // games of the match at the end; 0: as many as fit
}

const (
	// FinalName is the folder of the matches at the end.
	FinalName = "final"
	// pliesPerGame is the usual length of a game.
	pliesPerGame = 130
)

// How the time of a run is shared, if it is limited: builds, fits and a reserve take the rest. Of the games of a gate
// and of the match at the end a gate that may have a third proves most, because the match gets all that it leaves.
const (
	playedShare = 0.9  // of the hours
	addedShare  = 0.1  // of that, the most: the match at a clock
	gamesShare  = 0.45 // of what these leave: self-play
	gateShare   = 0.35 // of the rest: the gate, all sizes of the step together
	lastShare   = 0.98 // of the hours: the end of the match at the end

	fewest = 100 // a match that adds to the result is not worth fewer games
)

// Split divides the hours among the stages at a speed, with atOnce games at a time, which matters at a clock. A plan
// with a given number of games ignores it.
func (p *Plan) Split(gamesPerSecond float64, atOnce int) {
	if p.Hours == 0 {
		return
	}
	p.Speed, p.AtOnce = gamesPerSecond, atOnce
	games := playedShare * p.Hours * 3600 * p.Speed
	fit := even(min(float64(p.Clocked), addedShare*playedShare*p.Hours*3600/p.gameSeconds()))
	if p.LeftOut = fit < min(fewest, p.Clocked); p.LeftOut {
		fit = 0
	}
	p.Clocked = min(p.Clocked, fit)
	games -= p.Speed * p.ClockSeconds()
	each, proof := gamesShare*games/float64(p.Generations), (1-gamesShare)*games
	p.Games, p.Gate = even(each), even(gateShare*proof/float64(p.Generations))
	p.Final = even((1 - gateShare) * proof)
	if p.mostFinal > 0 {
		p.Final = min(p.Final, p.mostFinal)
	}
}

// even returns a number of games of whole pairs.
func even(games float64) int { return max(2, int(games+0.5)/2*2) }

// NotPlayed says why there is no match at a clock.
func (p *Plan) NotPlayed() string {
	return fmt.Sprintf("no match at %s: the %g hours are too few", p.FinalClock, p.Hours)
}

// Seconds is how long games at the plan's limits take; 0 if their speed was not measured.
func (p *Plan) Seconds(games int) float64 {
	if p.Speed == 0 {
		return 0
	}
	return float64(games) / p.Speed
}

// ClockSeconds is how long the match at a clock takes.
func (p *Plan) ClockSeconds() float64 { return float64(p.Clocked) * p.gameSeconds() }

// gameSeconds is how long a game at the clock takes, if the engines use all of their time.
func (p *Plan) gameSeconds() float64 {
	const moves = pliesPerGame / 2
	c := clocked(p.FinalClock).Clock
	bases := 1.0
	if c.Moves > 0 {
		bases = math.Ceil(moves / float64(c.Moves))
	}
	return 2 * (bases*c.Base.Seconds() + moves*c.Increment.Seconds()) / float64(max(1, p.AtOnce))
}

// Limits are the flags that limit a move.
func (p *Plan) Limits() []string {
	if p.Clock != "" {
		return []string{"--tc", p.Clock}
	}
	return []string{"--nodes", fmt.Sprint(p.Nodes)}
}

// LimitsText is the limit of a move in words.
func (p *Plan) LimitsText() string {
	return cmp.Or(p.Clock, fmt.Sprintf("%d nodes", p.Nodes))
}

// UsualDraws is the share of drawn games that predictions assume.
const UsualDraws = 0.4

// Text says what each part plays, and what it can see.
func (p *Plan) Text() string {
	var s strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&s, "  %-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
	how := "in each generation"
	if p.Generations == 1 {
		how = "in one generation"
	}
	how += ui.If(p.Hours > 0, ", from %g hours", p.Hours)
	line("self-play", "%d games at %s, %s", p.Games, p.LimitsText(), how)
	line("gate", "up to %d games of three sizes of the step, SPRT [%g, %g]", p.Gate, p.Elo0, p.Elo1)
	more := ui.If(p.Hours > 0 && p.Final != p.mostFinal, ", and what the gate leaves")
	list := []string{fmt.Sprintf("%d games at %s%s", p.Final, p.LimitsText(), more)}
	if p.Clocked > 0 {
		list = append(list, fmt.Sprintf("%d at %s", p.Clocked, p.FinalClock))
	}
	line("at the end", "%s", strings.Join(list, "; then "))
	if p.LeftOut {
		line("", "%s", p.NotPlayed())
	}
	if least := p.Provable(); least <= mostElo {
		line("can prove", "a gain of %d Elo or more", least)
	} else {
		line("can prove", "nothing: these are too few games, so give it more --hours or --games")
	}
	return s.String()
}

// mostElo is the largest gain that a plan looks for.
const mostElo = 150

// Provable is the least gain, in steps of 5 Elo, whose interval over the match at the end is above 0 in half of them.
func (p *Plan) Provable() int {
	low := 1.96 * 1600 / math.Ln10 * math.Sqrt((1-UsualDraws)/4/float64(max(2, p.Final)))
	return 5 * int(math.Ceil(low/5))
}

// usualFinal is how many games the match at the end has if neither they nor hours are given.
const usualFinal = 1000

const defaultHours = 2.5

// newPlan returns the plan of assay.toml and of the typed flags, which win. Without --games its numbers of games need
// split.
func newPlan(c *Config, own *opts.Loop) (p Plan, err error) {
	if err := own.Replace(c.Typed); err != nil {
		return p, ui.Usage(err)
	}
	p = Plan{Seed: c.Seed, Clock: own.Clock, Nodes: own.Nodes, Hours: own.Hours,
		Generations: max(1, own.Generations), Games: own.Games, Lambda: own.Lambda, Decay: own.Decay,
		Freeze: own.Freeze, Added: c.Added, Book: own.Book, mostFinal: own.Final, Clocked: own.AtClock, FinalClock: own.FinalClock}
	if p.Clock == "" {
		p.Nodes = cmp.Or(p.Nodes, opts.DefaultNodes)
	}
	if p.Elo0, p.Elo1, err = own.Gates(); err != nil {
		return p, err
	}
	switch {
	case c.Typed.Changed("games") && c.Typed.Changed("hours"):
		return p, ui.Usagef("--games and --hours both say how long a generation plays: give one of them")
	case p.Games == 0:
		p.Hours = cmp.Or(p.Hours, defaultHours)
	default: // games of self-play are given
		p.Hours, p.Gate, p.Final = 0, even(float64(p.Games)), cmp.Or(p.mostFinal, usualFinal)
	}
	return p, nil
}
