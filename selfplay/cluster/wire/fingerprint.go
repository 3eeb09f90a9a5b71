package wire

import (
	"context"
	"errors"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
)

// auditionPlies and auditionNodes make a game of a hundredth of a second.
const (
	fingerprintPlies = 12
	fingerprintNodes = 1000
)

// Audition plays a short game of a player with itself and returns its checksum: two
// builds that search or evaluate differently play different games. The bench signature
// in a program's version says what a build should do, this says what it does.
func Fingerprint(ctx context.Context, open selfplay.Opener, spec string) (proof string, err error) {
	var players [2]engine.Player
	for side := range players {
		p, err := open(spec)
		if err != nil {
			return "", err
		}
		defer func() { _ = p.Close() }() // it has played well or not by then
		players[side] = p
	}
	limits := selfplay.Limits{Nodes: fingerprintNodes, HardNodes: true}
	job := selfplay.Job{Players: [2]string{spec, spec}, Limits: [2]selfplay.Limits{limits, limits}, Plies: fingerprintPlies, Seed: 1}
	r, err := selfplay.Play(ctx, &job, players)
	if err != nil {
		return "", err
	}
	if r.Fault != "" {
		return "", errors.New(r.Fault)
	}
	return Checksum(&r)
}
