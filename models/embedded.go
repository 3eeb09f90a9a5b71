package models

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

//go:embed *.json
var embedded embed.FS

// Champion is the name of the newest weights of the model assay that a learning run has
// made. They are also reached as Default.
const Champion = "assay-1"

// Default is the name of the weights that play and judge where nothing else is said: the
// newest champion, whichever that is.
const Default = "assay"

// ErrUnknownName is returned, wrapped, where a name is no embedded weight file.
var ErrUnknownName = errors.New("no such weights")

// catalog are the embedded weight files, and what each is.
var catalog = []struct{ name, about string }{
	{"shannon-1950", "Shannon's nine coefficients, as he stated them"},
	{"shannon-appendix", "the same, and small ones of ours for the terms of his appendix"},
	{"machack-1967", "Greenblatt's, of Mac Hack VI; its pawn terms are ours"},
	{"assay-start", "where learning starts: Shannon's numbers and zeros"},
	{"assay-1", "the first champion: learned from games against itself, from assay-start"},
}

// Names returns the names of the embedded weights. The last is Default, which is another
// name of the newest champion.
func Names() []string {
	var names []string
	for _, k := range catalog {
		names = append(names, k.name)
	}
	return append(names, Default)
}

// About says in a few words what the embedded weights of the name are.
func About(name string) string {
	for _, k := range catalog {
		if k.name == name {
			return k.about
		}
	}
	return "the newest champion, " + Champion + ": what plays where nothing else is said"
}

// CanonicalName returns the name under which files record embedded weights: what Default means
// changes with every champion.
func CanonicalName(name string) string {
	if name == Default {
		return Champion
	}
	return name
}

// StartOf returns the name of the embedded weights that hold the start of a model.
func StartOf(model string) string {
	if model == "assay" {
		return "assay-start"
	}
	return model
}

// Embedded returns the embedded weight file of the name.
func Embedded(name string) (*File, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: %q (embedded are: %s)", ErrUnknownName, name, strings.Join(Names(), ", "))
	}
	file := CanonicalName(name) + ".json"
	data, err := embedded.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse("embedded "+file, data)
}

// Load reads a weight file of one of our models.
func Load(path string) (*File, error) { return load(path, Parse) }

func load(path string, parse func(string, []byte) (*File, error)) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > MaxSize {
		return nil, tooLarge(path) // without reading any of it
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

// Open returns the weights that a person named: an embedded name, or else the path
// of a file. A file that has the name of embedded weights is reached as ./name.
func Open(fileOrName string) (*File, error) { return open(fileOrName, Parse) }

// OpenAny is Open for weights of any evaluation, as ParseAny.
func OpenAny(fileOrName string) (*File, error) { return open(fileOrName, ParseAny) }

func open(fileOrName string, parse func(string, []byte) (*File, error)) (*File, error) {
	if slices.Contains(Names(), fileOrName) {
		return Embedded(fileOrName)
	}
	f, err := load(fileOrName, parse)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w (embedded weights are: %s)", err, strings.Join(Names(), ", "))
	}
	return f, err
}
