// Package wire is what a coordinator and its workers share: messages, their subjects and streams, keys and what they
// permit, fingerprints of games, files by content, and the connection to NATS servers. It makes no decisions.
//
// No promise of stability. Start reading at Unit and Answer.
package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay"
)

// Protocol is the version of the messages below. A coordinator refuses workers of another version.
const Protocol = 7

// HelloEvery is how often a worker says hello. A worker that is silent for three times as long counts as gone.
const HelloEvery = 10 * time.Second

// ReplyTimeout bounds the reply to a hello, and to a request for a part of a file.
const ReplyTimeout = 3 * time.Second

// Hello is what a worker sends when it arrives, every HelloEvery while it is there, and when it leaves.
type Hello struct {
	Protocol int     `json:"protocol"`
	Program  string  `json:"program"`                    // version and bench signature
	System   string  `json:"system"`                     // for example linux/amd64/v1
	Cores    int     `json:"cores"`                      // units it plays at once
	Run      string  `json:"run,omitempty"`              // that it plays for; empty: none yet
	Speed    float64 `json:"nodes_per_second,omitempty"` // of one core; 0: not measured, no game had a clock
	Leaving  bool    `json:"leaving,omitempty"`
	Trouble  string  `json:"trouble,omitempty"` // why it leaves, if something is wrong
}

// Welcome is the coordinator's reply to a Hello.
type Welcome struct {
	Run     string        `json:"run"`
	Lease   time.Duration `json:"lease_ns"`          // a unit that is not extended for as long goes to another worker
	Refused string        `json:"refused,omitempty"` // why the worker gets no units
}

// Unit is a job on its way to a worker. Its id is the Digest of its JSON, the last part of its subject.
type Unit struct {
	Job          selfplay.Job `json:"job"`                   // its players name weights and programs by content
	Fingerprints [2]string    `json:"fingerprints,omitzero"` // of White's and Black's player; empty: not asked for
	Programs     [2]Program   `json:"programs,omitzero"`     // of foreign engines
	// of a core for which the clocks are meant, in nodes/s; 0: they are not scaled
	Speed float64 `json:"nodes_per_second,omitempty"`
}

