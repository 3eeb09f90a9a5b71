package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lists of keys that are refused, with the reason.
func TestReadKeys(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	for text, says := range map[string]string{"# no one\n": "no worker could connect", "dev": "line 1",
		"dev U123": "assay work --new-key"} {
		write(t, list, []byte(text))
		if _, err := ReadKeys(list); !errors.Is(err, errKey) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
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
