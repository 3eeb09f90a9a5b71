package coordinator

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// weightsStore holds the weights of a coordinator's players, and hands them to workers in parts. It is safe for concurrent use.
type weightsStore struct {
	run      string
	registry *registry

	mu    sync.Mutex
	files map[string][]byte    // by name
	asked map[string]*requests // by worker
}

// requests counts a worker's requests since a time.
type requests struct {
	since time.Time
	n     int
}

// maxRequests bounds the requests of one worker in requestsWithin: a request is short and its
// reply long. A part of the weights is enough for most files.
const (
	maxRequests    = 200
	requestsWithin = 10 * time.Second
)

func newWeightsStore(run string, r *registry) *weightsStore {
	return &weightsStore{run: run, registry: r, files: map[string][]byte{}, asked: map[string]*requests{}}
}

// put keeps weights under a name that is a digest of them.
func (w *weightsStore) put(name string, data []byte) error {
	if len(data) > wire.MaxWeights {
		return fmt.Errorf("cluster: its weights have %d bytes, more than the %d that workers take", len(data),
			wire.MaxWeights)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[name] = data
	return nil
}

// handle replies to a worker's request for a part of weights. A worker that asks too often
// gets no reply, and asks again.
func (w *weightsStore) handle(m *nats.Msg) {
	worker, ok := wire.Sender(m, wire.WeightsSubject(w.run, ""))
	var r wire.WeightsRequest
	if !ok {
		w.registry.foreignReply(worker, m.Reply)
	}
	if !ok || json.Unmarshal(m.Data, &r) != nil {
		return
	}
	part, ok := w.part(worker, &r, time.Now())
	if !ok {
		return
	}
	respond(m, part)
}

func (w *weightsStore) part(worker string, r *wire.WeightsRequest, now time.Time) (part *wire.WeightsPart, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.asked[worker]
	if a == nil || now.Sub(a.since) > requestsWithin {
		if len(w.asked) > maxWorkers {
			clear(w.asked)
		}
		a = &requests{since: now}
		w.asked[worker] = a
	}
	if a.n++; a.n > maxRequests {
		if a.n == maxRequests+1 {
			w.registry.note(worker, fmt.Sprintf("worker %s asked for weights more than %d times in %v: it gets no "+
				"reply until that time is over", worker, maxRequests, requestsWithin))
		}
		return nil, false
	}
	file := w.files[r.Name]
	if r.Offset < 0 || r.Offset >= len(file) {
		return &wire.WeightsPart{}, true
	}
	rest := file[r.Offset:]
	return &wire.WeightsPart{Size: len(file), Data: rest[:min(len(rest), wire.MaxWeightsPart)]}, true
}
