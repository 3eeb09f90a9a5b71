package wire

import (
	"cmp"
	"context"
	"errors"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
)

// fingerprintPlies and fingerprintNodes make a game of about 10 ms.
const fingerprintPlies, fingerprintNodes = 12, 1000

// Fingerprint plays a short game of a player with itself and returns the game's checksum. Builds that search or evaluate
// differently have different ones. The bench signature says what a build should do, the fingerprint what it does.
func Fingerprint(ctx context.Context, play selfplay.PlayFunc, spec engine.Spec) (sum string, err error) {
	limits := selfplay.Limits{Nodes: fingerprintNodes, HardNodes: true}
	job := selfplay.Job{Players: [2]engine.Spec{spec, spec}, Limits: [2]selfplay.Limits{limits, limits},
		Plies: fingerprintPlies, Seed: 1}
	r, err := play(ctx, &job)
	if err != nil {
		return "", err
	}
	if fault := cmp.Or(r.Fault, r.Void); fault != "" {
		return "", errors.New(fault)
	}
	return Checksum(&r)
}
