package settings

import (
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
)

// Limited reports whether a limit of the searches was given.
func (s *Set) Limited() bool { return s.Given("nodes", "depth", "movetime", "tc") }

// Complete checks the settings of a command that plays games, and completes them. LimitsB are those
// of the second player, which a match may give another time. Errors are those of the command.
func (s *Set) Complete() (limitsB selfplay.Limits, err error) {
	if err := s.time(); err != nil {
		return limitsB, err
	}
	times, err := s.times()
	if err != nil {
		return limitsB, err
	}
	s.Limits.MoveTime, s.Limits.Clock = times[0].MoveTime, times[0].Clock
	if !s.Given("nodes") && s.Limits.Depth == 0 && s.Limits.Deterministic() {
		s.Limits.Nodes = DefaultNodes
	}
	if err := s.Limits.Validate(); err != nil {
		return limitsB, ui.Usagef("no limit of a search: give --nodes or --depth")
	}
	for _, check := range []func() error{s.notZero, s.notNegative, s.openings, s.tolerance} {
		if err := check(); err != nil {
			return limitsB, err
		}
	}
	s.clearUnused()
	limitsB = s.Limits
	limitsB.MoveTime, limitsB.Clock = times[1].MoveTime, times[1].Clock
	return limitsB, nil
}

// time checks the settings of time.
func (s *Set) time() error {
	switch {
	case s.MoveTime != "" && s.Clock != "":
		return ui.Usagef("--movetime and --tc both limit the time: give one of them")
	case s.Command != Match && strings.Contains(s.MoveTime+s.Clock, ","):
		return ui.Usagef("--tc and --movetime are the same for all players here: give one value")
	case s.MoveTimeout <= 0 || s.StartTimeout <= 0:
		return ui.Usagef("--move-timeout and --start-timeout must be above zero")
	case s.TimeMargin < time.Millisecond || s.TimeMargin > time.Second:
		return ui.Usagef("--time-margin %v: want a time from 1ms to 1s", s.TimeMargin)
	}
	return nil
}

// times returns A's and B's limits of time.
func (s *Set) times() (lim [2]selfplay.Limits, err error) {
	movetime, tc := "--movetime", "--tc"
	if s.Command == Config {
		movetime, tc = "movetime", "tc"
	}
	for side := range lim {
		if text := s.side(side, s.MoveTime); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil || d < time.Millisecond {
				return lim, ui.Usagef("%s %s: want a time of at least 1ms, such as 100ms", movetime, text)
			}
			lim[side].MoveTime = d
		}
		if text := s.side(side, s.Clock); text != "" {
			c, err := selfplay.ParseClock(text)
			if err != nil {
				return lim, ui.Usagef("%s: %w", tc, err)
			}
			if s.Command != Config && s.TimeMargin != selfplay.ClockMargin {
				c.Margin = s.TimeMargin
			}
			lim[side].Clock = c
		}
	}
	return lim, nil
}

// side returns the part of a text "A,B" for a player. Only a match has two.
func (s *Set) side(side int, text string) string {
	a, b, two := strings.Cut(text, ",")
	switch {
	case s.Command != Match || !two:
		return text
	case side == 0:
		return a
	}
	return b
}

// notZero refuses a zero where it would mean the default.
func (s *Set) notZero() error {
	for _, name := range []string{"games", "rounds", "depth", "max-plies"} {
		if s.Command != Config && s.Given(name) && s.flags.Lookup(name).Value.String() == "0" {
			return ui.Usagef("--%s 0: want 1 or more", name)
		}
	}
	return nil
}

