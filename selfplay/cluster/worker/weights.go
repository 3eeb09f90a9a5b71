package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// weightsFolder is a worker's folder of weight files.
type weightsFolder struct {
	dir string
	get func(ctx context.Context, name string) ([]byte, error) // from the coordinator
}

// errNoWeights is wrapped by errors of fetching weights. They are not the worker's fault.
var errNoWeights = errors.New("cluster: cannot fetch weights")

// local returns the specification with the path of the worker's own copy of the weights,
// which it fetches if there is none.
func (f *weightsFolder) local(ctx context.Context, spec engine.Spec) (engine.Spec, error) {
	name := roster.WeightsName(spec)
	if name == "" {
		return spec, nil
	}
	want, ok := strings.CutPrefix(name, wire.WeightsPrefix)
	if !ok || len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return spec, fmt.Errorf("cluster: player %q: want weights named %s and the SHA-256 of their file", spec,
			wire.WeightsPrefix)
	}
	path := filepath.Join(f.dir, name+".json")
	spec.Weights = path
	if sum, err := durable.SumFile(path); err == nil && sum.SHA256 == want {
		return spec, nil
	}
	data, err := f.get(ctx, name)
	if err != nil {
		return spec, fmt.Errorf("%w %s: %w", errNoWeights, name, err)
	}
	if durable.SumBytes(data).SHA256 != want {
		return spec, fmt.Errorf("%w %s: %w: they arrived with other content", errNoWeights, name, durable.ErrDamaged)
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return spec, err
	}
	return spec, durable.WriteFile(path, data)
}

// fetchTries is how often a worker asks for a part of weights before it gives the unit back.
const fetchTries = 5

// fetch gets weights from the coordinator, part by part.
func (p *player) fetch(ctx context.Context, name string) (data []byte, err error) {
	for {
		part, err := p.fetchPart(ctx, name, len(data))
		if err != nil {
			return nil, err
		}
		data = append(data, part.Data...)
		switch {
		case part.Size > wire.MaxWeights || len(data) > part.Size:
			return nil, fmt.Errorf("%w: %d bytes of %d", durable.ErrDamaged, len(data), part.Size)
		case len(data) == part.Size:
			return data, nil
		}
	}
}

// fetchPart gets a part of weights. It asks again if no reply comes, or if the
// coordinator does not have the weights: it has them from the first job on that needs them.
func (p *player) fetchPart(ctx context.Context, name string, offset int) (*wire.WeightsPart, error) {
	for try := 0; ; try++ {
		part, err := p.askPart(ctx, wire.WeightsRequest{Name: name, Offset: offset})
		if err == nil && len(part.Data) > 0 {
			return part, nil
		}
		if err == nil {
			err = errors.New("the coordinator does not have them")
		}
		if try+1 == fetchTries || ctx.Err() != nil {
			return nil, err
		}
		sleep(ctx, retryAfter)
	}
}

func (p *player) askPart(ctx context.Context, r wire.WeightsRequest) (*wire.WeightsPart, error) {
	ctx, cancel := context.WithTimeout(ctx, wire.PollTimeout)
	defer cancel()
	var part wire.WeightsPart
	return &part, p.request(ctx, wire.WeightsSubject(p.run, p.Access.Name), r, &part)
}
