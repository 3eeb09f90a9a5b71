package wire

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is in a list of keys, reading it fails, or returns keys that are valid and names that are unique.
func FuzzKeys(f *testing.F) {
	_, worker, err := NewKey("anna")
	if err != nil {
		f.Fatal(err)
	}
	_, signer, err := NewSigningKey("bert")
	if err != nil {
		f.Fatal(err)
	}
	for _, list := range []string{worker, signer, worker + "\n" + worker, "# none\n", worker + " # since May\r\n", worker[:40],
		strings.Replace(worker, "anna", "\u202e", 1), "anna\x00 " + worker[5:]} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "list")
		write(t, path, data)
		for _, read := range []func(string) ([]Key, error){ReadKeys, ReadTrusted} {
			keys, err := read(path)
			if (err == nil) != (len(keys) > 0) {
				t.Fatal(keys, err)
			}
			seen := map[string]bool{}
			for _, k := range keys {
				if CheckName(k.Name) != nil || len(k.Public) != 56 || strings.ContainsAny(k.Public, "\r\n\"{}") ||
					seen[k.Name] || seen[k.Public] {
					t.Errorf("%q", keys)
				}
				seen[k.Name], seen[k.Public] = true, true
			}
		}
		if name, err := KeyName(path); err == nil && name != "" && CheckName(name) != nil {
			t.Errorf("the name of a key file is %q", name)
		}
	})
}

// Of all files beside an engine, only that with its maker's signature is a signature.
func FuzzSignature(f *testing.F) {
	file, key := newSigner(f, "anna")
	engine := engineFile(f, "engine")
	right, err := SignatureWith(engine, file)
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(right)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(text), "", "{}", "null", `{"format":"assay.signature/1","key":"` + key.Public + `"}`,
		strings.Replace(string(text), "engine", "another", 1), string(text[:len(text)-9]) + `A=="}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := engineFile(t, "engine")
		write(t, path+SignatureSuffix, data)
		name, err := Signer(path, right.Program, []Key{key})
		var s Signature
		genuine := json.Unmarshal(data, &s) == nil && s.Format == right.Format && s.Program == right.Program &&
			s.Key == right.Key && string(s.Signature) == string(right.Signature)
		switch {
		case genuine && (err != nil || name != "anna"):
			t.Error(name, err)
		case !genuine && !errors.Is(err, ErrSignature):
			t.Errorf("signed by %q: %v", name, err)
		}
	})
}
