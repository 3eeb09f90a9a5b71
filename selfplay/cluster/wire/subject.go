package wire

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
)

// UnitStream is the name in JetStream of the work queue of the units of all runs on a server.
const UnitStream = "ASSAY"

// WakeupSubject is where a coordinator that starts or reconnects asks workers to say hello.
const WakeupSubject = "assay.call"

// UnitHeader is the header of a queued message that holds the id of its unit.
const UnitHeader = "Assay-Unit"

// anyWorker stands for a worker's name in the rights of workers that share credentials.
const anyWorker = "*"

// UnitSubject is the subject of a run's units.
func UnitSubject(run string) string { return "assay.unit." + run }

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

func infoSubject(run string) string { return "$JS.API.CONSUMER.INFO." + UnitStream + "." + run }
func nextSubject(run string) string { return "$JS.API.CONSUMER.MSG.NEXT." + UnitStream + "." + run }

// Sender returns the name of the worker that sent a message, whose subject is the prefix and
// the name. It rejects messages that want the reply anywhere but in the sender's own inbox:
// the coordinator and the server may publish to subjects that a worker may not, so a worker
// could speak through them in another's name.
func Sender(m *nats.Msg, prefix string) (worker string, ok bool) {
	worker, ok = strings.CutPrefix(m.Subject, prefix)
	return worker, ok && CheckName(worker) == nil && strings.HasPrefix(m.Reply, InboxPrefix(worker)+".")
}

// Rights are the subjects that a connection may publish to and subscribe to.
type Rights struct{ Publish, Subscribe []string }

// WorkerRights returns all that a worker of the name may do: say hello, be woken, lease and
// acknowledge units, receive replays, answer under its own name, and ask for weights. An empty
// name gives the rights of workers that share credentials; these can answer in each other's
// name.
func WorkerRights(name string) Rights {
	if name == "" {
		name = anyWorker
	}
	return Rights{
		Publish: []string{
			HelloSubject(name), AnswerSubject("*", name), WeightsSubject("*", name),
			infoSubject("*"), nextSubject("*"), "$JS.ACK." + UnitStream + ".>",
		},
		Subscribe: []string{InboxPrefix(name) + ".>", WakeupSubject, ReplaySubject("*", name)},
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
