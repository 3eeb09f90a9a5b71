package coordinator

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// weightsStore holds the weights of a coordinator's players, knows where the engines are that
// it sends, and hands both to workers in parts. It is safe for concurrent use.
type weightsStore struct {
	run      string
	registry *registry

	mu      sync.Mutex
	files   map[string][]byte     // by name
	engines map[string]engineFile // by name
	asked   map[string]*requests  // by worker
}

// maxSignatures bounds the other signatures of an engine, which have to fit into a message.
const maxSignatures = 100

// engineFile is an engine that workers may fetch.
type engineFile struct {
	path       string
	size       int
	signatures []wire.Signature // by different keys
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
	return &weightsStore{run: run, registry: r, files: map[string][]byte{},
		engines: map[string]engineFile{}, asked: map[string]*requests{}}
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

// putEngine offers workers the engine at path.
func (w *weightsStore) putEngine(path string, s *wire.Signature) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if info.Size() < 1 || info.Size() > wire.MaxEngine {
		return fmt.Errorf("cluster: the engine %s has %d bytes; workers take 1 to %d", path,
			info.Size(), wire.MaxEngine)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := engineFile{path: path, size: int(info.Size())}
	for _, other := range w.engines[wire.EngineName(s.Program)].signatures { // of other runs
		if other.Key != s.Key && len(e.signatures) < maxSignatures {
			e.signatures = append(e.signatures, other)
		}
	}
	e.signatures = append(e.signatures, *s)
	w.engines[wire.EngineName(s.Program)] = e
	return nil
}

// part returns a part of the engine. If the file changed, workers notice it by its digest.
func (e *engineFile) part(offset int) (*wire.WeightsPart, error) {
	if offset < 0 || offset >= e.size {
		return &wire.WeightsPart{}, nil
	}
	f, err := os.Open(e.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	p := &wire.WeightsPart{Size: e.size, Data: make([]byte, min(e.size-offset, wire.MaxWeightsPart))}
	if offset == 0 {
		p.Signatures = e.signatures
	}
	_, err = f.ReadAt(p.Data, int64(offset))
	return p, err
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
	if e, ok := w.engines[r.Name]; ok {
		part, err := e.part(r.Offset)
		if err != nil {
			w.registry.note(worker, fmt.Sprintf("worker %s cannot fetch an engine: %v", worker, err))
			return &wire.WeightsPart{}, true
		}
		return part, true
	}
	file := w.files[r.Name]
	if r.Offset < 0 || r.Offset >= len(file) {
		return &wire.WeightsPart{}, true
	}
	rest := file[r.Offset:]
	return &wire.WeightsPart{Size: len(file), Data: rest[:min(len(rest), wire.MaxWeightsPart)]}, true
}
