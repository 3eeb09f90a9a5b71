package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
	"github.com/assay-chess/assay/selfplay/match"
)

// fetching has a worker fetch what the trusted keys signed.
func fetching(t *testing.T, trusted ...wire.Key) *worker.AllowedEngines {
	t.Helper()
	a := allow(t, nil, "", trusted...)
	if err := a.Fetch(filepath.Join(t.TempDir(), "engines")); err != nil {
		t.Fatal(err)
	}
	return a
}

// An engine travels with its signature and plays the same games as here. A worker whose owner
// does not trust the signer does not get it, and both sides hear the signer's key.
func TestEnginesAreSent(t *testing.T) {
	t.Parallel()
	secret, dev := signingKey(t, "dev")
	_, stranger := signingKey(t, "stranger")
	path := toyFile(t, "toy", "")
	local := foreignMatch(t, "uci:"+quote.Word(path), nil)
	if _, err := match.Run(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	b, notes := serve(t, broker.Config{}), newLogBook(t)
	sign := func(path string) (*wire.Signature, error) { return wire.SignatureWith(path, secret) }
	c := foreignMatch(t, "uci:"+quote.Word(path),
		newCoordinator(t, b, coordinator.Config{Signature: sign, Log: notes.add}))
	end := inBackground(t, func() error { _, err := match.Run(t.Context(), c); return err })
	_, ended := startWorker(t, b, "eve", allowing(fetching(t, stranger)))
	if err := ended(); !hasText(err, "its owner does not allow the engine") ||
		!strings.Contains(err.Error(), "toy") || !strings.Contains(err.Error(), dev.Public) {
		t.Errorf("eve ended with %v", err)
	}
	notes.expect("eve", "is refused", "toy", dev.Public, "add it to the list of --trust")
	own := newLogBook(t)
	startWorker(t, b, "anna", func(w *worker.Worker) { w.Engines, w.Log = fetching(t, dev), own.add })
	end()
	sameFiles(t, c.Out, local.Out)
	own.expect("fetching engine toy, signed by dev")
}

// Engines without a signature are not sent.
func TestUnsignedEnginesAreNotSent(t *testing.T) {
	t.Parallel()
	secret, _ := signingKey(t, "dev")
	b := serve(t, broker.Config{})
	path := toyFile(t, "toy", "")
	for says, do := range map[string]func(){
		"no toy.sig":    func() {},
		"sign it again": func() { sign(t, path, secret); putToy(t, path, "changed") },
	} {
		do()
		c := foreignMatch(t, "uci:"+quote.Word(path), newCoordinator(t, b, coordinator.Config{Signature: wire.ReadSignature}))
		if _, err := match.Run(t.Context(), c); !errors.Is(err, wire.ErrSignature) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
		os.Remove(path + wire.SignatureSuffix)
	}
}
