package app

import (
	"slices"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// Hours may extend past midnight, and end with the day.
func TestHours(t *testing.T) {
	for text, want := range map[string]string{
		"8-20":  "........++++++++++++....",
		"22-7":  "+++++++...............++",
		"0-24":  "++++++++++++++++++++++++",
		"23-0":  ".......................+",
		"20-24": "....................++++",
	} {
		h := setup.Must(parseHours(text))
		got := ""
		for hour := range 24 {
			got += map[bool]string{true: "+", false: "."}[h.contains(hour)]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"22", "22-", "-7", "7-7", "24-7", "7-25", "22-7x", "22 - 7", "a-b", "22-7-8"} {
		if h, err := parseHours(text); err == nil {
			t.Errorf("%s is accepted as %v", text, h)
		}
	}
}

// A worker rests outside its hours, before them and after, and logs it once each time.
func TestRest(t *testing.T) {
	now := time.Date(2026, 1, 1, 19, 59, 59, 0, time.UTC)
	var log []string
	resting := hours{20, 22}.rest(func() time.Time { return now }, func(line string) { log = append(log, line) })
	for _, step := range []struct {
		wait time.Duration
		want bool
	}{{0, true}, {0, true}, {time.Second, false}, {2*time.Hour - time.Second, false}, {time.Second, true},
		{time.Hour, true}, {21 * time.Hour, false}} {
		now = now.Add(step.wait)
		if got := resting(); got != step.want {
			t.Errorf("%v: resting %v, want %v", now, got, step.want)
		}
	}
	const line = "outside --hours 20-22: resting until 20:00"
	if !slices.Equal(log, []string{line, line}) {
		t.Errorf("the log is %q", log)
	}
}
