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
	"strconv"
	"strings"
	"sync"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/search"
	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/eval"
)

func openForeign(spec engine.Spec) (engine.Player, error) {
	c, err := Command(spec)
	if err != nil {
		return nil, err
	}
	return uci.NewClient(c), nil
}

// Command returns the command of an external engine.
func Command(spec engine.Spec) (uci.Command, error) {
	c := uci.Command{Path: spec.Command[0], Args: spec.Command[1:], Options: slices.Clone(spec.Options),
		StartTimeout: spec.StartTimeout, MoveTimeout: spec.MoveTimeout,
		FullHistory: spec.FullHistory, WhiteView: spec.WhiteView}
	_, err := findProgram(c.Path)
	return c, err
}

// findProgram is exec.LookPath with errors that say what to do.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("%s is not executable; if it is an engine, type chmod +x %s", name, quote.Word(name))
	}
	return path, err
}

// CheckPortable returns an error about an external engine from another machine that could do more than run its
// program: one with arguments, or with options, of its own or others, that may name files.
func CheckPortable(spec engine.Spec, others ...engine.Option) error {
	if len(spec.Command) > 1 {
		return fmt.Errorf("player %q: arguments cannot be used on other machines", spec.Shown())
	}
	for _, o := range slices.Concat(spec.Options, others) {
		name := strings.ToLower(o.Name)
		_, isNumber := strconv.ParseFloat(o.Value, 64)
		_, isSwitch := strconv.ParseBool(o.Value)
		if isNumber == nil || isSwitch == nil {
			continue
		}
		if strings.ContainsAny(o.Value, `/\`) || slices.ContainsFunc([]string{"file", "path", "log", "book"},
			func(word string) bool { return strings.Contains(name, word) }) {
			return fmt.Errorf("player %q: the option %s may name a file, which other machines do not have: leave it out",
				spec.Shown(), o.Name)
		}
	}
	return nil
}

// IdentifyBuilt returns the identity of an engine that was built from a commit: what was built, in place of the
// program's checksum, since two builds of a commit need not have the same bytes.
func IdentifyBuilt(spec engine.Spec, what string) string {
	return shorten("git:" + what + settingsIdentity(spec, identifyFile))
}

// identifyForeign returns the identity of an external engine, which does not depend on the folders of its files. The
// program has the first digits of its SHA-256; so have the first argument, which may be an interpreter's program,
// networks (EvalFile, WeightsFile), and all files with absolute paths (see identifyPath).
func identifyForeign(spec engine.Spec, identifyFile identifier) (string, error) {
	path, err := findProgram(spec.Command[0])
	if err != nil {
		return "", err
	}
	id, err := identifyFile(path)
	if err != nil {
		return "", err
	}
	for i, word := range spec.Command[1:] {
		if i == 0 {
			word = identifyIfFile(word, identifyFile)
		} else {
			word = identifyPath(filepath.Base(spec.Command[i]), word, identifyFile)
		}
		if word == "" || strings.ContainsAny(word, " \t'\"\\?&") { // not all that a shell wants quoted: identities stay
			word = quote.Word(word)
		}
		id += " " + word
	}
	return shorten("uci:" + id + settingsIdentity(spec, identifyFile)), nil
}

// settingsIdentity returns the options and limits as the end of an identity.
func settingsIdentity(spec engine.Spec, identifyFile identifier) (id string) {
	for i, o := range spec.Options {
		value := identifyPath(o.Name, o.Value, identifyFile)
		if strings.EqualFold(o.Name, "EvalFile") || strings.EqualFold(o.Name, "WeightsFile") {
			value = identifyIfFile(o.Value, identifyFile)
		}
		id += string("?&"[min(i, 1)]) + o.Name
		if value != "" {
			id += "=" + value
		}
	}
	if spec.FullHistory {
		id += ":history=full"
	}
	if spec.WhiteView {
		id += ":view=white"
	}
	return id + spec.LimitsText()
}

// identifyIfFile returns the identity of a file, and any other word as identifyPath does.
func identifyIfFile(word string, identifyFile identifier) string {
	if id, err := identifyFile(word); err == nil {
		return id
	}
	return identifyPath("", word, identifyFile)
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

// identifier returns the identity of a file.
type identifier = func(path string) (string, error)

// identifyContent returns a file's @HASH.
func identifyContent(path string) (string, error) {
	id, err := identifyFile(path)
	return id[max(0, strings.LastIndexByte(id, '@')):], err
}

// identifyPath returns a word with the identity of a file in place of its absolute path, also in KEY=PATH. From other
// absolute paths it removes the folder; so from files that an engine writes, by their names and that of the option.
func identifyPath(name, word string, identifyFile identifier) string {
	key, path, ok := strings.Cut(word, "=")
	if ok {
		key += "="
	} else {
		key, path = "", word
	}
	if !filepath.IsAbs(path) {
		return word
	}
	base := filepath.Base(path)
	written := slices.ContainsFunc([]string{"log", "debug", "experience", "learn", "hash", "cache", "trace", "save",
		"output"}, func(what string) bool {
		return strings.Contains(strings.ToLower(name+key+base), what)
	})
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !written {
		if id, err := identifyFile(path); err == nil {
			return key + id
		}
	}
	return key + base
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

// assayPlayer is the modern engine with options for its weights: EvalFile, and one option
// for each term, by its name and in centipawns. "queen" sets both values of a tapered
// term, "queen.mg" and "queen.eg" one of them; they take effect in the next game. SPSA uses
// them, because it would otherwise write and read a weight file for every few games.
type assayPlayer struct {
	*search.Engine
	initial string // the weights it was opened with: a file or an embedded name
	model   *eval.Model
	weights []eval.Coef
	stale   bool // the engine's evaluator has older weights
}

var _ interface {
	engine.OptionLister
	engine.ParameterLister
	engine.Ponderer
} = (*assayPlayer)(nil)

// maxHashMB bounds the transposition table that a specification may ask for.
const maxHashMB = 65536

// isHash reports whether an option is the size of assay's transposition table, which is set before all others.
func isHash(spec engine.Spec, o engine.Option) bool { return spec.Name == "assay" && o.Name == "hash" }

// hashOf returns the size of a player's transposition table in MiB.
func hashOf(spec engine.Spec) (int, error) {
	for _, o := range spec.Options {
		if !isHash(spec, o) {
			continue
		}
		n, err := strconv.Atoi(o.Value)
		if err != nil || n < 1 || n > maxHashMB {
			return 0, fmt.Errorf("hash=%s is not a number from 1 to %d", o.Value, maxHashMB)
		}
		return n, nil
	}
	return search.DefaultHashMB, nil
}

func isAssayOption(name string) bool { return name == "hash" || search.IsParameter(name) }

func openAssay(spec engine.Spec) (engine.Player, error) {
	hash, err := hashOf(spec)
	if err != nil {
		return nil, err
	}
	p := &assayPlayer{initial: WeightsName(spec)}
	ev, err := p.load(p.initial)
	if err != nil {
		return nil, err
	}
	p.Engine = search.New(ev, hash)
	return p, nil
}

// load opens weights and returns their evaluator. After an error the old weights remain.
func (p *assayPlayer) load(weights string) (engine.Evaluator, error) {
	m, w, err := loadWeights(weights)
	if err != nil {
		return nil, err
	}
	ev, err := m.NewEvaluator(w)
	if err != nil {
		return nil, err
	}
	p.model, p.weights, p.stale = m, w, false
	return ev, nil
}

// Options implements engine.OptionLister.
func (p *assayPlayer) Options() []string {
	const after = 3 // Hash, Clear Hash, Move Overhead
	return slices.Insert(p.Engine.Options(), after, "option name EvalFile type string default <empty>")
}

// SetOption implements engine.Player. An empty EvalFile loads the weights that the player
// was opened with.
func (p *assayPlayer) SetOption(name, value string) error {
	if strings.EqualFold(name, "EvalFile") {
		if value == "" || value == "<empty>" {
			value = p.initial
		}
		ev, err := p.load(value)
		if err != nil {
			return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
		}
		p.SetEvaluator(ev)
		return nil
	}
	w, ok, err := p.model.SetWeight(p.weights, name, value)
	if err != nil {
		return fmt.Errorf("%w %s: %w", search.ErrOption, name, err)
	}
	if !ok {
		return p.Engine.SetOption(name, value)
	}
	p.stale = p.stale || !slices.Equal(w, p.weights)
	p.weights = w
	return nil
}

// NewGame implements engine.Player.
func (p *assayPlayer) NewGame(seed uint64) error {
	if p.stale {
		ev, err := p.model.NewEvaluator(p.weights)
		if err != nil {
			return err
		}
		p.SetEvaluator(ev)
		p.stale = false
	}
	return p.Engine.NewGame(seed)
}
