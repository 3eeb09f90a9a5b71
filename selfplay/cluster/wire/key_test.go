package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Keys of workers sign nothing, signing keys let nobody in, and what is no key is told so.
func TestKeysForSigning(t *testing.T) {
	dir := t.TempDir()
	private, line, err := NewKey("anna")
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(dir, "anna.key")
	write(t, keys, private)
	engine := engineFile(t, "toy")
	for path, says := range map[string]string{keys: "signs no engines", engine: "want a secret key for signing", filepath.Join(dir, "none"): "none"} {
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
	for text, says := range map[string]string{line: "assay sign --new-key", "# nobody\n": "nobody is trusted", "dev": "line 1"} {
		write(t, list, []byte(text))
		if _, err := ReadTrusted(list); !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	write(t, list, []byte("dev "+dev.Public))
	if _, err := ReadKeys(list); !errors.Is(err, ErrKey) {
		t.Errorf("a coordinator lets in who signs: %v", err)
	}
}

// newSigner makes a signing key, and returns its file and what a list says of it.
func newSigner(t *testing.T, name string) (file string, key Key) {
	t.Helper()
	private, line, err := NewSigningKey(name)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), name)
	write(t, file, private)
	return file, Key{name, strings.Fields(line)[1]}
}

func engineFile(t *testing.T, name string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	write(t, path, []byte("an engine's program"))
	return path
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
