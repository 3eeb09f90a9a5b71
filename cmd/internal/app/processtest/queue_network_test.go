package processtest

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/assay-chess/assay/selfplay/queue"
)

// shortMatch is a match of two games.
var shortMatch = []string{"match", "assay:hash=1", "first-move", "--games", "2", "--nodes", "10", "--max-plies", "10",
	"--opening-score", "-1"}

// A queue uses NATS servers that run already and give each key its rights. Its tests are
// complete, with the bytes of a local run, though those servers end and start again in the
// middle. Without a key, or with a worker's, no queue starts.
func TestQueueOverNATS(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	list := ""
	for _, name := range []string{"coordinator", "anna"} {
		code, line, stderr := call(t, "work", "--new-key", at(name+".key"), "--name", name)
		if code != exitDone {
			t.Fatal(stderr)
		}
		list += line
	}
	if err := os.WriteFile(at("list"), []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	code, rights, stderr := call(t, "work", "--rights", at("list"))
	if err := os.WriteFile(at("assay.conf"), []byte(rights), 0o666); code != exitDone || err != nil {
		t.Fatal(err, stderr)
	}
	options, err := server.ProcessConfigFile(at("assay.conf"))
	if err != nil {
		t.Fatal(err)
	}
	options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", -1, true, true
	startNATS := func() *server.Server {
		s, err := server.NewServer(options)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(soonEnough) {
			t.Fatal("the NATS server does not start")
		}
		return s
	}
	s := startNATS()
	t.Cleanup(func() { s.Shutdown() })
	url := s.ClientURL()
	code, _, stderr = call(t, "queue", "serve", "--store", at("queue"), "--nats", url, "--listen", "127.0.0.1:0")
	if code != exitUsage || !strings.Contains(stderr, "give only one of them") {
		t.Errorf("--nats and --listen: exit %d: %s", code, stderr)
	}
	q := &queueProcess{store: at("queue"), workers: url}
	serve := []string{"queue", "serve", "--store", q.store, "--nats", url, "--http", "127.0.0.1:0", "--lease", "1s"}
	for env, says := range map[string]string{"ASSAY_CREDENTIALS=": "rejects the credentials",
		"ASSAY_CREDENTIALS=" + at("anna.key"): "needs the key named coordinator"} {
		if said := output(t, false, []string{env}, serve...); !strings.Contains(said, says) {
			t.Errorf("%s: want %q: %s", env, says, said)
		}
	}
	q.process = start(t, []string{"ASSAY_CREDENTIALS=" + at("coordinator.key")}, serve...)
	_, q.url, _ = strings.Cut(q.expect("page and tests at "), "page and tests at ")
	q.url, _, _ = strings.Cut(q.url, "/ ")
	w := startWorker(t, nil, url, "--credentials", at("anna.key"))
	q.add("first", shortMatch...)
	q.await("first", queue.Complete)
	options.Port = s.Addr().(*net.TCPAddr).Port
	s.Shutdown()
	s.WaitForShutdown()
	s = startNATS()
	q.add("second", shortMatch...)
	q.await("second", queue.Complete)
	start(t, nil, slices.Concat(shortMatch, []string{"--out", at("local")})...).ends(exitDone)
	for _, name := range []string{"first", "second"} {
		sameFiles(t, "result.json", filepath.Join(q.store, "tests", name), at("local"))
	}
	leave(w)
	q.interrupt()
	q.ends(exitDone)
}

// A queue that others than this machine reach needs keys and a certificate, and then serves
// workers and people over TLS.
func TestQueueEncrypted(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	cert, key := certificate(t, dir, "server")
	serve := []string{"queue", "serve", "--store", at("queue"), "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0"}
	if code, _, stderr := call(t, serve...); code != exitUsage || !strings.Contains(stderr,
		"make keys with assay queue key") {
		t.Errorf("without keys: exit %d: %s", code, stderr)
	}
	code, line, stderr := call(t, "work", "--new-key", at("bob.key"), "--name", "bob")
	if code != exitDone {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{{"bob", "--roles", "work", "--public", strings.Fields(line)[1]},
		{"anna", "--roles", "read,submit,approve"}} {
		if code, line, stderr = call(t, slices.Concat([]string{"queue", "key", "--store", at("queue")},
			args)...); code != exitDone {
			t.Fatal(stderr)
		}
	}
	if code, _, stderr := call(t, serve...); code != exitUsage || !strings.Contains(stderr,
		"set ASSAY_TLS_CERT and ASSAY_TLS_KEY") {
		t.Errorf("without a certificate: exit %d: %s", code, stderr)
	}
	serve[5] = "0.0.0.0:0"
	q := start(t, []string{"ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + key}, serve...)
	_, workers, _ := strings.Cut(q.expect("assay work "), "assay work ")
	if !strings.HasPrefix(workers, "tls://") {
		t.Errorf("workers are at %s", workers)
	}
	port := func(url string) string { return "127.0.0.1" + url[strings.LastIndex(url, ":"):] }
	_, url, _ := strings.Cut(q.expect("page and tests at "), "page and tests at ")
	url, _, _ = strings.Cut(url, "/ ")
	if !strings.HasPrefix(url, "https://") {
		t.Errorf("the page is at %s", url)
	}
	url, workers = "https://"+port(url), "tls://"+port(workers)
	ca := "ASSAY_TLS_CA=" + cert
	secret := "ASSAY_QUEUE_KEY=" + strings.TrimSpace(line)
	for _, c := range []struct {
		env  []string
		args []string
		says string
	}{
		{[]string{secret}, []string{"queue", "list", "--queue", url}, "ASSAY_TLS_CA"},
		{[]string{ca}, []string{"queue", "list", "--queue", url}, "no valid key"},
		{[]string{secret, ca}, []string{"queue", "list", "--queue", "http://" + port(url)}, "use https://"},
		{nil, []string{"work", workers, "--nice", "0", "--credentials", at("bob.key")}, "ASSAY_TLS_CA"},
		{[]string{ca}, []string{"work", workers, "--nice", "0", "--name", "eve"}, "credentials"},
	} {
		if said := output(t, false, c.env, c.args...); !strings.Contains(said, c.says) {
			t.Errorf("%q: want %q: %s", c.args, c.says, said)
		}
	}
	start(t, []string{ca, secret}, slices.Concat([]string{"queue", "add", "--queue", url, "--name", "first"},
		shortMatch)...).ends(exitDone)
	w := startWorker(t, []string{ca}, workers, "--credentials", at("bob.key"))
	for until := time.Now().Add(soonEnough); ; time.Sleep(50 * time.Millisecond) {
		var x queue.Test
		if err := json.Unmarshal([]byte(output(t, true, []string{ca, secret}, "queue", "show", "first", "--queue", url,
			"--json")), &x); err != nil {
			t.Fatal(err)
		}
		if x.State == queue.Complete {
			break
		}
		if x.State == queue.Failed || time.Now().After(until) {
			t.Fatalf("the test is %s (%s): %s %s", x.State, x.Reason, &q.stderr, &w.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(at("queue"), "tests", "first", "result.json")); err != nil {
		t.Error(err)
	}
	leave(w)
	q.interrupt()
	q.ends(exitDone)
}
