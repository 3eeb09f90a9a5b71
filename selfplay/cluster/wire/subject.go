package wire

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"
)

// Names in JetStream.
const (
	UnitStream    = "ASSAY" // work queue of units, of all runs that share a server
	WeightsBucket = "assay" // object store of weights, by content
)

// callSubject is where a coordinator that begins, or comes to another server, asks who is there.
const WakeupSubject = "assay.call"

// UnitHeader is the header of a queued message that holds the id of its unit.
const UnitHeader = "Assay-Unit"

// everyWorker stands for a worker's name in the rights of those who share credentials.
const anyWorker = "*"

func UnitSubject(run string) string           { return "assay.unit." + run }
func AnswerSubject(run, worker string) string { return "assay.answer." + run + "." + worker }
func ReplaySubject(run, worker string) string { return "assay.check." + run + "." + worker }
func HelloSubject(worker string) string       { return "assay.hello." + worker }
func infoSubject(run string) string           { return "$JS.API.CONSUMER.INFO." + UnitStream + "." + run }
func nextSubject(run string) string           { return "$JS.API.CONSUMER.MSG.NEXT." + UnitStream + "." + run }
func InboxPrefix(worker string) string        { return "_INBOX." + worker }

// sender returns the name of the worker who sent a message to its subject in the family
// that begins so. Whose answer it wants elsewhere than in its own inbox is not one: the
// coordinator may publish what workers may not, and servers, too, send to the subject that
// a worker asks for, be it another worker's.
func Sender(m *nats.Msg, family string) (worker string, ok bool) {
	worker, ok = strings.CutPrefix(m.Subject, family)
	return worker, ok && CheckName(worker) == nil && strings.HasPrefix(m.Reply, InboxPrefix(worker)+".")
}

// Rights are the subjects that a connection may publish to and subscribe to.
type Rights struct{ Publish, Subscribe []string }

// WorkerRights returns all that the worker of the name may do: say hello, be called, lease
// units, acknowledge them, hear which it is to check, answer under its own name, and read
// weights. With an empty name they are those of workers that share credentials, and so could
// answer under each other's.
func WorkerRights(name string) Rights {
	if name == "" {
		name = anyWorker
	}
	objects := "OBJ_" + WeightsBucket
	return Rights{
		Publish: []string{
			HelloSubject(name), AnswerSubject("*", name),
			infoSubject("*"), nextSubject("*"), "$JS.ACK." + UnitStream + ".>",
			"$JS.API.STREAM.INFO." + objects, "$JS.API.STREAM.MSG.GET." + objects, "$JS.API.DIRECT.GET." + objects + ".>",
			"$JS.API.CONSUMER.CREATE." + objects + ".>", "$JS.API.CONSUMER.DELETE." + objects + ".>", "$JS.FC." + objects + ".>",
		},
		Subscribe: []string{InboxPrefix(name) + ".>", WakeupSubject, ReplaySubject("*", name)},
	}
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$`)

// CheckName reports names that no worker can have: they are part of subjects.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("cluster: a worker cannot be called %q: want 1 to 48 letters, digits, - and _", name)
	}
	return nil
}
