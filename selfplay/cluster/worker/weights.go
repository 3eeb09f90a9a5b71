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
	want, ok := strings.CutPrefix(name, wire.WeightsPrefix)
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
