package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
)

// projectName is the file at the top of an engine's repository that says how assay builds and
// tests it.
const projectName = "assay.toml"

// project is what an assay.toml says, in the order of its lines.
type project struct {
	path    string
	build   *setting
	bench   *setting
	options []setting // of the engine
	flags   []setting // of the command
}

// setting is a line of an assay.toml.
type setting struct {
	name string
	text string // the value, as on a command line
	line int
}

// projectGroups are the flags that an assay.toml may set. If one of a group is on the command
// line, none of the group is taken from the file: a limit in nodes replaces one in time.
var projectGroups = [][]string{
	{"nodes", "hard-nodes", "depth", "movetime", "tc"},
	{"book", "book-order", "book-start", "random-plies", "opening-score", "opening-nodes"},
	{"sprt", "elo-model", "alpha", "beta", "corrected", "games"}, // of a match of two players
	{"win-score", "win-plies", "win-one-sided"},
	{"draw-score", "draw-plies", "draw-from"},
	{"max-plies"}, {"time-margin"}, {"move-timeout"}, {"start-timeout"},
}

// endGroup is the index of the group that ends a match.
const endGroup = 2

// readProject reads the assay.toml in a folder. Without one, or without a folder, the result
// is empty.
func readProject(top string) (*project, error) {
	p := &project{path: filepath.Join(top, projectName)}
	data, err := os.ReadFile(p.path)
	if top == "" || errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	return p, p.decode(string(data))
}

func (p *project) decode(text string) error {
	var doc map[string]any
	_, err := toml.Decode(text, &doc)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s, line %d: %s", p.path, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		s := setting{name: key, line: lineOf(text, key)}
		options, isTable := doc[key].(map[string]any)
		if key == "options" && isTable {
			for _, name := range slices.Sorted(maps.Keys(options)) {
				o := setting{name: name, line: lineOf(text, name)}
				if o.text, err = scalarText(options[name]); err != nil {
					return p.errorf(o, "%w", err)
				}
				p.options = append(p.options, o)
			}
			continue
		}
		if s.text, err = scalarText(doc[key]); err != nil {
			return p.errorf(s, "%w", err)
		}
		if err := p.add(s); err != nil {
			return err
		}
	}
	return nil
}

// add takes a setting of the file.
func (p *project) add(s setting) error {
	switch s.name {
	case "build":
		p.build = &s
		return nil
	case "bench":
		p.bench = &s
		return nil
	}
	flag := strings.ReplaceAll(s.name, "_", "-")
	for _, group := range projectGroups {
		if slices.Contains(group, flag) && flag != s.name || slices.Contains(group, s.name) && !strings.Contains(s.name, "-") {
			s.name = flag
			if flag == "book" && !filepath.IsAbs(s.text) {
				s.text = filepath.Join(filepath.Dir(p.path), s.text)
			}
			p.flags = append(p.flags, s)
			return nil
		}
	}
	return p.errorf(s, "unknown setting (there are: build, bench, options, %s)", strings.ReplaceAll(strings.Join(slices.Concat(projectGroups...), ", "), "-", "_"))
}

// errorf returns an error that names a line of the file.
func (p *project) errorf(s setting, format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s: %w", p.path, s.line, s.name, fmt.Errorf(format, args...))
}

// lineOf returns the line on which a key is set, from 1. The library has it only for errors.
func lineOf(text, key string) int {
	set := regexp.MustCompile(`(?m)^[ \t]*(?:\[(?:[^\]\n]*\.)?[ \t]*)?["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*[=.\]]|[{,][ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*=`)
	at := set.FindStringIndex(text)
	if at == nil {
		return 1
	}
	return 1 + strings.Count(text[:at[1]], "\n")
}

// scalarText returns a value as on a command line: a list with commas.
func scalarText(value any) (string, error) {
	switch v := value.(type) {
	case string, bool, int64, float64:
		return fmt.Sprint(v), nil
	case []any:
		var parts []string
		for _, e := range v {
			text, err := scalarText(e)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ","), nil
	}
	return "", errors.New("want a text, a number, true or false")
}

// apply sets the flags of a command that plays these players, unless they are on the command
// line. A flag that the command does not have is left out.
func (p *project) apply(cmd *cobra.Command, players []string) error {
	fs := cmd.Flags()
	var list []setting
	if p.build != nil && !fs.Changed("build") {
		s := *p.build
		list = append(list, s)
	}
	if p.bench != nil && !fs.Changed("no-bench") {
		switch s := *p.bench; s.text {
		case "true":
		case "false":
			list = append(list, setting{"no-bench", "true", s.line})
		default:
			return p.errorf(s, "want true or false, not %q", s.text)
		}
	}
	for i, group := range projectGroups {
		if slices.ContainsFunc(group, func(name string) bool { return fs.Lookup(name) != nil && fs.Changed(name) }) || i == endGroup && (cmd.Name() != "match" && cmd.Name() != "test" || len(players) > 2) {
			continue
		}
		for _, s := range p.flags {
			if slices.Contains(group, s.name) && fs.Lookup(s.name) != nil {
				list = append(list, s)
			}
		}
	}
	for _, s := range list {
		if err := fs.Set(s.name, s.text); err != nil {
			return p.errorf(s, "%w", err)
		}
	}
	return nil
}
