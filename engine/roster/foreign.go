package roster

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/engine/uci/sandbox"
)

// foreignPrefix begins the specification of a foreign engine.
const foreignPrefix = "uci:"

// ErrSpec is wrapped by the errors of malformed specifications of foreign engines.
var ErrSpec = errors.New("want uci:[KEY=VALUE:]COMMAND[?OPTION=VALUE[&OPTION=VALUE]...]")

// foreign is the parsed specification of a foreign engine.
type foreign struct {
	limits
	command uci.Command
}

// foreignKeys are the settings that may precede a command.
var foreignKeys = []string{"nodes", "depth", "timeout", "start", "history", "view", "sandbox"}

// Foreign reports whether the specification is of a foreign engine.
func Foreign(spec string) bool { return strings.HasPrefix(spec, foreignPrefix) }

// Threaded reports whether the specification gives a foreign engine more than one thread.
func Threaded(spec string) bool {
	f, err := parseForeign(spec)
	return Foreign(spec) && err == nil && slices.ContainsFunc(f.command.Options, func(o uci.Option) bool {
		return strings.Contains(strings.ToLower(o.Name), "thread") && o.Value != "1"
	})
}

// WithTimeouts returns the specification of the same player with timeouts, unless it has
// its own: move for a move beyond the limit of its search, start for the engine to be
// ready. 0 means the default. The specification of a player that is not foreign is
// returned unchanged.
func WithTimeouts(spec string, move, start time.Duration) string {
	if !Foreign(spec) && !FromGit(spec) {
		return spec
	}
	prefix, rest := spec[:len(foreignPrefix)], spec[len(foreignPrefix):] // both prefixes have four bytes
	f, err := parseForeign(foreignPrefix + rest)
	if err != nil {
		return spec // Open reports the error
	}
	if start > 0 && f.command.StartTimeout == 0 {
		rest = fmt.Sprintf("start=%v:", start) + rest
	}
	if move > 0 && f.command.MoveTimeout == 0 {
		rest = fmt.Sprintf("timeout=%v:", move) + rest
	}
	return prefix + rest
}

func openForeign(spec string) (engine.Player, error) {
	f, err := parseForeign(spec)
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	if _, err := exec.LookPath(f.command.Path); err != nil {
		return nil, fmt.Errorf("player %q: %w", spec, err)
	}
	return f.limit(uci.NewClient(f.command)), nil
}

// parseForeign parses the specification of a foreign engine.
func parseForeign(spec string) (*foreign, error) {
	f := &foreign{}
	rest := strings.TrimPrefix(spec, foreignPrefix)
	seen := map[string]bool{}
	for {
		key, value, after, ok := leadingSetting(rest)
		if !ok {
			break
		}
		if seen[key] {
			return nil, fmt.Errorf("%s is set twice", key)
		}
		seen[key] = true
		if err := f.set(key, value); err != nil {
			return nil, err
		}
		rest = after
	}
	words, options, err := SplitCommand(rest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%w: the command is missing", ErrSpec)
	}
	for _, o := range options {
		if strings.EqualFold(o.Name, "UCI_Chess960") {
			return nil, fmt.Errorf("option %s: assay sets it itself, for each game as its start needs it: leave it out", o.Name)
		}
	}
	f.command.Path, f.command.Args, f.command.Options = words[0], words[1:], options
	return f, nil
}

// leadingSetting splits KEY=VALUE: off the text.
func leadingSetting(rest string) (key, value, after string, ok bool) {
	head, after, ok := strings.Cut(rest, ":")
	if !ok {
		return "", "", rest, false
	}
	key, value, ok = strings.Cut(head, "=")
	if !ok || !slices.Contains(foreignKeys, key) {
		return "", "", rest, false
	}
	return key, value, after, true
}

