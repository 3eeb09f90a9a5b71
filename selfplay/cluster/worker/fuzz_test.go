package worker

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// FuzzUnit gives a worker any unit. It opens only players of the roster that need no file
// but weights named by content, whatever the unit says.
func FuzzUnit(f *testing.F) {
	for _, spec := range []string{"assay", "assay:weights=/etc/passwd", "uci:/bin/sh", "uci:/bin/sh?x=y", "UCI:sh",
		"assay:weights=" + wire.WeightsPrefix + "00", "random", ""} {
		f.Add([]byte(`{"unit":"u","job":{"players":["` + spec + `","random"]}}`))
		f.Add([]byte(`{"unit":"u","job":{"players":["` + spec +
			`",""]},"programs":[{"name":"sh","sha256":"00"},{}],"fingerprints":["x",""]}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var u wire.Unit
		if json.Unmarshal(data, &u) != nil {
			return
		}
		w := &Worker{Program: "p"}
		l := &player{Worker: w, weights: weightsFolder{dir: t.TempDir()}}
		l.weights.get = func(ctx context.Context, name string) ([]byte, error) { return nil, errors.New("none") }
		harmless := func(spec engine.Spec) {
			if name := roster.WeightsName(spec); spec.Foreign() || name != "" {
				t.Errorf("%s: it opens %q with the weights %q", data, spec, name)
			}
		}
		w.Open = func(spec engine.Spec) (engine.Player, error) { harmless(spec); return nil, errors.New("not now") }
		for side, spec := range u.Job.Players {
			if local, err := l.localSpec(t.Context(), spec, &u, side); err == nil {
				harmless(local)
			}
		}
	})
}
