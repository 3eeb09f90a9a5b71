package report

import (
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/tuner/learn"
)

// engineView is a run that learns the weights of an author's engine, as far as it got.
type engineView struct {
	Config  enginerun.Config
	Result  *enginerun.Result // nil while the run is in progress
	Started int               // generations
	Plan    string
}

// learnEngine makes the sections of a run of assay learn --engine.
func (b *builder) learnEngine() {
	v := &engineView{Result: read[enginerun.Result](&b.reader, b.dir, durable.RunResultName)}
	b.read(&v.Config, b.dir, durable.RunConfigName)
	v.Plan = v.Config.Plan.Text()
	if v.Result != nil {
		v.Plan = v.Result.Plan.Text()
	}
	var folders []string
	for n, folder := range b.started(v.Config.Plan.Generations) {
		v.Started, folders = n, append(folders, folder)
	}
	b.headline("engine-headline", v)
	if v.Result != nil {
		b.add("generations", "Generations", "engine-generations", v)
	}
	for i, folder := range folders {
		for _, name := range []string{"gate", "gate-half"} {
			b.matchOf(filepath.Join(folder, name), learn.Folder(i+1)+"-"+name)
		}
	}
	for _, name := range []string{"test", "match", "deep", "clock"} {
		b.matchOf(b.path(enginerun.FinalName, name), enginerun.FinalName+"-"+name)
	}
}

// matchOf adds a match that has started.
func (b *builder) matchOf(dir, id string) {
	if m := b.readMatch(dir, id); m != nil {
		b.add(id, "Match: "+strings.ReplaceAll(id, "-", " "), "match", m)
	}
}

// path returns a path in the run's folder.
func (b *builder) path(elem ...string) string {
	return filepath.Join(append([]string{b.dir}, elem...)...)
}
