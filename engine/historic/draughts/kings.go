package draughts

import "context"

// LearnedKing is the result of LearnKing. Values of a king are in men.
type LearnedKing struct {
	Seed    uint64     `json:"seed"`
	Rounds  []Round    `json:"rounds"`
	Learned float64    `json:"learned"` // rounded to an eighth, as it is played
	Against float64    `json:"against"` // the value that the learning started with
	Match   Comparison `json:"match"`   // of the learned value against that one
}

// LearnKing learns the value of a king (see Learn) and then plays the learned value
// against the value it started with, in pairs of games.
func LearnKing(ctx context.Context, l Learning, pairs int, progress func(done, total int64)) (LearnedKing, error) {
	r := LearnedKing{Seed: l.Seed, Against: float64(l.Strategy.King) / Man}
	var err error
	if r.Rounds, err = Learn(ctx, l); err != nil {
		return r, err
	}
	learned := l.Strategy
	learned.King = r.Rounds[len(r.Rounds)-1].Eighths()
	r.Learned = float64(learned.King) / Man
	r.Match, err = Compare(ctx, learned, l.Strategy, pairs, l.Seed+1, progress)
	return r, err
}
