package enginerun

import "testing"

// TestShare checks how the games of a generation are shared: a whole fit plays where a screen is large enough, and
// its games come out of those of the screen.
func TestShare(t *testing.T) {
	for _, c := range []struct{ games, screen, whole int }{
		{1000, 0, 0}, // a screen is worth less than self-play
		{5900, 1960, 0},
		{6000, 1696, 304},
		{20000, 3696, 304},
	} {
		var p Plan
		p.GivenGames(c.games)
		if p.Screen != c.screen || p.Whole != c.whole || p.Games != c.games {
			t.Errorf("%d games: %d of the screen and %d of the whole fit, want %d and %d", p.Games, p.Screen, p.Whole,
				c.screen, c.whole)
		}
	}
}
