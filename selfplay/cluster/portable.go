package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
)

// byContent begins the name of weights that are known by the SHA-256 of their file.
const WeightsPrefix = "sha256-"

// player is a player as workers are told of it.
type portablePlayer struct {
	spec        string // with weights by content
	fingerprint string // of its audition; empty: none is asked for
	program     Program
}

// players makes local specifications portable. Each is looked at once.
type portablePlayers struct {
	open  selfplay.Opener
	put   func(ctx context.Context, name string, data []byte) error // into the object store
	known map[string]portablePlayer
}

func (p *portablePlayers) portable(ctx context.Context, spec string) (portablePlayer, error) {
	if found, ok := p.known[spec]; ok || spec == "" {
		return found, nil
	}
	var found portablePlayer
	var err error
	if roster.Foreign(spec) {
		found, err = foreignPlayer(spec)
	} else {
		found, err = p.withWeights(ctx, spec)
	}
	if err == nil {
		p.known[spec] = found
	}
	return found, err
}

// weighed is portable for a player of the roster: its weights, embedded ones too, go by
// content, and it proves itself in an audition.
func (p *portablePlayers) withWeights(ctx context.Context, spec string) (portablePlayer, error) {
	name, renamed, err := roster.WeightsOf(spec)
	if err != nil || renamed == nil {
		return portablePlayer{spec: spec}, err
	}
	file, err := models.Open(name)
	if err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec, err)
	}
	data, err := file.Encode()
	if err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec, err)
	}
	content := WeightsPrefix + durable.SumBytes(data).SHA256
	if err := p.put(ctx, content, data); err != nil {
		return portablePlayer{}, fmt.Errorf("cluster: weights of %q: %w", spec, err)
	}
	proof, err := Fingerprint(ctx, p.open, spec)
	return portablePlayer{spec: renamed(content), fingerprint: proof}, err
}

// library is a worker's folder of weights.
type weightsFolder struct {
	dir string
	get func(ctx context.Context, name string) ([]byte, error) // from the object store
}

// local returns the specification with the worker's own copy of the weights, which is
// fetched where there is none.
func (l *weightsFolder) local(ctx context.Context, spec string) (string, error) {
	if roster.Foreign(spec) {
		return spec, nil
	}
	name, renamed, err := roster.WeightsOf(spec)
	if err != nil || renamed == nil {
		return spec, err
	}
	want, ok := strings.CutPrefix(name, WeightsPrefix)
	if !ok || len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return "", fmt.Errorf("cluster: player %q: its weights are not named by their content", spec)
	}
	path := filepath.Join(l.dir, name+".json")
	if sum, err := durable.SumFile(path); err == nil && sum.SHA256 == want {
		return renamed(path), nil
	}
	data, err := l.get(ctx, name)
	if err != nil {
		return "", fmt.Errorf("cluster: weights %s: %w", name, err)
	}
	if durable.SumBytes(data).SHA256 != want {
		return "", fmt.Errorf("cluster: weights %s: %w: they have another content", name, durable.ErrDamaged)
	}
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return "", err
	}
	return renamed(path), durable.WriteFile(path, data)
}
