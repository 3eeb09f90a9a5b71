package coordinator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// handleHello answers a worker's hello.
func (r *registry) handleHello(m *nats.Msg) {
	name, ok := wire.Sender(m, wire.HelloSubject(""))
	var h wire.Hello
	if !ok {
		r.foreignReply(name, m.Reply)
		return
	}
	if json.Unmarshal(m.Data, &h) != nil {
		return // not a worker of any version
	}
	if h.Run != "" && h.Run != r.runID() {
		return // it plays for another run
	}
	w := r.welcome(name, &h, time.Now())
	if w.Refused != tooManyWorkers {
		r.rooms.greet(name)
	}
	respond(m, &w)
}

func (r *registry) welcome(name string, h *wire.Hello, now time.Time) wire.Welcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.entry(name)
	if p == nil {
		return wire.Welcome{Run: r.run, Lease: r.lease, Refused: tooManyWorkers}
	}
	before := p.State
	if p.State == Gone {
		p.failedInARow = 0 // it may have been fixed
	}
	p.Program, p.System, p.Cores = sanitize(h.Program, 100), sanitize(h.System, 40), max(0, min(h.Cores, 4096))
	p.Speed, p.Scale = 0, 0
	if h.Speed >= minSpeed && h.Speed <= maxSpeed {
		p.Speed, p.Scale = h.Speed, r.clockSpeed/h.Speed
	}
	p.Seen, p.replays, p.units = now, unitIDs(h.Replays, wire.MaxReplays), unitIDs(h.Units, maxListed)
	p.serving = h.Run == r.run
	switch refusal := r.versionMismatch(h.Protocol, p.Program); {
	case r.bans[name] != "":
		p.State, p.Reason = Banned, r.bans[name]
	case refusal != "":
		p.State, p.Reason = Refused, refusal
	case h.Trouble != "":
		p.State, p.Reason = Refused, sanitize(h.Trouble, maxReason)
	case h.Leaving:
		p.State = Gone
	case p.failedInARow >= maxFailures:
		p.State, p.Reason = Refused, failureReason(p.failedInARow, p.Failure)
	default:
		p.State, p.Reason = Working, ""
	}
	if p.State != before {
		r.announce(p)
	}
	w := wire.Welcome{Run: r.run, Lease: r.lease}
	if p.State == Banned || p.State == Refused {
		w.Refused = p.Reason
	}
	return w
}

// tooManyWorkers is why no more workers are accepted.
var tooManyWorkers = fmt.Sprintf("the run has had %d workers, its maximum: "+
	"start the worker under a name that was used before", maxWorkers)

// unitIDs copies the plausible ids of a worker's list, at most that many.
func unitIDs(list []string, most int) (ids []string) {
	for _, id := range list[:min(len(list), most)] {
		if len(id) <= wire.IDLength {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

// sanitize makes a worker's text printable: one line, at most that many bytes.
func sanitize(text string, most int) string {
	return strings.Clone(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), most)], ""))) // a copy: a part would keep the whole in memory
}

// versionMismatch says why a worker of another version is refused, and what to do.
func (r *registry) versionMismatch(protocol int, program string) string {
	switch {
	case protocol != wire.Protocol:
		return fmt.Sprintf("it uses protocol version %d, and this run needs %d: install %s on it",
			protocol, wire.Protocol, r.program)
	case program != r.program:
		return fmt.Sprintf("it is %s, and this run needs %s, since other versions play other games: "+
			"install that version on it, or start the run with its version", program, r.program)
	}
	return ""
}

// greeting is a worker's last hello.
type greeting struct {
	worker  string
	seen    time.Time
	leaving bool
	units   []string // that it has
}

// names returns all workers.
func (r *registry) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.members))
}

// hellos returns the last hellos of these workers.
func (r *registry) hellos(names []string) (list []greeting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if p := r.members[name]; p != nil {
			list = append(list, greeting{name, p.Seen, p.State == Gone, p.units})
		}
	}
	return list
}