// notNegative refuses negative numbers. Zero is the default, or never.
func (s *Set) notNegative() error {
	for name, value := range map[string]int{"depth": s.Limits.Depth, "book-start": s.Opening.Skip,
		"book-plies": s.Opening.BookPlies, "max-plies": s.MaxPlies, "concurrency": s.Concurrency, "win-score": s.Rule.WinScore, "win-plies": s.Rule.WinPlies,
		"draw-score": s.Rule.DrawScore, "draw-plies": s.Rule.DrawPlies, "draw-from": s.Rule.DrawFrom} {
		if value < 0 && s.Given(name) {
			return ui.Usagef("--%s %d: want 0 or more", name, value)
		}
	}
	if !(s.Rule.PlayOn >= 0 && s.Rule.PlayOn <= 1) { // NaN too
		return ui.Usagef("--play-on %v: want a share between 0 and 1", s.Rule.PlayOn)
	}
	return nil
}

// openings checks the settings of openings. With a book there are no random plies.
func (s *Set) openings() error {
	switch {
	case s.Opening.Book == "" && s.Given("book-order", "book-start", "book-plies"):
		return ui.Usagef("--book-order, --book-start and --book-plies need a --book")
	case s.Opening.Book != "" && s.Given("random-plies", "opening-nodes", "opening-score"):
		return ui.Usagef("--random-plies, --opening-nodes and --opening-score are for openings without a --book")
	case s.Opening.Book != "":
		s.Opening.Plies = 0
	case s.Opening.Plies < 1 || s.Opening.Plies >= opening.MaxRandomPlies:
		return ui.Usagef("--random-plies %d: want 1 to %d", s.Opening.Plies, opening.MaxRandomPlies-1)
	}
	if s.Check.MaxScore == 0 {
		return ui.Usagef("--opening-score 0 would refuse nearly every opening; -1 turns the check off")
	}
	return nil
}

// tolerance checks the share of forfeits. A Setup says "none" by a number below 0.
func (s *Set) tolerance() error {
	share := &s.Tolerance.MaxForfeits
	if !(*share >= 0 && *share <= 1) { // NaN too
		return ui.Usagef("--max-forfeits %v: want a share from 0 to 1, such as 0.02", *share)
	}
	if *share == 0 {
		*share = -1
	}
	return nil
}

// clearUnused clears what has no effect, so that equal runs have equal configurations.
func (s *Set) clearUnused() {
	if s.Rule.WinPlies <= 0 {
		s.Rule.WinPlies, s.Rule.WinScore, s.Rule.OneSided = 0, 0, false
	}
	if s.Limits.Nodes == 0 {
		s.Limits.HardNodes = false
	}
	if s.Rule.DrawPlies <= 0 {
		s.Rule.DrawPlies, s.Rule.DrawScore, s.Rule.DrawFrom = 0, 0, 0
	}
	if s.Rule.WinPlies == 0 && s.Rule.DrawPlies == 0 {
		s.Rule.PlayOn = 0
	}
}

// Tuned checks what assay spsa has by flags: how many forfeits it tolerates.
func (s *Set) Tuned() error {
	if s.Concurrency < 0 {
		return ui.Usagef("--concurrency %d: want 0 or more", s.Concurrency)
	}
	return s.tolerance()
}

// ApplyPreset gives the settings of --preset that have no flag their values. Commands without
// the settings of a test, such as spsa, have no preset.
func (s *Set) ApplyPreset() error {
	if s.Preset == "" {
		return nil
	}
	for _, p := range Presets {
		if p.Name != s.Preset {
			continue
		}
		if !s.Limited() {
			if err := s.Put("tc", p.Clock); err != nil {
				return err
			}
		}
		if !s.Given("sprt") {
			return s.Put("sprt", p.SPRT)
		}
		return nil
	}
	return UnknownPreset("--preset", s.Preset)
}

// UnknownPreset returns an error that lists the presets.
func UnknownPreset(flag, name string) error {
	var names []string
	for _, p := range Presets {
		names = append(names, p.Name)
	}
	last := len(names) - 1
	return ui.Usagef("%s %s: there are %s and %s", flag, name, strings.Join(names[:last], ", "), names[last])
}