func (f *foreign) set(key, value string) error {
	switch key {
	case "nodes", "depth":
		return f.limits.set(key, value)
	case "history":
		if f.command.FullHistory = value == "full"; !f.command.FullHistory {
			return fmt.Errorf("history=%s: want full, or nothing for the moves since the last capture or pawn move", value)
		}
		return nil
	case "view":
		if f.command.WhiteView = value == "white"; !f.command.WhiteView {
			return fmt.Errorf("view=%s: want white, or nothing for scores from the side to move's view", value)
		}
		return nil
	case "sandbox":
		mb, err := positive(key, value, 1<<20)
		f.command.Sandbox = &sandbox.Limits{Memory: mb}
		if err == nil {
			err = f.command.Sandbox.Check()
		}
		return err
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return fmt.Errorf("%s=%s is not a time above zero, such as 500ms or 5s", key, value)
	}
	if key == "timeout" {
		f.command.MoveTimeout = d
	} else {
		f.command.StartTimeout = d
	}
	return nil
}

// identifyForeign returns the identity of a foreign engine, which does not depend on the
// folders of its files. The program has the first digits of its SHA-256; so have the first
// argument, which may be an interpreter's program, and networks (EvalFile, WeightsFile).
func identifyForeign(spec string) (string, error) {
	f, err := parseForeign(spec)
	if err != nil {
		return "", fmt.Errorf("player %q: %w", spec, err)
	}
	path, err := exec.LookPath(f.command.Path)
	if err != nil {
		return "", fmt.Errorf("player %q: %w", spec, err)
	}
	id, err := identifyFile(path)
	if err != nil {
		return "", fmt.Errorf("player %q: %w", spec, err)
	}
	for i, arg := range f.command.Args {
		word := withoutFolder(arg)
		if i == 0 {
			word = identifyIfFile(arg)
		}
		id += " " + quoteWord(word)
	}
	return shorten(foreignPrefix + id + f.settingsIdentity()), nil
}

// settingsIdentity returns the options and limits as the end of an identity.
func (f *foreign) settingsIdentity() (id string) {
	for i, o := range f.command.Options {
		value := withoutFolder(o.Value)
		if strings.EqualFold(o.Name, "EvalFile") || strings.EqualFold(o.Name, "WeightsFile") {
			value = identifyIfFile(o.Value)
		}
		id += string("?&"[min(i, 1)]) + o.Name
		if value != "" {
			id += "=" + value
		}
	}
	if f.command.FullHistory {
		id += ":history=full"
	}
	if f.command.WhiteView {
		id += ":view=white"
	}
	return id + f.limits.String()
}

// identifyIfFile returns the identity of a file, and any other word without its folder.
func identifyIfFile(word string) string {
	if id, err := identifyFile(word); err == nil {
		return id
	}
	return withoutFolder(word)
}

// hashed are the files that identifyFile has read, by path.
var hashed sync.Map

// hashedFile is a file as it was when it was read, and its identity.
type hashedFile struct {
	info fs.FileInfo
	id   string
}

// identifyFile returns a file's NAME@HASH. It reads a file of tens of megabytes once, unless the
// file changes: a match of two players with one program asks twice.
func identifyFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() // only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w", path, cmp.Or(err, error(fs.ErrInvalid)))
	}
	if was, ok := hashed.Load(path); ok && was.(hashedFile).is(info) {
		return was.(hashedFile).id, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	id := filepath.Base(path) + "@" + hex.EncodeToString(h.Sum(nil))[:12]
	hashed.Store(path, hashedFile{info, id})
	return id, nil
}

// is reports whether the file is still the same.
func (h hashedFile) is(now fs.FileInfo) bool {
	return os.SameFile(h.info, now) && h.info.Size() == now.Size() && h.info.ModTime().Equal(now.ModTime())
}

// withoutFolder removes the folder from an absolute path, also in KEY=PATH.
func withoutFolder(word string) string {
	name, value, ok := strings.Cut(word, "=")
	if ok {
		name += "="
	} else {
		name, value = "", word
	}
	if filepath.IsAbs(value) {
		value = filepath.Base(value)
	}
	return name + value
}

// maxIdentity bounds an identity, in bytes.
const maxIdentity = 500

// shorten shortens a long identity and appends its hash, so that it stays unique.
func shorten(id string) string {
	id = strings.ToValidUTF8(id, "?")
	if len(id) <= maxIdentity {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return strings.ToValidUTF8(id[:maxIdentity-20], "") + "...@" + hex.EncodeToString(sum[:])[:12]
}
