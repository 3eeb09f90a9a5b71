package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay"
)

// idLength is that of a digest, in letters.
const IDLength = 32

// digest returns the beginning of the SHA-256 of v as JSON, in hex: 128 bits.
func Digest(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// Checksum returns what two results of one job have in common if they are the same game:
// a digest of all but the time it took and the names of the players, which differ from
// machine to machine.
func Checksum(r *selfplay.Result) (string, error) {
	same := *r
	same.Players, same.Time = [2]string{}, [2]time.Duration{}
	return Digest(&same)
}

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
