package broker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrNoCoordinator means that no key of a list may start a run.
var ErrNoCoordinator = errors.New("broker: the list has no key named " + coordinator + ", which starting runs needs")

// Conf returns the authorization block that the nats-server.conf of another server needs to
// accept the keys with the rights that Start gives them. The key named coordinator may do
// everything.
func Conf(keys []wire.Key) (string, error) {
	if !slices.ContainsFunc(keys, func(k wire.Key) bool { return k.Name == coordinator }) {
		return "", ErrNoCoordinator
	}
	var b strings.Builder
	b.WriteString("authorization {\n  users: [\n")
	for _, k := range keys {
		fmt.Fprintf(&b, "    # %s\n    {nkey: %s", k.Name, k.Public)
		if k.Name != coordinator {
			r := wire.WorkerRights(k.Name)
			fmt.Fprintf(&b, ", permissions: {\n      publish: {allow: [%s]}\n      subscribe: {allow: [%s]}\n    }",
				subjects(r.Publish), subjects(r.Subscribe))
		}
		b.WriteString("}\n")
	}
	b.WriteString("  ]\n}\n")
	return b.String(), nil
}

// subjects quotes subjects, because $ begins the name of a variable.
func subjects(all []string) string {
	return `"` + strings.Join(all, `", "`) + `"`
}
