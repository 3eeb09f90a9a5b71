package broker

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// dialer keeps the connections that it makes.
type dialer []net.Conn

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	*d = append(*d, c)
	return c, err
}

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
	var raw dialer
	for range maxOfKey + 4 {
		nc, err := nats.Connect(b.URL(), option, nats.NoReconnect(), nats.CustomInboxPrefix(wire.InboxPrefix("anna")),
			nats.SetCustomDialer(&raw), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
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
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	const asked = 300_000
	for i := range asked { // on the wire: a client of this process would hold them, too
		fmt.Fprintf(raw[i%maxOfKey], "SUB %s.%d %d\r\n", wire.InboxPrefix("anna"), i, i+100)
	}
	for _, nc := range open[:maxOfKey] {
		_ = nc.Flush() // it may have been closed
	}
	n, grown := b.server.NumSubscriptions(), heap()-before
	t.Logf("%d of %d subscriptions, %d kB more memory", n, asked, grown>>10)
	if n > (maxOfKey+1)*maxSubs || n < maxSubs || grown > 16<<20 {
		t.Errorf("%d subscriptions, %d bytes more memory", n, grown)
	}
	nc, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}
