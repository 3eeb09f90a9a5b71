package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nkeys"
)

// SharedUser is the name under which workers connect that show a token: all of them the
// same.
const SharedUser = "worker"

// Key is the public half of a key of a worker, or of who signs engines: an nkey of NATS,
// Ed25519.
type Key struct{ Name, Public string }

// ErrKey is wrapped by the errors about files of keys.
var ErrKey = errors.New("no key")

// What precedes the name in the first line of a key's file.
const (
	keyComment     = "# secret key of the assay worker "
	signingComment = "# secret key for signing engines, of "
)

// NewKey makes a worker's key: what goes into the worker's file, and the line of it in
// the coordinator's list.
func NewKey(name string) (private []byte, line string, err error) {
	return newKey(keyComment, name, nkeys.CreateUser)
}

// NewSigningKey makes the key of somebody who signs engines: what goes into the file, and
// the line of it in the lists of those who trust it. It lets nobody into a server.
func NewSigningKey(name string) (private []byte, line string, err error) {
	return newKey(signingComment, name, nkeys.CreateAccount)
}

func newKey(comment, name string, create func() (nkeys.KeyPair, error)) (private []byte, line string, err error) {
	if err := CheckName(name); err != nil {
		return nil, "", err
	}
	pair, err := create()
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	return fmt.Appendf(nil, "%s%s\n%s\n", comment, name, seed), name + " " + public, nil
}

// ReadKeys reads a coordinator's list: lines NAME PUBLICKEY; what follows # is a comment.
func ReadKeys(path string) ([]Key, error) {
	return readList(path, nkeys.IsValidPublicUserKey, "U and 55 letters and digits, as assay work --new-key prints them", "nobody could come")
}

// ReadTrusted reads a list, like that of ReadKeys, of those whose signatures under engines
// are believed.
func ReadTrusted(path string) ([]Key, error) {
	return readList(path, nkeys.IsValidPublicAccountKey, "A and 55 letters and digits, as assay sign --new-key prints them", "nobody is trusted")
}

func readList(path string, valid func(string) bool, want, nobody string) ([]Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	defer f.Close()
	var keys []Key
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
			continue
		case len(words) != 2 || !valid(words[1]) || CheckName(words[0]) != nil:
			return nil, fmt.Errorf("cluster: %s, line %d: %w: want NAME and a public key, %s", path, n, ErrKey, want)
		case seen[words[0]] || seen[words[1]]:
			return nil, fmt.Errorf("cluster: %s, line %d: %s or its key is there twice", path, n, words[0])
		}
		seen[words[0]], seen[words[1]] = true, true
		keys = append(keys, Key{words[0], words[1]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", path, err)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("cluster: %s: %w in it: %s", path, ErrKey, nobody)
	}
	return keys, nil
}

// KeyName returns the name of the worker whose key a file holds, as NewKey wrote it; empty
// if the file does not say, or there is none.
func KeyName(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cluster: credentials: %w", err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), keyComment)
	if !ok || CheckName(name) != nil {
		return "", nil
	}
	return name, nil
}

// readSecret reads a secret key, as NewKey and NewSigningKey wrote it.
func readSeed(file []byte) (nkeys.KeyPair, error) {
	var seed []byte
	for line := range bytes.Lines(file) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			seed = bytes.Clone(line)
			break
		}
	}
	return nkeys.FromSeed(seed)
}
