package wire

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
)

// WakeupSubject is where a coordinator that starts or reconnects asks workers to say hello.
const WakeupSubject = "assay.call"

// anyWorker stands for a worker's name in the rights of workers that share credentials.
const anyWorker = "*"

// UnitSubject is where a worker receives units.
func UnitSubject(run, worker string) string { return "assay.unit." + run + "." + worker }

// AnswerSubject is where a worker sends its answers.
func AnswerSubject(run, worker string) string { return "assay.answer." + run + "." + worker }

// ReplaySubject is where a worker receives units to replay.
func ReplaySubject(run, worker string) string { return "assay.check." + run + "." + worker }

// WeightsSubject is where a worker asks the coordinator for weights.
func WeightsSubject(run, worker string) string { return "assay.weights." + run + "." + worker }

// HelloSubject is where a worker says hello.
func HelloSubject(worker string) string { return "assay.hello." + worker }

// InboxPrefix begins the subjects at which a worker receives replies.
func InboxPrefix(worker string) string { return "_INBOX." + worker }

// Sender returns the name of the worker that sent a message, whose subject is the prefix and
// the name. It rejects messages that want the reply anywhere but in the sender's own inbox:
// the coordinator may publish to subjects that a worker may not, so a worker could speak
// through it in another's name.
func Sender(m *nats.Msg, prefix string) (worker string, ok bool) {
	worker, ok = strings.CutPrefix(m.Subject, prefix)
	return worker, ok && CheckName(worker) == nil && strings.HasPrefix(m.Reply, InboxPrefix(worker)+".")
}

// Rights are the subjects that a connection may publish to and subscribe to.
type Rights struct{ Publish, Subscribe []string }

// WorkerRights returns all that a worker of the name may do: say hello, be woken, receive
// units and replays, answer under its own name, and ask for weights. It may publish nothing
// that a server replies to, JetStream's API above all, because servers do not check whether a
// worker may publish to the reply address that it gives them. An empty name gives the rights
// of workers that share credentials; these can answer in each other's name.
func WorkerRights(name string) Rights {
	if name == "" {
		name = anyWorker
	}
	return Rights{
		Publish:   []string{HelloSubject(name), AnswerSubject("*", name), WeightsSubject("*", name)},
		Subscribe: []string{InboxPrefix(name) + ".>", WakeupSubject, UnitSubject("*", name), ReplaySubject("*", name)},
	}
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$`)

// CheckName reports names that a worker cannot have, because they do not fit into subjects.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("cluster: invalid worker name %q: want 1 to 48 letters, digits, - and _", name)
	}
	return nil
}
