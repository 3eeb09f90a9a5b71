package coordinator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/roster"
)

// portablePlayer is a player as workers see it.
type portablePlayer struct {
	spec        engine.Spec // names weights by content, and a program without its folder
	fingerprint string      // empty: not asked for
	program     wire.Program
}

// portablePlayers makes local specifications portable, each of them once.
type portablePlayers struct {
	play  selfplay.PlayFunc
	queue *queue
	known map[string]portablePlayer
}

func (p *portablePlayers) portable(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	text := spec.String()
	if found, ok := p.known[text]; ok || text == "" {
		return found, nil
	}
	find := p.withWeights
	if spec.Foreign() {
		find = p.foreign
	}
	found, err := find(ctx, spec)
	if err != nil {
		return found, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	p.known[text] = found
	return found, nil
}

// foreign makes a foreign engine portable: workers run their own copy of the program, or fetch it, and only if their
// owners allow it.
func (p *portablePlayers) foreign(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	path := roster.Program(spec)
	program, err := wire.ProgramOf(path)
	if err != nil {
		return portablePlayer{}, err
	}
	if err := roster.CheckPortable(spec); err != nil {
		return portablePlayer{}, fmt.Errorf("workers could not play it: %w", err)
	}
	err = p.queue.offer(ctx, program.SHA256, func() (io.ReadCloser, error) { return os.Open(path) })
	return portablePlayer{spec: spec.WithProgram(program.Name), program: program}, err
}

// withWeights makes a player of the roster portable: its weights, embedded ones too, are named by content and kept for
// workers, and its fingerprint is taken.
func (p *portablePlayers) withWeights(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	name := roster.WeightsName(spec)
	if name == "" {
		return portablePlayer{spec: spec}, nil
	}
	file, err := models.Open(name)
	if err != nil {
		return portablePlayer{}, err
	}
	data, err := file.Encode()
	if err != nil {
		return portablePlayer{}, err
	}
	sum := durable.SumBytes(data).SHA256
	err = p.queue.offer(ctx, sum, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
	if err != nil {
		return portablePlayer{}, err
	}
	proof, err := wire.Fingerprint(ctx, p.play, spec)
	spec.Weights = wire.WeightsPrefix + sum
	return portablePlayer{spec: spec, fingerprint: proof}, err
}
