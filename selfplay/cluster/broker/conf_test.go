package broker

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/nats-io/nats-server/v2/server"
)

// A server that reads Conf's output gives each worker the same rights as Start, and the
// coordinator all.
func TestConf(t *testing.T) {
	var keys []wire.Key
	for _, name := range []string{"anna", coordinator, "bert-2"} {
		_, line, err := wire.NewKey(name)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, wire.Key{Name: name, Public: strings.Fields(line)[1]})
	}
	text, err := Conf(keys)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "nats-server.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(o.Nkeys) != len(keys) || len(o.Users) != 0 || o.NoAuthUser != "" {
		t.Fatalf("%d keys, %d users, and without credentials %q", len(o.Nkeys), len(o.Users), o.NoAuthUser)
	}
	for i, u := range o.Nkeys {
		var want *server.Permissions
		if keys[i].Name != coordinator {
			want = permissions(keys[i].Name)
		}
		if u.Nkey != keys[i].Public || !reflect.DeepEqual(u.Permissions, want) {
			t.Errorf("%s may %+v, want %+v", keys[i].Name, u.Permissions, want)
		}
	}
	if _, err := Conf(keys[:1]); !errors.Is(err, ErrNoCoordinator) {
		t.Errorf("without a coordinator: %v", err)
	}
}
