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

//go:embed shannon-1950.json shannon-appendix.json machack-1967.json assay.json
var embedded embed.FS

// ErrUnknownName is returned, wrapped, where a name is no embedded weight file.
var ErrUnknownName = errors.New("no such weights")

// Names returns the names of the embedded weight files.
func Names() []string {
	return []string{"shannon-1950", "shannon-appendix", "machack-1967", "assay"}
}

// Embedded returns the embedded weight file of the name.
func Embedded(name string) (*File, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: %q (embedded are: %s)", ErrUnknownName, name, strings.Join(Names(), ", "))
	}
	data, err := embedded.ReadFile(name + ".json")
	if err != nil {
		return nil, err
	}
	return Parse("embedded "+name+".json", data)
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
