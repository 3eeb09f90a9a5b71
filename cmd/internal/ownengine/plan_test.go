package ownengine

import (
	"io"
	"strings"
	"testing"

	"github.com/assay-chess/assay/cmd/internal/gitbuild"
)

// TestSplit: all that a run must play fits into its hours, at any speed, and what only adds to it is left out before
// it is too short to say anything.
func TestSplit(t *testing.T) {
	for _, hours := range []float64{0.05, 0.4, 1, 2.5, 8, 24} {
		for _, speed := range []float64{0.05, 0.5, 2, 10} {
			p := Plan{Hours: hours, Generations: 2, Nodes: 2000, Elo0: 0, Elo1: 10, Final: 1000, Deep: 200, Clocked: 200,
				FinalClock: "4+0.04"}
			p.Split(speed, 2)
			must := p.Seconds(2*(p.Games+p.Gate) + 2*p.Final)
			all := must + p.DeepSeconds() + float64(p.Clocked)*p.ClockSeconds()
			if limit := hours * 3600; all > limit && must*speed > 16 || p.Final > 1000 || p.Deep > 200 || p.Clocked > 200 {
				t.Errorf("%g hours at %g games a second: %.0f s of %.0f: %+v", hours, speed, all, limit, p)
			}
			if (len(p.LeftOut) > 0) != (p.Deep == 0 || p.Clocked == 0) {
				t.Errorf("left out: %q of %+v", p.LeftOut, p)
			}
			if p.Deep > 0 && p.Deep < fewest || p.Clocked > 0 && p.Clocked < fewest {
				t.Errorf("too few games to say anything: %+v", p)
			}
		}
	}
}

// TestChosenGate: the fewer games a gate has, the more its test looks for, unless the author says what.
func TestChosenGate(t *testing.T) {
	for _, c := range []struct {
		games        int
		given, found float64
	}{{8, 0, 10}, {600, 0, 30}, {1700, 0, 20}, {2800, 0, 15}, {20000, 0, 10}, {600, 5, 5}} {
		p := Plan{Nodes: 1, Elo1: c.given, Final: 4000, Generations: 1}
		if p.GivenGames(c.games); p.Elo1 != c.found {
			t.Errorf("%d games, %g given: [0, %g], want %g", c.games, c.given, p.Elo1, c.found)
		}
	}
}

// TestProvable: a plan says at the start what it can decide.
func TestProvable(t *testing.T) {
	for _, c := range []struct {
		gate, final int
		least       int
		says        string
	}{
		{4000, 4000, 20, "a gain of 20 Elo passes after "},
		{4000, 1000, 20, "a gain of 20 Elo passes after "},
		{766, 1000, 0, "a gain of 20 Elo needs "},
		{8, 8, 0, "can prove   nothing: "},
	} {
		p := Plan{Nodes: 1, Elo0: 0, Elo1: 10, Gate: c.gate, Final: c.final}
		least, text := p.Provable(), p.Text()
		if c.least > 0 && least != c.least || c.least == 0 && least <= 20 || !strings.Contains(text, c.says) {
			t.Errorf("%d games of the gate, %d at the end: %d Elo\n%s", c.gate, c.final, least, text)
		}
	}
}

// TestAdopt: a run that goes on with more hours keeps the games and the gate that it began with.
func TestAdopt(t *testing.T) {
	recorded := &RunConfig{Base: "a", Plan: Plan{Hours: 0.1, Speed: 2, AtOnce: 1, Games: 100, Gate: 80, Final: 40,
		Elo1: 30, Generations: 1, FinalClock: "4+0.04"}}
	now := &RunConfig{Base: "b", Plan: Plan{Hours: 9, Games: 1, Final: 1000, Clocked: 200, Generations: 1,
		FinalClock: "4+0.04"}}
	l := loop{workshop: workshop{Config: Config{Stderr: io.Discard}, source: new(gitbuild.Source)}}
	l.adopt(now, recorded)
	if p := l.plan; p.Games != 100 || p.Gate != 80 || p.Final != 40 || p.Elo1 != 30 || p.Hours != 9 || p.Clocked == 0 {
		t.Errorf("the run plays %+v", p)
	}
	if now.Base != "a" || now.Plan.Hours != 0.1 || now.Plan.Clocked != 0 {
		t.Errorf("its configuration is %+v", now)
	}
}
