package broker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// One key has few connections, and a connection few subscriptions: the server's memory does not grow with them.
func TestLimitsOfAKey(t *testing.T) {
	private, line, err := wire.NewKey("anna")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "anna.key")
	if err := os.WriteFile(file, private, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Start(Config{Addr: "127.0.0.1:0", Keys: []wire.Key{{Name: "anna", Public: strings.Fields(line)[1]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	option, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		t.Fatal(err)
	}
	var open []*nats.Conn
	for range maxOfKey + 4 {
		nc, err := nats.Connect(b.URL(), option, nats.NoReconnect(), nats.CustomInboxPrefix(wire.InboxPrefix("anna")))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		open = append(open, nc)
	}
	connected := func() (n int) {
		for _, nc := range open {
			if nc.IsConnected() {
				n++
			}
		}
		return n
	}
	for until := time.Now().Add(20 * time.Second); connected() > maxOfKey && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	if n := connected(); n != maxOfKey || !open[0].IsConnected() {
		t.Fatalf("%d connections of a key, the first: %t", n, open[0].IsConnected())
	}
	for range 2 * maxSubs {
		_, _ = open[0].SubscribeSync(wire.InboxPrefix("anna") + ".x")
	}
	_ = open[0].Flush()
	if n := b.server.NumSubscriptions(); n > 2*maxSubs {
		t.Errorf("%d subscriptions", n)
	}
	nc, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}
