package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
)

// MaxObject bounds a file that a test needs, in bytes.
const MaxObject = 1 << 29

// ErrObject means that a file is not what it should be.
var ErrObject = errors.New("queue: invalid file")

// A file is named by its content and its name in a command line: object/SHA256/NAME.
const objectPrefix = "object/"

var (
	objectName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$`)
	objectRef  = regexp.MustCompile(`object/([0-9a-f]{64})/([A-Za-z0-9_][A-Za-z0-9._+-]{0,99})`)
	hexSum     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Ref returns how command lines name a file. A signature belongs to the file that it signs:
// it has that file's SHA-256, and its name with .sig.
func Ref(sum, name string) (string, error) {
	if !hexSum.MatchString(sum) || !objectName.MatchString(name) {
		return "", fmt.Errorf("%w: %q: want a name of 1 to 100 letters, digits, '.', '_', '+' and '-', and a SHA-256",
			ErrObject, name)
	}
	return objectPrefix + sum + "/" + name, nil
}

// ObjectPath returns where a file is kept.
func (s *Store) ObjectPath(sum, name string) string {
	return filepath.Join(s.Dir, objectsName, sum, name)
}

// Expand replaces the names of files in a word of a command line by their paths. It reports
// files that are missing.
func (s *Store) Expand(word string) (string, error) {
	var missing error
	word = objectRef.ReplaceAllStringFunc(word, func(ref string) string {
		part := objectRef.FindStringSubmatch(ref)
		path, err := filepath.Abs(s.ObjectPath(part[1], part[2]))
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			missing = fmt.Errorf("%w: %s is not in the store; upload it first", ErrObject, ref)
		}
		return path
	})
	return word, missing
}

// IsObject reports whether a path is that of a file that was uploaded.
func (s *Store) IsObject(path string) bool {
	root, err := filepath.Abs(filepath.Join(s.Dir, objectsName))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel) && strings.Count(filepath.ToSlash(rel), "/") == 1 &&
		!strings.HasPrefix(rel, ".")
}

// Put keeps a file, whose content must have the SHA-256. Executable files stay so: an engine
// is started from here.
func (s *Store) Put(sum, name string, content io.Reader) error {
	if _, err := Ref(sum, name); err != nil {
		return err
	}
	path := s.ObjectPath(sum, name)
	if have, err := durable.SumFile(path); err == nil && have.SHA256 == sum {
		return nil
	}
	if err := durable.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := durable.Create(path)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(content, MaxObject+1))
	if got := hex.EncodeToString(h.Sum(nil)); err == nil && (n > MaxObject || got != sum) {
		err = fmt.Errorf("%w: %s has %d bytes with SHA-256 %s, want %s and at most %d bytes", ErrObject, name, n, got, sum,
			MaxObject)
	}
	if err != nil {
		f.Abort()
		return err
	}
	if _, err := f.Commit(); err != nil {
		return err
	}
	return os.Chmod(path, 0o700)
}
