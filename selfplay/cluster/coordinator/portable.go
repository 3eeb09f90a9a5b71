package coordinator

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// foreignPlayer makes a foreign engine portable: workers run their own copy of the program, if
// their owners allow it. They learn its name but not its folder here.
func (p *portablePlayers) foreignPlayer(spec engine.Spec) (portablePlayer, error) {
	path := roster.Program(spec)
	program, err := wire.ProgramOf(path)
	if err != nil {
		return portablePlayer{}, err
	}
	if err := roster.CheckPortable(spec); err != nil {
		return portablePlayer{}, fmt.Errorf("cluster: workers could not play it: %w", err)
	}
	return portablePlayer{spec: spec.WithProgram(program.Name), program: program}, nil
}

// portablePlayer is a player as workers see it.
type portablePlayer struct {
	spec        engine.Spec // names weights by content
	fingerprint string      // empty: not asked for
	program     wire.Program
}

// portablePlayers makes local specifications portable, each of them once.
type portablePlayers struct {
	play  selfplay.PlayFunc
	store *weightsStore
	known map[string]portablePlayer
}

func (p *portablePlayers) portable(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	text := spec.String()
	if found, ok := p.known[text]; ok || text == "" {
		return found, nil
	}
	var found portablePlayer
	var err error
	if spec.Foreign() {
		found, err = p.foreignPlayer(spec)
	} else {
		found, err = p.withWeights(ctx, spec)
	}
	if err == nil {
		p.known[text] = found
	}
	return found, err
}

// withWeights makes a player of the roster portable: its weights, embedded ones too, are named
// by content and kept for workers, and its fingerprint is taken.
func (p *portablePlayers) withWeights(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	name := roster.WeightsName(spec)
	if name == "" {
		return portablePlayer{spec: spec}, nil
	}
	file, err := models.Open(name)
	if err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	data, err := file.Encode()
	if err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	content := wire.WeightsPrefix + durable.SumBytes(data).SHA256
	if err := p.store.put(content, data); err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	proof, err := wire.Fingerprint(ctx, p.play, spec)
	spec.Weights = content
	return portablePlayer{spec: spec, fingerprint: proof}, err
}