// ReadUnit reads a unit that was delivered. Workers can have servers and the coordinator send their replies to where
// units are published: what is not under its digest, or not a unit and nothing else, is none.
func ReadUnit(m *nats.Msg, run string) (*Unit, error) {
	u := new(Unit)
	id := Digest(m.Data)
	if m.Subject != UnitSubject(run, id) && m.Subject != ReplaySubject(run, id) {
		return nil, fmt.Errorf("cluster: %s is not the subject of the unit %s", m.Subject, id)
	}
	d := json.NewDecoder(bytes.NewReader(m.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(u); err != nil || d.More() {
		return nil, fmt.Errorf("cluster: malformed unit: %w", err)
	}
	return u, nil
}

// PlayedBy is the header of a unit that is played a second time: the worker that played it first.
const PlayedBy = "Assay-Played-By"

// Program identifies a foreign engine by its file's name and content.
type Program struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Answer is a worker's result of a unit. Its sender is the last part of its subject.
type Answer struct {
	Unit   string           `json:"unit"` // id
	Result *selfplay.Result `json:"result,omitempty"`
	Failed string           `json:"failed,omitempty"` // why the unit could not be played
}

// Digest returns the first 128 bits, in hex, of the SHA-256 of a message.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Checksum returns a digest of a result that is equal for equal games. It leaves out the time the game took, the log
// of a fault, who played it and the names of the players, which differ from machine to machine.
func Checksum(r *selfplay.Result) (string, error) {
	same := *r
	same.Players, same.Time, same.FaultLog, same.Worker = [2]string{}, [2]time.Duration{}, "", ""
	data, err := json.Marshal(&same)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	return Digest(data), nil
}

// Consumer is the name of the one consumer of a run's units, which all workers share.
const Consumer = "workers"

// Units returns the name of a run's stream of units, of which each is gone when a worker acknowledged it.
func Units(run string) string { return "ASSAY_" + run }

// Answers returns the name of a run's stream of answers.
func Answers(run string) string { return "ASSAY_" + run + "_answers" }

// UnitSubject is where the coordinator publishes a unit; * stands for all.
func UnitSubject(run, id string) string { return "assay.unit." + run + "." + id }

// ReplaySubject is where it publishes a unit a second time.
func ReplaySubject(run, id string) string { return "assay.again." + run + "." + id }

// AnswerSubject is where a worker publishes its answers; * stands for all workers.
func AnswerSubject(run, worker string) string { return "assay.answer." + run + "." + worker }

// Answerer returns the worker that published to a subject; empty if that is not where answers go.
func Answerer(subject, run string) string {
	worker, _ := strings.CutPrefix(subject, AnswerSubject(run, ""))
	if CheckName(worker) != nil {
		return ""
	}
	return worker
}

// HelloSubject is where a worker says hello.
func HelloSubject(worker string) string { return "assay.hello." + worker }

// inboxPrefix begins the subjects at which a worker receives replies.
func inboxPrefix(worker string) string { return "_INBOX." + worker }

// Last returns the last part of a subject.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// Sender returns the name of the worker that said hello. It rejects messages that want the reply anywhere but in the
// sender's own inbox: the coordinator may publish to subjects that a worker may not, so a worker could speak through
// it in another's name.
func Sender(m *nats.Msg) (worker string, ok bool) {
	worker = Last(m.Subject)
	return worker, CheckName(worker) == nil && strings.HasPrefix(m.Reply, inboxPrefix(worker)+".")
}

// Rights are the subjects that a connection may publish to and subscribe to.
type Rights struct{ Publish, Subscribe []string }

// WorkerRights returns all that a worker of the name may do: say hello, take units from the consumer that all share
// and acknowledge them, read files by content, and answer under its own name. Servers do not check where it wants
// their replies, so it can have units, files and acknowledgements sent to any subject: who receives answers counts
// only those with the digest of an open unit. An empty name gives the rights of workers that share credentials;
// these can answer in each other's name.
func WorkerRights(name string) Rights {
	if name == "" {
		name = "*"
	}
	return Rights{
		Publish: []string{HelloSubject(name), AnswerSubject("*", name), pullSubject("*"),
			"$JS.ACK.*." + Consumer + ".>", directSubject("*")},
		Subscribe: []string{inboxPrefix(name) + ".>"},
	}
}

// pullSubject is where a worker asks for units of a stream.
func pullSubject(stream string) string { return "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + Consumer }

// directSubject is where a worker reads a stream that permits it: only those of files do.
func directSubject(stream string) string { return "$JS.API.DIRECT.GET." + stream }

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$`)

// CheckName reports names that a worker cannot have, because they do not fit into subjects.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("cluster: invalid worker name %q: want 1 to 48 letters, digits, - and _", name)
	}
	return nil
}

// Pull asks the shared consumer for units, which arrive at the reply subject with a reply subject of their own. The
// request ends with a message that has a Status: when it expires, or when the consumer or its server is gone.
func Pull(nc *nats.Conn, run, reply string, units int, expires time.Duration) error {
	data := fmt.Appendf(nil, `{"batch":%d,"expires":%d}`, units, expires)
	return nc.PublishRequest(pullSubject(Units(run)), reply, data)
}

// Extend says that a unit is still being played, Done that its answer is stored, and GiveBack that another worker
// should get it after a pause.
func Extend(unit *nats.Msg) error { return unit.Respond([]byte("+WPI")) }

// Done acknowledges a unit: see Extend.
func Done(unit *nats.Msg) error { return unit.Respond([]byte("+ACK")) }

// GiveBack gives a unit back: see Extend.
func GiveBack(unit *nats.Msg, pause time.Duration) error {
	return unit.Respond(fmt.Appendf(nil, `-NAK {"delay":%d}`, pause))
}
