package selfplay

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// openCounting opens toys and counts those that are open.
func openCounting(open *atomic.Int32) Opener {
	return func(spec engine.Spec) (engine.Player, error) {
		if spec.Name == "nobody" {
			return nil, errors.New("no such player")
		}
		p, err := toy.Open(spec)
		if err == nil {
			open.Add(1)
		}
		return closing{p, open}, err
	}
}

type closing struct {
	engine.Player
	open *atomic.Int32
}

func (c closing) Close() error {
	c.open.Add(-1)
	return c.Player.Close()
}

func TestPreflight(t *testing.T) {
	for _, tt := range []struct {
		spec    string
		options []engine.Option
		says    string
	}{
		{"a", nil, ""},
		{"a:error=1", nil, ""}, // not in the first move
		{"a:error=0", nil, "the player does not work: player-failed: toy: told to fail"},
		{"a:illegal=0", nil, "illegal-move: a1h8 is not legal"},
		{"a", []engine.Option{{Name: "Hash", Value: "1"}}, "option Hash=1"},
		{"nobody", nil, "no such player"},
	} {
		var open atomic.Int32
		s := Place{Open: openCounting(&open)}
		err := s.Preflight(t.Context(), fiveNodes, Player{Spec: toy.Spec("good")},
			Player{Spec: toy.Spec(tt.spec), ID: "the name", Options: tt.options})
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.spec, err)
		case tt.says != "" && (!errors.Is(err, ErrPreflight) || !strings.Contains(err.Error(), tt.says) ||
			!strings.HasPrefix(err.Error(), "the name: ")):
			t.Errorf("%s: error %v, want %q", tt.spec, err, tt.says)
		}
		if n := open.Load(); n != 0 {
			t.Errorf("%s: %d players left open", tt.spec, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&Place{Open: toy.Open}).Preflight(ctx, fiveNodes, Player{Spec: toy.Spec("a")}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if err := (&Place{}).Preflight(ctx, fiveNodes, Player{Spec: toy.Spec("nobody")}); err != nil {
		t.Errorf("without an opener: %v", err)
	}
}

// The limits of a preflight are of the kind of the games', and short.
func TestPreflightLimits(t *testing.T) {
	for _, tt := range []struct{ games, preflight Limits }{
		{Limits{Nodes: 50}, Limits{Nodes: 50}},
		{Limits{Nodes: 1e6, HardNodes: true}, Limits{Nodes: preflightNodes, HardNodes: true}},
		{Limits{Depth: 30}, Limits{Depth: 1}},
		{Limits{MoveTime: time.Hour}, Limits{MoveTime: preflightTime}},
		{Limits{MoveTime: time.Millisecond}, Limits{MoveTime: time.Millisecond}},
		{Limits{Clock: Clock{Base: time.Hour, Moves: 40}},
			Limits{Clock: Clock{Base: preflightClock, Moves: 40, Margin: maxClock}}},
		{Limits{Clock: Clock{Base: time.Millisecond, Increment: time.Minute, Margin: 1}},
			Limits{Clock: Clock{Base: time.Millisecond, Increment: preflightTime, Margin: maxClock}}},
	} {
		if got := tt.games.preflight(); got != tt.preflight {
			t.Errorf("%+v: %+v, want %+v", tt.games, got, tt.preflight)
		}
	}
}

func fiveNodes(int) Limits { return Limits{Nodes: 5} }
