package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// weightsFolder is a worker's folder of weight files.
type weightsFolder struct {
	dir string
	get func(ctx context.Context, name string) ([]byte, error) // from the object store
}

// local returns the specification with the path of the worker's own copy of the weights,
// which it fetches if there is none.
func (f *weightsFolder) local(ctx context.Context, spec string) (string, error) {
	if roster.Foreign(spec) {
		return spec, nil
	}
	name, renamed, err := roster.WeightsOf(spec)
	if err != nil || renamed == nil {
		return spec, err
	}
	want, ok := strings.CutPrefix(name, wire.WeightsPrefix)
	if !ok || len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return "", fmt.Errorf("cluster: player %q: want weights named %s and the SHA-256 of their file", spec, wire.WeightsPrefix)
	}
	path := filepath.Join(f.dir, name+".json")
	if sum, err := durable.SumFile(path); err == nil && sum.SHA256 == want {
		return renamed(path), nil
	}
	data, err := f.get(ctx, name)
	if err != nil {
		return "", fmt.Errorf("cluster: weights %s: %w", name, err)
	}
	if durable.SumBytes(data).SHA256 != want {
		return "", fmt.Errorf("cluster: weights %s: %w: the coordinator's store holds other content; start the run again", name, durable.ErrDamaged)
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return "", err
	}
	return renamed(path), durable.WriteFile(path, data)
}
