package selfplay

// OpeningCheck says how random openings are checked, in the words of a configuration.
// The zero value is the default.
type OpeningCheck struct {
	Checker Entrant // whose search checks; zero: the one proposed by who asks
	Nodes   uint64  // of that search; 0: CheckLimits of a move's limits
	Score   int     // centipawns above which an opening is not played; 0: DefaultMaxOpeningScore, below 0: no check
}

// Settle returns the check with its defaults filled in: by the player, for games whose
// moves have the limits. Where there is a book, or no check is wanted, it is the zero
// OpeningCheck, which then says so: whoever chose the book answers for it.
func (o OpeningCheck) Settle(book bool, by Entrant, move Limits) OpeningCheck {
	if book || o.Score < 0 {
		return OpeningCheck{}
	}
	if o.Score == 0 {
		o.Score = DefaultMaxOpeningScore
	}
	if o.Checker.Spec == "" {
		o.Checker = by
	}
	if o.Nodes == 0 {
		o.Nodes = CheckLimits(move).Nodes
	}
	return o
}

// Check returns what a series does about a check that was settled.
func (o OpeningCheck) Check(seed uint64) Check {
	return Check{Player: o.Checker.Spec, Options: o.Checker.Options, Limits: Limits{Nodes: o.Nodes}, MaxScore: o.Score, Seed: seed}
}
