// Package enginerun is what a run of assay learn --engine plays and finds, as its folder has it.
//
// It plays nothing: ownengine does, and report shows it.
//
// Start reading at Result.
package enginerun

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
)

// Plan is what decides the result of a run. It is written to config.json.
type Plan struct {
	Seed        uint64   `json:"seed,string"`
	Nodes       uint64   `json:"nodes,omitempty"` // a move; or
	Clock       string   `json:"tc,omitempty"`
	Hours       float64  `json:"hours,omitempty"` // of all generations; 0: the games were given
	Generations int      `json:"generations"`     // at most
	Games       int      `json:"games"`           // of self-play, in each generation
	Gate        int      `json:"gate_games"`      // at most
	Lambda      float64  `json:"lambda"`
	Decay       float64  `json:"decay"`                   // weight of rows, for each promotion since; of Added: once
	Rows        int      `json:"rows,omitempty"`          // of a generation's positions; 0: all
	PerGame     int      `json:"per_game,omitempty"`      // positions of a game; 0: all
	Relabel     uint64   `json:"relabel_nodes,omitempty"` // of the search that labels them; 0: the one that played
	Freeze      []string `json:"freeze,omitempty"`
	Added       []string `json:"added,omitempty"` // data sets of positions that each fit also learns from
	Book        string   `json:"book,omitempty"`
	Elo0        float64  `json:"gate_elo0"`
	Elo1        float64  `json:"gate_elo1"`
	Final       int      `json:"final_games"`
	Deep        int      `json:"deep_games"`  // at DeepFactor times the nodes
	Clocked     int      `json:"clock_games"` // at FinalClock
	FinalClock  string   `json:"clock"`
}

const (
	// How the games of a generation are shared; builds and a reserve take the rest.
	gamesShare, gateShare = 0.54, 0.36
	// FinalName is the folder of the matches at the end.
	FinalName = "final"
	// pliesPerGame is the usual length of a game.
	pliesPerGame = 130
	// DeepFactor is by how much the nodes of the deep match are more.
	DeepFactor = 8
)

// Split says how many games fit into the hours at a speed, which the plan of a given number of games ignores.
func (p *Plan) Split(gamesPerSecond float64) {
	if p.Hours > 0 {
		p.share(p.Hours * 3600 * gamesPerSecond / float64(p.Generations))
	}
}

// GivenGames shares the games of a generation, where those of self-play are given.
func (p *Plan) GivenGames(games int) {
	p.Hours = 0
	p.share(float64(games) / gamesShare)
}

// share shares the games of a generation.
func (p *Plan) share(games float64) {
	even := func(share float64) int { return max(2, int(share*games+0.5)/2*2) }
	p.Games, p.Gate = even(gamesShare), even(gateShare)
	if p.Hours > 0 { // labels take the time of games
		p.Games = max(2, p.Games-2*int(float64(p.Rows)*float64(p.Relabel)/(2*pliesPerGame*float64(max(p.Nodes, 1)))))
	}
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
	if p.Hours > 0 {
		how += fmt.Sprintf(", from %g hours", p.Hours)
	}
	line("self-play", "%d games at %s, %s", p.Games, p.LimitsText(), how)
	rows := "all"
	if p.Rows > 0 {
		rows = fmt.Sprint(p.Rows)
	}
	if p.Relabel > 0 {
		line("labels", "%s positions, each searched with %d nodes", rows, p.Relabel)
	}
	test := sprt.Test{Model: sprt.Logistic, Elo0: p.Elo0, Elo1: p.Elo1, Alpha: learn.GateAlpha(1), Beta: 0.05}
	needs := ""
	if shape, err := sprt.IndependentGames(UsualDraws, true); err == nil {
		if at, err := test.Predict(shape, 2*p.Elo1, false); err == nil {
			needs = fmt.Sprintf("; a gain of %g Elo passes after %.0f on average", 2*p.Elo1, at.Games)
		}
	}
	line("gate", "up to %d games, SPRT [%g, %g]%s", p.Gate, p.Elo0, p.Elo1, needs)
	list := []string{fmt.Sprintf("%d at %s", p.Final, p.LimitsText())}
	if p.Deep > 0 && p.Clock == "" {
		list = append(list, fmt.Sprintf("%d at %d nodes", p.Deep, DeepFactor*p.Nodes))
	}
	if p.Clocked > 0 {
		list = append(list, fmt.Sprintf("%d at %s", p.Clocked, p.FinalClock))
	}
	line("at the end", "up to %d games, SPRT [-10, 0]; then %s", p.Final, strings.Join(list, ", "))
	return s.String()
}
