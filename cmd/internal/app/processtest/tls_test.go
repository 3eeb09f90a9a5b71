package processtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
)

// certificate writes a server's self-signed certificate and its key.
func certificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	secret := setup.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	public := setup.Must(x509.CreateCertificate(rand.Reader, c, c, &secret.PublicKey, secret))
	private := setup.Must(x509.MarshalPKCS8PrivateKey(secret))
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public},
		key: {Type: "PRIVATE KEY", Bytes: private}} {
		setup.Check(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// Only a worker that trusts the server's certificate and has its token plays the run. The
// token is in no output and no file.
func TestEncryptedRun(t *testing.T) {
	t.Parallel()
	dir, secret := t.TempDir(), "Mxyzptlk-7f3a-token"
	cert, key := certificate(t, dir, "server")
	strange, _ := certificate(t, dir, "strange")
	token := "ASSAY_TOKEN=" + secret
	out := filepath.Join(dir, "games")
	run, url := startCoordinator(t, []string{token, "ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + key}, "selfplay",
		"--out", out, "--games", "3", "--nodes", "10", "--max-plies", "20")
	if !strings.HasPrefix(url, "tls://") {
		t.Errorf("the server's address is %s", url)
	}
	plain := strings.Replace(url, "tls:", "nats:", 1)
	ca := "ASSAY_TLS_CA=" + cert
	for _, c := range []struct {
		url  string
		env  []string
		says string
	}{
		{url, []string{token, "ASSAY_TLS_CA=" + strange}, "unknown authority; set ASSAY_TLS_CA to"},
		{url, []string{token}, "unknown authority; set ASSAY_TLS_CA to"},
		{plain, []string{token}, "unknown authority; set ASSAY_TLS_CA to"}, // the server requires TLS
		{url, []string{token, "ASSAY_TLS_CA=" + key}, "holds no PEM certificate"},
		{url, []string{token, "ASSAY_TLS_CA=" + cert + "x"}, "ASSAY_TLS_CA: open"},
		{url, []string{"ASSAY_TOKEN=x" + secret, ca}, "rejects the credentials"},
		{url, []string{ca}, "rejects the credentials"},
	} {
		said := output(t, false, c.env, "work", c.url, "--nice", "0", "--name", "eve", "--library", t.TempDir())
		if !strings.Contains(said, c.says) || strings.Contains(said, secret) {
			t.Errorf("%s: %s", c.env, said)
		}
	}
	w := startWorker(t, []string{token, ca}, url, "--name", "anna")
	run.ends(exitDone)
	leave(w)
	if text := run.stderr.String(); strings.Contains(text, secret) {
		t.Errorf("the coordinator prints its token: %s", text)
	}
	if text := w.stderr.String(); !strings.Contains(text, "playing for run") || strings.Contains(text, secret) {
		t.Errorf("the worker's output is %s", text)
	}
	files := 0
	err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files: %v", files, err)
	}

	for _, c := range []struct {
		env  []string
		addr string
		says string
	}{
		{[]string{"ASSAY_TLS_CERT=" + cert}, "127.0.0.1:0", "go together"},
		{[]string{"ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + cert}, "127.0.0.1:0", "ASSAY_TLS_CERT and ASSAY_TLS_KEY"},
		// a certificate does not say who may connect
		{[]string{"ASSAY_TLS_CERT=" + cert, "ASSAY_TLS_KEY=" + key}, "0.0.0.0:0", "loopback addresses only"},
	} {
		if said := output(t, false, c.env, "selfplay", "--out", filepath.Join(dir, "none"), "--games", "2", "--serve",
			c.addr); !strings.Contains(said, c.says) {
			t.Errorf("%s: %s", c.env, said)
		}
	}
}
