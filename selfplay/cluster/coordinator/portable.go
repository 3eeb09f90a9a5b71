package coordinator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
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

// portablePlayers makes local specifications portable, each of them once, and keeps the files that workers need.
type portablePlayers struct {
	play  selfplay.PlayFunc
	dir   string // of the files, whose names are their SHA-256
	known map[string]portablePlayer
}

func (p *portablePlayers) portable(ctx context.Context, spec engine.Spec) (portablePlayer, error) {
	text := spec.String()
	if found, ok := p.known[text]; ok || text == "" {
		return found, nil
	}
	found, err := portablePlayer{spec: spec}, error(nil)
	if spec.External() {
		err = p.foreign(&found)
	} else if name := roster.WeightsName(spec); name != "" {
		err = p.withWeights(ctx, name, &found)
	}
	if err != nil {
		return found, fmt.Errorf("player %q: %w", spec.Shown(), err)
	}
	p.known[text] = found
	return found, nil
}

// foreign makes an external engine portable: workers run their own copy of the program, or fetch it, and only if their
// owners allow it.
func (p *portablePlayers) foreign(found *portablePlayer) error {
	if err := roster.CheckPortable(found.spec); err != nil {
		return fmt.Errorf("workers could not play it: %w", err)
	}
	path := roster.Program(found.spec)
	data, err := durable.ReadFile(path, wire.MaxFile)
	if err != nil {
		return err
	}
	found.program = wire.Program{Name: filepath.Base(path)}
	found.spec = found.spec.WithProgram(found.program.Name)
	found.program.SHA256, err = p.keep(data)
	return err
}

// withWeights makes a player with weights portable, embedded ones, too: they are named by content, and its fingerprint
// is taken.
func (p *portablePlayers) withWeights(ctx context.Context, name string, found *portablePlayer) error {
	file, err := models.Open(name)
	if err != nil {
		return err
	}
	data, err := file.Encode()
	if err != nil {
		return err
	}
	sum, err := p.keep(data)
	if err != nil {
		return err
	}
	found.fingerprint, err = wire.Fingerprint(ctx, p.play, found.spec)
	found.spec.Weights = wire.WeightsPrefix + sum
	return err
}

// keep keeps a file for workers: the original may change while the run lasts.
func (p *portablePlayers) keep(data []byte) (sum string, err error) {
	if err := durable.MakeDir(p.dir); err != nil {
		return "", err
	}
	sum = durable.SumBytes(data).SHA256
	return sum, durable.WriteFile(filepath.Join(p.dir, sum), data)
}

// part returns a part of a file; nil if there is none.
func (p *portablePlayers) part(part *wire.Part) []byte {
	if !wire.IsSHA256(part.SHA256) {
		return nil
	}
	f, err := os.Open(filepath.Join(p.dir, part.SHA256))
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, wire.PartSize)
	n, _ := f.ReadAt(data, part.Offset) // the worker notices a gap
	return data[:n]
}
