package broker

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// ErrNoCoordinator says that nobody of a list could start a run.
var ErrNoCoordinator = errors.New("broker: no key is called " + coordinator + ": whoever starts runs needs one, which may do everything")

// Conf returns what the nats-server.conf of a server elsewhere has to say of the keys, so
// that it admits them as Start does. The coordinator, which is not in the server's process
// then, is the key of that name.
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
			fmt.Fprintf(&b, ", permissions: {\n      publish: {allow: [%s]}\n      subscribe: {allow: [%s]}\n    }", subjects(r.Publish), subjects(r.Subscribe))
		}
		b.WriteString("}\n")
	}
	b.WriteString("  ]\n}\n")
	return b.String(), nil
}

// subjects quotes subjects: without quotes, $ begins a variable's name.
func subjects(all []string) string {
	return `"` + strings.Join(all, `", "`) + `"`
}
