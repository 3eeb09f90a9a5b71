package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A worker's key cannot sign engines, and a signing key cannot connect a worker.
func TestSigningKeys(t *testing.T) {
	dir := t.TempDir()
	private, line, err := NewKey("anna")
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(dir, "anna.key")
	write(t, keys, private)
	engine := engineFile(t, "toy")
	for path, says := range map[string]string{keys: "cannot sign engines", engine: "want a secret signing key",
		filepath.Join(dir, "none"): "none"} {
		if _, err := Sign(engine, path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("signing with %s: %v", path, err)
		}
	}
	secret, dev := newSigner(t, "dev")
	for _, path := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := Sign(path, secret); err == nil {
			t.Errorf("%s is signed", path)
		}
	}
	list := filepath.Join(dir, "list")
	for text, says := range map[string]string{line: "assay sign --new-key",
		"# no one\n": "no signature would be accepted", "dev": "line 1"} {
		write(t, list, []byte(text))
		if _, err := ReadTrusted(list); !errors.Is(err, errKey) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	write(t, list, []byte("dev "+dev.Public))
	if _, err := ReadKeys(list); !errors.Is(err, errKey) {
		t.Errorf("a coordinator accepts a signing key: %v", err)
	}
}

// newSigner makes a signing key, and returns its file and its entry in a list.
func newSigner(t testing.TB, name string) (file string, key Key) {
	t.Helper()
	private, line, err := NewSigningKey(name)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), name)
	write(t, file, private)
	return file, Key{name, strings.Fields(line)[1]}
}

func engineFile(t testing.TB, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	write(t, path, []byte("an engine's program"))
	return path
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A key with a line break would add lines to the list or the configuration that it is written into.
func TestValidPublic(t *testing.T) {
	_, line, err := NewKey("anna")
	if err != nil {
		t.Fatal(err)
	}
	key := strings.Fields(line)[1]
	for text, want := range map[string]bool{key: true, key + "\n": false, key[:20] + "\r\n" + key[20:]: false, "": false,
		key[1:]: false} {
		if ValidPublic(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
