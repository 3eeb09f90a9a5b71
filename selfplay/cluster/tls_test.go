package cluster_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// authority signs the certificates of servers.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() *authority {
	a := &authority{cert: &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}}
	a.key = setup.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a.cert = setup.Must(x509.ParseCertificate(a.sign(a.cert, a.key)))
	return a
}

// sign signs a certificate of a key.
func (a *authority) sign(cert *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	return setup.Must(x509.CreateCertificate(rand.Reader, cert, a.cert, &key.PublicKey, a.key))
}

// server configures a server of the IP address, with a certificate that is valid until then.
func (a *authority) server(ip string, until time.Time) *tls.Config {
	key := setup.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	cert := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.ParseIP(ip)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{a.sign(cert, key)}, PrivateKey: key}},
		MinVersion: tls.VersionTLS12}
}

// client configures a client that trusts this authority.
func (a *authority) client() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// cable forwards connections to an address, records the bytes sent, and can be cut.
type cable struct {
	address string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
	sent  [2]bytes.Buffer // to the address, and back
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l := setup.Must(net.Listen("tcp", "127.0.0.1:0"))
	c := &cable{address: l.Addr().String()}
	t.Cleanup(func() { l.Close(); c.set(true) })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, near, far)
			cut := c.cut
			c.mu.Unlock()
			c.set(cut) // closes the new ones, too
			go c.pass(far, near, 0)
			go c.pass(near, far, 1)
		}
	}()
	return c
}

// pass forwards one direction until one of the ends closes.
func (c *cable) pass(to, from net.Conn, direction int) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		c.sent[direction].Write(buffer[:n])
		c.mu.Unlock()
		if _, e := to.Write(buffer[:n]); err != nil || e != nil {
			return
		}
	}
}

// set cuts or repairs the cable.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut = cut; cut {
		for _, x := range c.conns {
			x.Close()
		}
		c.conns = nil
	}
}

// recorded returns the bytes that were sent to the address, and back.
func (c *cable) recorded() (there, back []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.sent[0].Bytes()), bytes.Clone(c.sent[1].Bytes())
}

const secretToken = "Mxyzptlk-7f3a-token"

// On the way, neither the token nor games can be read. The token is in no message, which
// others could read, in no log line, and in no file.
func TestEncryptedConnections(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{true, false} {
		ca, dir, out := newAuthority(), t.TempDir(), &bytes.Buffer{}
		var mu sync.Mutex
		keep := func(text string) { mu.Lock(); defer mu.Unlock(); fmt.Fprintln(out, text) }
		config := coordinator.ServerConfig{Token: secretToken, Log: keep}
		if encrypted {
			config.TLS = ca.server("127.0.0.1", time.Now().Add(time.Hour))
		}
		b := serve(t, config)
		everything := setup.Must(b.Connect())
		t.Cleanup(everything.Close)
		messages, units := 0, make(chan string, 1000)
		if _, err := everything.Subscribe(">", func(m *nats.Msg) {
			mu.Lock()
			defer mu.Unlock()
			messages++
			if strings.HasPrefix(m.Subject, "assay.unit.") {
				units <- m.Subject
			}
			fmt.Fprintln(out, m.Subject, m.Header, string(m.Data))
		}); err != nil {
			t.Fatal(err)
		}
		scheme, address, _ := strings.Cut(b.URL(), "://")
		if (scheme == "tls") != encrypted {
			t.Errorf("the server's address is %s", b.URL())
		}
		tapped := newCable(t, address)
		c := games(filepath.Join(t.TempDir(), "games"), 3, newCoordinator(t, b, coordinator.Config{Dir: dir, Log: keep}))
		ended := make(chan struct{})
		go func() { defer close(ended); generate(t, c) }()
		<-units // now the coordinator replies to workers; before that, who listens here keeps them waiting
		stop, _ := startWorker(t, b.URL(), "anna", func(w *worker.Worker) {
			w.Access.URL, w.Access.Token, w.Log = scheme+"://"+tapped.address, secretToken, keep
			if encrypted {
				w.Access.TLS = ca.client()
			}
		})
		<-ended
		if err := stop(); err != nil {
			t.Error(err)
		}
		up, down := tapped.recorded()
		// The control: without encryption all of it can be read.
		for what, sent := range map[string][]byte{secretToken: up, "assay.answer.": up,
			`"moves":`: up, `"players":`: down} {
			if found := bytes.Contains(sent, []byte(what)); found == encrypted {
				t.Errorf("encrypted %t: %q can be read on the way: %t", encrypted, what, found)
			}
		}
		wrong := wire.Access{URL: b.URL(), Name: "eve", Token: "another-" + secretToken, TLS: ca.client(),
			Log: func(err error) { keep(err.Error()) }}
		if !encrypted {
			wrong.TLS = nil
		}
		if _, err := wrong.Dial(t.Context()); !errors.Is(err, wire.ErrCredentials) {
			t.Errorf("with another token: %v", err)
		} else {
			keep(err.Error())
		}
		mu.Lock()
		said, n := out.String(), messages
		mu.Unlock()
		if n < 10 || !strings.Contains(said, "assay.answer.") || !strings.Contains(said, "authentication") {
			t.Errorf("%d messages were seen: %.600s", n, said)
		}
		if strings.Contains(said, secretToken) {
			t.Error("the token is in a message or a log line")
		}
		notIn(t, secretToken, dir, c.Out)
	}
}

// notIn looks for a secret in all files of the folders.
func notIn(t *testing.T, secret string, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		files := 0
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("the secret is in %s", path)
			}
			return err
		})
		if err != nil || files < 2 {
			t.Errorf("%d files in %s: %v", files, dir, err)
		}
	}
}

// A server that is not the right one is an error; a server that does not answer yet is not.
func TestServersThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(), newAuthority()
	later := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		server, client *tls.Config
		says           string
	}{
		"another authority":    {ca.server("127.0.0.1", later), other.client(), "unknown authority"},
		"no authority named":   {ca.server("127.0.0.1", later), nil, "unknown authority"},
		"another host's":       {ca.server("192.0.2.1", later), ca.client(), "192.0.2.1, not 127.0.0.1"},
		"expired":              {ca.server("127.0.0.1", time.Now().Add(-time.Minute)), ca.client(), "expired"},
		"it does not encrypt":  {nil, ca.client(), "secure connection not available"},
		"both are as intended": {ca.server("127.0.0.1", later), ca.client(), ""},
	} {
		b := serve(t, coordinator.ServerConfig{Token: secretToken, TLS: c.server})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		access := wire.Access{URL: b.URL(), Name: "anna", Token: secretToken, TLS: c.client}
		nc, err := access.Dial(ctx)
		cancel()
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if state, err := nc.TLSConnectionState(); err != nil || state.Version < tls.VersionTLS12 {
				t.Errorf("%s: %v, %v", name, state.Version, err)
			}
			nc.Close()
		} else if !errors.Is(err, wire.ErrEncryption) || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), secretToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
