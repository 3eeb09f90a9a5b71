package queue

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset/durable"
)

// Role is what the holder of a key may do.
type Role string

// The roles. Every key may do what its roles say, and no more.
const (
	Read    Role = "read"    // see tests, workers, the audit log and live pages
	Submit  Role = "submit"  // add tests, upload files, and stop, resume, remove and rank the own tests
	Approve Role = "approve" // approve tests, and stop, resume, remove and rank any
	Work    Role = "work"    // connect a worker
)

// Roles are all roles.
var Roles = []Role{Read, Submit, Approve, Work}

// Key is a person's access. The secret itself is not kept.
type Key struct {
	Name   string `json:"name"`
	Roles  []Role `json:"roles"`
	SHA256 string `json:"sha256,omitempty"` // of the secret for HTTP; empty: none
	Public string `json:"public,omitempty"` // key of the person's workers, as assay work --new-key prints it
}

// May reports whether the key has a role.
func (k *Key) May(r Role) bool { return slices.Contains(k.Roles, r) }

// errKey means that a key is unknown or malformed.
var errKey = errors.New("queue: invalid key")

// Keys reads the keys of the store in a folder; none if there is no list.
func Keys(dir string) ([]Key, error) {
	path := filepath.Join(dir, keysName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	var list []Key
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("queue: %s: %w: %w", path, durable.ErrDamaged, err)
	}
	return list, nil
}

// Guarded reports whether requests need a key: some key has a secret. Keys of workers alone
// guard the workers only.
func Guarded(list []Key) bool {
	return slices.ContainsFunc(list, func(k Key) bool { return k.SHA256 != "" })
}

// SetKey adds a key to the store in a folder, or replaces the one of the name, or deletes it
// if it has no roles. The server notices. It returns the secret for HTTP, if the key has a
// role that needs one; it is kept nowhere else.
func SetKey(dir string, k Key) (secret string, err error) {
	list, err := Keys(dir)
	if err != nil {
		return "", err
	}
	if !nameRule.MatchString(k.Name) || k.Name == Server {
		return "", fmt.Errorf("%w: name %q: want letters, digits, '.', '-' and '_'", errKey, k.Name)
	}
	for _, r := range k.Roles {
		if !slices.Contains(Roles, r) {
			return "", fmt.Errorf("%w: role %q: there are %v", errKey, r, Roles)
		}
	}
	list = slices.DeleteFunc(list, func(o Key) bool { return o.Name == k.Name })
	if k.May(Read) || k.May(Submit) || k.May(Approve) {
		secret = "assay-" + rand.Text()
		k.SHA256 = hash(secret)
	}
	if len(k.Roles) > 0 {
		list = append(list, k)
	}
	if err := durable.MakeDir(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, keysName)
	if err := durable.WriteJSON(path, list); err != nil {
		return "", err
	}
	return secret, os.Chmod(path, 0o600)
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Find returns the key with a secret. The secret is long and random, so a plain hash is
// enough, and comparing hashes tells nothing about it.
func Find(list []Key, secret string) (Key, error) {
	sum := hash(secret)
	for _, k := range list {
		if k.SHA256 == sum {
			return k, nil
		}
	}
	return Key{}, errKey
}
