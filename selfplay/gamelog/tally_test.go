package gamelog

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

func TestStallWarnings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		games  int
		stalls [2]int // one a game, from the first on: in the time of player 0, then of player 1
		took   [2]time.Duration
		says   []string
	}{
		{"none", 100, [2]int{}, [2]time.Duration{1, 1}, nil},
		{"two in a hundred", 100, [2]int{1, 1}, [2]time.Duration{1, 1}, nil},
		{"three in a hundred", 100, [2]int{1, 2}, [2]time.Duration{1, 1},
			[]string{"too busy for clocks: it stood still in 3 of 100 games"}},
		{"nine of one player", 1000, [2]int{9, 0}, [2]time.Duration{1, 1}, nil},
		{"ten of one player", 1000, [2]int{0, 10}, [2]time.Duration{1, 1}, []string{"b may cause it"}},
		{"one player has the time", 1000, [2]int{10, 0}, [2]time.Duration{9, 1}, nil},
	} {
		var c Tally
		for i := range tt.games {
			white := i % 2
			r := selfplay.Result{Time: tt.took}
			if white == 1 {
				r.Time[0], r.Time[1] = r.Time[1], r.Time[0]
			}
			switch {
			case i < tt.stalls[0]:
				r.Stalls[white] = 1
			case i < tt.stalls[0]+tt.stalls[1]:
				r.Stalls[1-white] = 1
			}
			c.Add(&r, [2]int{white, 1 - white})
		}
		got := c.StallWarnings([]string{"a", "b"})
		if len(got) != len(tt.says) || len(got) > 0 && !strings.Contains(got[0], tt.says[0]) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.says)
		}
	}
}

// Of many players, those with too many stalls are named; a player against itself never is.
func TestStallsOfManyPlayers(t *testing.T) {
	var c, alone Tally
	for i := range 3000 {
		r := selfplay.Result{Time: [2]time.Duration{1, 1}}
		white := i % 3
		if i < 30 && white == 1 {
			r.Stalls[0] = 3
		}
		c.Add(&r, [2]int{white, (white + 1) % 3})
		alone.Add(&r, [2]int{})
	}
	if got := c.StallWarnings([]string{"a", "b", "c"}); len(got) != 1 || !strings.HasPrefix(got[0],
		"the machine stood still 30 times in b's time, of 30, 7.7 standard errors") {
		t.Errorf("%q", got)
	}
	if got := alone.StallWarnings([]string{"a"}); len(got) != 0 {
		t.Errorf("a player alone: %q", got)
	}
	if got := new(Tally).StallWarnings(nil); len(got) != 0 {
		t.Errorf("no games: %q", got)
	}
}
