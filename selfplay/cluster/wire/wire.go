// Package wire is what a coordinator and its workers share: messages, their subjects and streams, keys and what they
// permit, fingerprints of games, files by content, and the connection to NATS servers. It makes no decisions.
//
// No promise of stability. Start reading at Unit and Answer.
package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
	"github.com/nats-io/nats.go"
)

// Protocol is the version of the messages below. A coordinator refuses workers of another version.
const Protocol = 8

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

// Unit is a task on its way to a worker. Its id is the Digest of its JSON, the last part of its subject.
type Unit struct {
	Job          Job        `json:"job"`                   // its players name weights and programs by content
	Fingerprints [2]string  `json:"fingerprints,omitzero"` // of White's and Black's player; empty: not asked for
	Programs     [2]Program `json:"programs,omitzero"`     // of external engines
	// of a core for which the clocks are meant, in nodes/s; 0: they are not scaled
	Speed float64 `json:"nodes_per_second,omitempty"`
}

// Job is what a task plays. Number stands before Try, as ids of units need it.
type Job struct {
	Number uint64 `json:"number"`
	Try    int    `json:"try,omitempty"` // of a selfplay.Probe
	selfplay.Job
}

// JobOf returns what the task plays.
func JobOf(task selfplay.Task) Job {
	job, try := task.Play()
	return Job{job.Number, try, *job}
}

// ReadUnit reads a unit: that and nothing else, since a worker can have servers send their replies to others.
func ReadUnit(data []byte) (*Unit, error) {
	u := new(Unit)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(u); err != nil || d.More() {
		return nil, fmt.Errorf("cluster: malformed unit: %w", err)
	}
	return u, nil
}

// Request sends a message to the coordinator and returns the reply, for which it waits for ReplyTimeout.
func Request(ctx context.Context, nc *nats.Conn, subject string, message any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, ReplyTimeout)
	defer cancel()
	data, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	m, err := nc.RequestWithContext(ctx, subject, data)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// PlayedBy is the header of a unit that is played a second time: the worker that played it first.
const PlayedBy = "Assay-Played-By"

// Program identifies an external engine by its file's name and content.
type Program struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Answer is a worker's result of a unit. Its sender is the last part of its subject.
type Answer struct {
	Unit   string           `json:"unit"` // id
	Ack    string           `json:"ack"`  // the subject where the unit is acknowledged
	Result *selfplay.Result `json:"result,omitempty"`
	Failed string           `json:"failed,omitempty"` // why the unit could not be played
}

// Digest returns the first 128 bits, in hex, of the SHA-256 of a message.
func Digest(data []byte) string { return durable.SumBytes(data)[:32] }

// Checksum returns a digest of a result that is equal for equal games. It leaves out the time the game took, the log
// of a fault, who played it and the names of the players, which differ from machine to machine.
func Checksum(r *selfplay.Result) string {
	same := *r
	same.Players, same.Time, same.FaultLog, same.Worker = [2]string{}, [2]time.Duration{}, "", ""
	data, _ := json.Marshal(&same) // numbers and strings
	return Digest(data)
}

// Consumer is the name of the one consumer of a run's units, which all workers share.
const Consumer = "workers"

// Units returns the name of a run's stream of units; an acknowledged unit is gone.
func Units(run string) string { return "ASSAY_" + run }

// UnitSubject is where the coordinator publishes a unit; * stands for all.
func UnitSubject(run, id string) string { return "assay.unit." + run + "." + id }

// ReplaySubject is where it publishes a unit a second time.
func ReplaySubject(run, id string) string { return "assay.again." + run + "." + id }

// AnswerSubject is where a worker publishes its answers; * stands for all workers.
func AnswerSubject(run, worker string) string { return "assay.answer." + run + "." + worker }

// FileSubject is where a worker asks for a part of a file; * stands for all workers.
func FileSubject(worker string) string { return "assay.file." + worker }

// HelloSubject is where a worker says hello; * stands for all workers.
func HelloSubject(worker string) string { return "assay.hello." + worker }

// Last returns the last part of a subject: a worker's name, or a unit's id.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// inboxPrefix begins the subjects at which a worker receives replies.
func inboxPrefix(worker string) string { return "_INBOX." + worker }

