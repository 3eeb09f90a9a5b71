package models

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/assay-chess/assay/eval"
)

//go:embed *.json
var embedded embed.FS

// champion is the name of the newest weights learned from self-play.
// Default is another name of them.
const champion = "assay-4"

// Default is the name of the weights that are used where no others are named: the
// newest champion.
const Default = "assay"

// errUnknownName is returned, wrapped, where no embedded weight file has the name.
var errUnknownName = errors.New("unknown weights")

// catalog lists the embedded weight files with their model and a description of each.
var catalog = []struct{ name, model, about string }{
	{"shannon-1950", "shannon-1950", "Shannon's nine coefficients, as he gave them"},
	{"shannon-appendix", "shannon-appendix", "the same, with small weights of our own for the terms of his appendix"},
	{"machack-1967", "machack-1967", "Greenblatt's weights of Mac Hack VI; pawn terms are our own"},
	{"assay-start", "assay", "start of learning: Shannon's numbers and zeros"},
	{"assay-1", "assay", "the first champion: learned from self-play, starting from assay-start"},
	{"assay-2", "assay-bent", "the second champion: went on from assay-1, with an evaluation that bends"},
	{"assay-3", "assay-bent", "the third champion: went on from assay-2"},
	{"assay-4", "assay-bent", "the fourth champion: went on from assay-3, with deeper scores of its own"},
}

// Names returns the names of the embedded weights; the last is Default.
func Names() []string {
	var names []string
	for _, k := range catalog {
		names = append(names, k.name)
	}
	return append(names, Default)
}

// About returns a short description of the embedded weights of the name.
func About(name string) string {
	for _, k := range catalog {
		if k.name == name {
			return k.about
		}
	}
	return "the newest champion, " + champion + ": used where no weights are named"
}

// CanonicalName returns the name under which files record embedded weights. It differs from
// the given name only for Default, whose meaning changes with every champion.
func CanonicalName(name string) string {
	if name == Default {
		return champion
	}
	return name
}

// StartOf returns the name by which Open has a model's start weights.
func StartOf(model string) string {
	if model == "assay" {
		return "assay-start"
	}
	return model
}

// NewestOf returns the name by which Open has a model's newest weights: embedded ones, or else
// its start weights.
func NewestOf(model string) string {
	for _, k := range slices.Backward(catalog) {
		if k.model == model {
			return k.name
		}
	}
	return model
}

// parsed holds the embedded weight files that were read, by file name: a command opens the
// same weights for every player.
var parsed sync.Map

// Embedded returns the embedded weight file of the name. The caller may change it.
func Embedded(name string) (*File, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: %q (embedded weights: %s)", errUnknownName, name, strings.Join(Names(), ", "))
	}
	file := CanonicalName(name) + ".json"
	f, ok := parsed.Load(file)
	if !ok {
		data, err := embedded.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if f, err = Parse("embedded "+file, data); err != nil {
			return nil, err
		}
		parsed.Store(file, f)
	}
	own := *f.(*File)
	own.Terms, own.Provenance.Data = slices.Clone(own.Terms), slices.Clone(own.Provenance.Data)
	return &own, nil
}

// Load reads a weight file of one of the models of package eval.
func Load(path string) (*File, error) { return load(path, Parse) }

func load(path string, parse func(string, []byte) (*File, error)) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

// Open returns the weights of an embedded name, the start weights of a model that has none
// embedded, or else the file at that path. Write ./name for a file with such a name.
func Open(fileOrName string) (*File, error) { return open(fileOrName, Parse) }

// OpenAny is Open for weights of any evaluation, as ParseAny is Parse.
func OpenAny(fileOrName string) (*File, error) { return open(fileOrName, ParseAny) }

func open(fileOrName string, parse func(string, []byte) (*File, error)) (*File, error) {
	if slices.Contains(Names(), fileOrName) {
		return Embedded(fileOrName)
	}
	if m, err := eval.Lookup(fileOrName); err == nil {
		return New(m, m.Start), nil
	}
	f, err := load(fileOrName, parse)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (embedded weights: %s)", err, strings.Join(Names(), ", "))
	}
	return f, err
}
