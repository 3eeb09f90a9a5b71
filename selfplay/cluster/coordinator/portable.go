package coordinator

import (
	"context"
	"fmt"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// foreignPlayer makes a foreign engine portable: workers run their own copy of the program, or
// fetch it if it is signed, and only if their owners allow it. They learn its name but not its
// folder here.
func (p *portablePlayers) foreignPlayer(spec string) (portablePlayer, error) {
	path, with, err := roster.Command(spec)
	if err != nil {
		return portablePlayer{}, err
	}
	program, err := wire.ProgramOf(path)
	if err != nil {
		return portablePlayer{}, err
	}
	named, err := with(program.Name)
	if err != nil {
		return portablePlayer{}, fmt.Errorf("cluster: workers could not play it: %w", err)
	}
	if p.bare {
		if named, err = roster.WithSandbox(named, 0); err != nil {
			return portablePlayer{}, err
		}
	}
	if p.sign == nil {
		return portablePlayer{spec: named, program: program}, nil
	}
	signature, err := p.sign(path)
	if err != nil {
		return portablePlayer{}, fmt.Errorf("player %q cannot be sent to workers: %w", spec, err)
	}
	if signature.Program != program {
		return portablePlayer{}, fmt.Errorf("player %q cannot be sent to workers: %w: the signature is for %s with "+
			"SHA-256 %s, and the file has %s: sign it again",
			spec, wire.ErrSignature, signature.Name, signature.SHA256, program.SHA256)
	}
	return portablePlayer{spec: named, program: program}, p.store.putEngine(path, signature)
}

// portablePlayer is a player as workers see it.
type portablePlayer struct {
	spec        string // names weights by content
	fingerprint string // empty: not asked for
	program     wire.Program
}

// portablePlayers makes local specifications portable, each of them once.
type portablePlayers struct {
	open  selfplay.Opener
	store *weightsStore
	sign  func(path string) (*wire.Signature, error) // nil: engines are not sent
	bare  bool                                       // without the sandboxes that players have here
	known map[string]portablePlayer
}

func (p *portablePlayers) portable(ctx context.Context, spec string) (portablePlayer, error) {
	if found, ok := p.known[spec]; ok || spec == "" {
		return found, nil
	}
	var found portablePlayer
	var err error
	if roster.Foreign(spec) {
		found, err = p.foreignPlayer(spec)
	} else {
		found, err = p.withWeights(ctx, spec)
	}
	if err == nil {
		p.known[spec] = found
	}
	return found, err
}

// withWeights makes a player of the roster portable: its weights, embedded ones too, are named
// by content and kept for workers, and its fingerprint is taken.
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
	content := wire.WeightsPrefix + durable.SumBytes(data).SHA256
	if err := p.store.put(content, data); err != nil {
		return portablePlayer{}, fmt.Errorf("player %q: %w", spec, err)
	}
	proof, err := wire.Fingerprint(ctx, p.open, spec)
	return portablePlayer{spec: renamed(content), fingerprint: proof}, err
}