// rights are the subjects that a connection may publish to and subscribe to.
type rights struct{ Publish, Subscribe []string }

// WorkerRights returns all that a worker of the name may do: say hello, take units from the consumer that all share,
// extend them and give them back, ask for files by content, and answer under its own name. An empty name gives the
// rights of workers that share credentials; these can answer in each other's name.
//
// Servers do not check where a client wants their replies. So workers have an account of their own, from which just
// these subjects lead to the run's: a reply can reach nothing else.
func WorkerRights(name string) rights {
	if name == "" {
		name = "*"
	}
	return rights{
		Publish: []string{HelloSubject(name), FileSubject(name), AnswerSubject("*", name), pullSubject("*"),
			"$JS.ACK.*." + Consumer + ".>"},
		Subscribe: []string{inboxPrefix(name) + ".>"},
	}
}

// pullSubject is where a worker asks for units of a stream.
func pullSubject(stream string) string { return "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + Consumer }

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

// What is said about a unit, at the subject to which its message wants the reply.
var (
	Done   = []byte("+ACK") // it has its answer
	Extend = []byte("+WPI") // it is still being played
)

// GiveBack says that another worker should get the unit, after a pause.
func GiveBack(pause time.Duration) []byte { return fmt.Appendf(nil, `-NAK {"delay":%d}`, pause) }

// IsAck reports whether something can be said about a unit of the run at the subject. Workers send it with answers, so
// it could be any subject.
func IsAck(subject, run string) bool {
	place, ok := strings.CutPrefix(subject, "$JS.ACK."+Units(run)+"."+Consumer+".")
	return ok && strings.Trim(place, "0123456789.") == ""
}

// Workers ask the coordinator for weights and engines, part by part. Their names are the SHA-256 of their content.

// WeightsPrefix begins the name of weights that are named by the SHA-256 of their file.
const WeightsPrefix = "sha256-"

// MaxFile bounds a file, and PartSize a part of it, in bytes.
const MaxFile, PartSize = 1 << 28, 128 << 10

// Part asks for the PartSize bytes of a file from an offset on, or those up to its end.
type Part struct {
	Run    string `json:"run"`
	SHA256 string `json:"sha256"`
	Offset int64  `json:"offset"`
}

// ErrNoFile means that a run has no file of that content, or that it cannot be read now.
var ErrNoFile = errors.New("cluster: cannot fetch the file")

// FetchFile returns the file of a run with the SHA-256. Its errors wrap ErrNoFile.
func FetchFile(ctx context.Context, nc *nats.Conn, worker, run, sum string) (all []byte, err error) {
	for n := PartSize; err == nil && n == PartSize && len(all) < MaxFile; {
		var part []byte
		part, err = Request(ctx, nc, FileSubject(worker), &Part{run, sum, int64(len(all))})
		n = len(part)
		all = append(all, part...)
	}
	if err == nil && durable.SumBytes(all) != sum {
		err = fmt.Errorf("%w: it arrived with other content", durable.ErrDamaged)
	}
	if err != nil {
		err = fmt.Errorf("%w with SHA-256 %.12s: %w", ErrNoFile, sum, err)
	}
	return all, err
}

// IsSHA256 reports whether a text is a SHA-256 in hex.
func IsSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// fingerprintPlies and fingerprintNodes make a game of about 10 ms.
const fingerprintPlies, fingerprintNodes = 12, 1000

// Fingerprint plays a short game of a player with itself and returns the game's checksum. Builds that search or
// evaluate differently have different ones. The bench signature says what a build should do, the fingerprint what it
// does.
func Fingerprint(ctx context.Context, open selfplay.Opener, spec engine.Spec) (sum string, err error) {
	limits := selfplay.Limits{Nodes: fingerprintNodes, HardNodes: true}
	job := selfplay.Job{Players: [2]engine.Spec{spec, spec}, Limits: [2]selfplay.Limits{limits, limits},
		Plies: fingerprintPlies, Seed: 1}
	r, err := (&selfplay.Local{Open: open}).One(ctx, &job)
	if err != nil {
		return "", err
	}
	if fault := cmp.Or(r.Fault, r.Void); fault != "" {
		return "", errors.New(fault)
	}
	return Checksum(&r), nil
}
