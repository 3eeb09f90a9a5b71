package gamelog

import (
	"encoding/json"
	"path/filepath"

	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/internal/durable"
)

// loadEvent is the event with the load of the machine while a process played.
const loadEvent = "load"

func (g *games) noteLoad(l machine.Load) error {
	if l.Time == 0 {
		return nil
	}
	return g.Run.Event(loadEvent, l)
}

// ReadLoad returns the load of the machine while the games in the run's folder were played, by
// all processes together; zero if it is not known.
func ReadLoad(dir string) (all machine.Load) {
	// No result depends on it: what cannot be read is skipped.
	_ = durable.ReadJournal(filepath.Join(dir, durable.RunEventsName), func(line []byte) error {
		var e struct {
			Kind string       `json:"event"`
			Data machine.Load `json:"data"`
		}
		if json.Unmarshal(line, &e) == nil && e.Kind == loadEvent {
			all.Add(e.Data)
		}
		return nil
	})
	return all
}
