package selfplay

import (
	"strings"
	"testing"
	"time"
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
		{"three in a hundred", 100, [2]int{1, 2}, [2]time.Duration{1, 1}, []string{"3 of 100 games (1 times in a's time, 2 in b's)"}},
		{"nine of one player", 1000, [2]int{9, 0}, [2]time.Duration{1, 1}, nil},
		{"ten of one player", 1000, [2]int{0, 10}, [2]time.Duration{1, 1}, []string{"b may cause it"}},
		{"one player has the time", 1000, [2]int{10, 0}, [2]time.Duration{9, 1}, nil},
	} {
		var c StallCount
		for i := range tt.games {
			white := i % 2
			r := Result{Time: tt.took}
			if white == 1 {
				r.Time[0], r.Time[1] = r.Time[1], r.Time[0]
			}
			switch {
			case i < tt.stalls[0]:
				r.Stalls[white] = 1
			case i < tt.stalls[0]+tt.stalls[1]:
				r.Stalls[1-white] = 1
			}
			c.Add(&r, white)
		}
		got := c.Warnings([2]string{"a", "b"})
		if len(got) != len(tt.says) || len(got) > 0 && !strings.Contains(got[0], tt.says[0]) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.says)
		}
	}
}
