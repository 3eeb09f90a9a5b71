package wire

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nkeys"
)

// SharedUser is the user name of all workers that connect with a token.
const SharedUser = "worker"

// Key is the public half of a worker's key, an Ed25519 nkey of NATS, with the worker's name.
type Key struct{ Name, Public string }

// ErrKey is wrapped by errors about files that should hold keys.
var ErrKey = errors.New("invalid key")

// keyComment and the name are the first line of a key's file.
const keyComment = "# secret key of the assay worker "

// NewKey makes a worker's key. It returns the content of the worker's key file, and the line for the coordinator's
// list.
func NewKey(name string) (private []byte, line string, err error) {
	if err := CheckName(name); err != nil {
		return nil, "", err
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	public, e := pair.PublicKey()
	if err = errors.Join(err, e); err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	return fmt.Appendf(nil, "%s%s\n%s\n", keyComment, name, seed), name + " " + public, nil
}

// ReadKeys reads a coordinator's list of workers: lines NAME PUBLICKEY, comments after #.
func ReadKeys(path string) ([]Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w; want a list of lines NAME PUBLICKEY", err)
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
		case len(words) != 2 || !nkeys.IsValidPublicUserKey(words[1]) || CheckName(words[0]) != nil:
			return nil, fmt.Errorf("cluster: %s, line %d: %w: want NAME and a public key, U and 55 letters and "+
				"digits", path, n, ErrKey)
		case seen[words[0]] || seen[words[1]]:
			return nil, fmt.Errorf("cluster: %s, line %d: %s or its key occurs twice: delete one of the lines", path, n,
				words[0])
		}
		seen[words[0]], seen[words[1]] = true, true
		keys = append(keys, Key{words[0], words[1]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", path, err)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("cluster: %s: %w: the list is empty, so no worker could connect; add lines NAME PUBLICKEY",
			path,
			ErrKey)
	}
	return keys, nil
}

// KeyName returns the worker's name in a key file that NewKey made; empty if path is empty or the file names no worker.
func KeyName(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := readCredentials(path)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), keyComment)
	if !ok || CheckName(name) != nil {
		return "", nil
	}
	return name, nil
}

func readCredentials(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		err = fmt.Errorf("cluster: credentials: %w", err)
	}
	return data, err
}
