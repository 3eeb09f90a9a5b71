package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/assay-chess/assay/selfplay"
)

// maxFileBytes is the size that a file of settings may have.
const maxFileBytes = 1 << 20

// Line is a setting of a file.
type Line struct {
	Name   string
	Text   string // the value, as on a command line
	Number int
}

// document is a file of settings in TOML or JSON.
type document struct {
	path   string
	text   string
	from   int // where in the text the table begins, if this is one
	values map[string]any
}

// readDocument reads a file: JSON if its name ends in .json, else TOML. Errors name the file and the line.
func readDocument(path string) (*document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes, but a file of settings has %d at most", path, info.Size(), maxFileBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &document{path: path, text: string(data)}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		err = d.decodeJSON()
	} else {
		err = d.decodeTOML()
	}
	return d, err
}

func (d *document) decodeTOML() error {
	_, err := toml.Decode(d.text, &d.values)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s, line %d: %s", d.path, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

func (d *document) decodeJSON() error {
	dec := json.NewDecoder(strings.NewReader(d.text))
	dec.UseNumber()
	err := dec.Decode(&d.values)
	if err != nil {
		line := 1 + strings.Count(d.text[:min(dec.InputOffset(), int64(len(d.text)))], "\n")
		return fmt.Errorf("%s, line %d: %w", d.path, line, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: text after the configuration", d.path)
	}
	return nil
}

// lines calls each with the settings of the file, or of a table of it, by name. A setting that take
// returns true for is left out.
func (d *document) lines(values map[string]any, take func(Line, any) (bool, error), each func(Line) error) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		l := Line{Name: name, Number: d.lineOf(name)}
		taken, err := false, error(nil)
		if take != nil {
			taken, err = take(l, values[name])
		}
		if err == nil && !taken {
			if l.Text, err = scalarText(values[name]); err == nil {
				err = each(l)
			}
		}
		if err != nil {
			return d.errorf(l, "%w", err)
		}
	}
	return nil
}

// errorf returns an error that names a line of the file. An error that does so already stays.
func (d *document) errorf(l Line, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if strings.HasPrefix(err.Error(), d.path+", line ") {
		return err
	}
	return fmt.Errorf("%s, line %d: %s: %w", d.path, l.Number, l.Name, err)
}

// lineOf returns the line on which a key is set, from 1. The libraries have it only for errors.
func (d *document) lineOf(key string) int { return 1 + strings.Count(d.text[:d.endOf(key)], "\n") }

// endOf returns where the key ends in the text; 0 if it is not found.
func (d *document) endOf(key string) int {
	name := `["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*`
	set := regexp.MustCompile(`(?m)^[ \t]*(?:\[(?:[^\]\n]*\.)?[ \t]*)?` + name + `[=.\]:]|[{,][ \t]*` + name + `[=:]`)
	at := set.FindStringIndex(d.text[d.from:])
	if at == nil {
		return d.from
	}
	return d.from + at[1]
}

// scalarText returns a value as on a command line: a list with commas.
func scalarText(value any) (string, error) {
	switch v := value.(type) {
	case string, bool, int64, float64, json.Number:
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

// ProjectName is the file at the top of an engine's repository that says how assay builds and
// tests it.
const ProjectName = "assay.toml"

// Words of the command that prints features: the engine, and where it loads weights the file with them, or nothing.
const (
	Exe        = "{exe}"
	WeightFile = "{weights}"
)

// Project is an assay.toml.
type Project struct {
	Options []Line   // of the engine
	Dump    string   // command that prints features, with Exe
	Sources []string // files in which the coefficients stand, from the top of the repository; or
	Weights string   // the UCI option that loads a weight file
	Learn   *Set     // settings of a loop; those of Engine
	lines   []Line   // settings, by the names of their flags
	*document
}

// ReadProject reads the assay.toml in a folder. Without one, or without a folder, the result is empty.
func ReadProject(top string) (*Project, error) {
	d, err := readDocument(filepath.Join(top, ProjectName))
	p := &Project{document: d, Learn: New(Engine, nil)}
	if top == "" || errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	return p, d.lines(d.values, p.tuned, p.add)
}

// tuned takes what assay.toml says beside the settings of games: options, and how the engine is tuned.
func (p *Project) tuned(l Line, value any) (bool, error) {
	table, isTable := value.(map[string]any)
	inside := *p.document
	inside.from = p.endOf(l.Name)
	switch l.Name {
	case "options":
		return isTable, inside.lines(table, nil, func(o Line) error { p.Options = append(p.Options, o); return nil })
	case "learn":
		if !isTable {
			return true, errors.New("want a table: [learn], and below it nodes = 5000")
		}
		return true, inside.lines(table, nil, p.addLearn)
	case "dump":
		if p.Dump, _ = value.(string); !strings.Contains(p.Dump, Exe) {
			return true, fmt.Errorf("want the command that prints features, with %s for the engine: \"%[1]s dump\"", Exe)
		}
	case "sources":
		list, _ := value.([]any)
		for _, v := range list {
			name, _ := v.(string)
			if !filepath.IsLocal(name) {
				return true, fmt.Errorf("want files of the repository, from its top, not %q", fmt.Sprint(v))
			}
			p.Sources = append(p.Sources, name)
		}
		if len(list) == 0 {
			return true, errors.New(`want a list of files: ["src/eval.c"]`)
		}
	case "weights":
		if p.Weights, _ = value.(string); p.Weights == "" {
			return true, errors.New("want the name of a UCI option that loads a weight file")
		}
		if !strings.Contains(p.Dump, WeightFile) {
			return true, fmt.Errorf("dump must say where the file goes: \"%s dump %s\"", Exe, WeightFile)
		}
		if len(p.Sources) > 0 {
			return true, errors.New("the coefficients stand in sources or in a weight file: give one of them")
		}
	default:
		return false, nil
	}
	return true, nil
}

// addLearn takes a line of the table [learn].
func (p *Project) addLearn(l Line) error {
	s, flag := p.Learn, strings.ReplaceAll(l.Name, "_", "-")
	if strings.Contains(l.Name, "-") || !s.Has(flag) {
		return fmt.Errorf("unknown setting of [learn] (there are: %s)",
			strings.ReplaceAll(strings.Join(s.known(), ", "), "-", "_"))
	}
	if err := s.flags.Set(flag, l.Text); err != nil {
		return fmt.Errorf("%q: want %s", l.Text, strings.TrimPrefix(Engine.Lookup(flag).Help, "with --engine: "))
	}
	var lo, hi float64
	switch n, err := fmt.Sscanf(s.Gate, "%g,%g", &lo, &hi); {
	case s.Limits.Nodes == 0 && l.Name == "nodes", s.TuneGames < 1 && l.Name == "games",
		s.Generations < 1 && l.Name == "generations":
		return fmt.Errorf("want 1 or more, not %s", l.Text)
	case s.Given("nodes") && s.Given("tc"):
		return errors.New("nodes and tc both limit a move: give one of them")
	case s.Given("games") && s.Given("hours"):
		return errors.New("games and hours both say how long a generation plays: give one of them")
	case !(s.Lambda >= 0 && s.Lambda <= 1):
		return fmt.Errorf("want a share from 0 to 1, not %s", l.Text)
	case !(s.Decay > 0 && s.Decay <= 1):
		return fmt.Errorf("want a weight above 0, up to 1, not %s", l.Text)
	case !(s.Drift >= 0 && s.Drift <= 100):
		return fmt.Errorf("want centipawns from 0 to 100, not %s", l.Text)
	case n != 2 || err != nil || !(lo >= 0 && lo < hi):
		return fmt.Errorf("want a test for a gain, such as [0, 10], not [%s]: one from below 0 promotes weaker engines",
			s.Gate)
	case l.Name == "tc" || l.Name == "clock":
		_, err := selfplay.ParseClock(l.Text)
		return err
	case l.Name == "book":
		s.Opening.Book = p.besideFile(l.Text)
	}
	return nil
}

// Build returns the command that builds the engine, empty if there is none.
func (p *Project) Build() string {
	for _, l := range p.lines {
		if l.Name == "build" {
			return l.Text
		}
	}
	return ""
}

// besideFile returns a path that stands in the file.
func (p *Project) besideFile(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(p.path), path)
}

// add takes a line.
func (p *Project) add(l Line) error {
	switch flag := strings.ReplaceAll(l.Name, "_", "-"); {
	case l.Name == "bench" && l.Text == "true":
		return nil
	case l.Name == "bench" && l.Text != "false":
		return fmt.Errorf("want true or false, not %q", l.Text)
	case l.Name == "bench":
		l.Name, l.Text = "no-bench", "true"
	case strings.Contains(l.Name, "-") || l.Name == "no_bench" || !slices.Contains(projectNames(), flag):
		list := strings.NewReplacer("-", "_", "no-bench", "bench").Replace(strings.Join(projectNames(), ", "))
		return fmt.Errorf("unknown setting (there are: options, dump, sources, weights, learn, %s)", list)
	default:
		l.Name = flag
	}
	if row := (Match | Ladder | Selfplay).Lookup(l.Name); row.Use&File != 0 {
		l.Text = p.besideFile(l.Text)
	}
	p.lines = append(p.lines, l)
	return nil
}

// projectNames lists the flags that an assay.toml may set.
func projectNames() (list []string) {
	for i := range Table {
		if r := &Table[i]; r.Project != "" && !slices.Contains(list, r.Name) {
			list = append(list, r.Name)
		}
	}
	return list
}

// Apply gives the settings of a command the values of the file, unless a flag takes their place. Those
// that the command does not have are left out, and how a match ends if there are more than two players.
func (p *Project) Apply(s *Set, players int) error {
	var list []Line
	for _, l := range p.lines {
		row := s.Command.Lookup(l.Name)
		if row == nil || row.Project == "" || row.Project == "end" && players > 2 {
			continue
		}
		replaced := s.Given("preset") && (row.Project == "limit" || row.Project == "end") ||
			slices.ContainsFunc(Table, func(r Setting) bool {
				return r.In&s.Command != 0 && r.Project == row.Project && s.Given(r.Name)
			})
		if !replaced {
			list = append(list, l)
		}
	}
	for _, l := range list {
		if err := s.Put(l.Name, l.Text); err != nil {
			return p.errorf(l, "%w", err)
		}
	}
	return nil
}

// NewConfig returns the settings of a CONFIG. What it leaves out is zero, for the default of the run,
// except when a win is adjudicated.
func NewConfig() *Set {
	s := New(Config, nil)
	std := selfplay.StandardAdjudication()
	s.Values = Values{}
	s.Rule = selfplay.Adjudication{WinScore: std.WinScore, WinPlies: std.WinPlies}
	return s
}

// ReadConfig reads a CONFIG. The values of the names, which are not in the table, are decoded into rest, by
// their names in JSON.
func ReadConfig(path string, rest any, names ...string) (*Set, error) {
	d, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	s := NewConfig()
	others := map[string]any{}
	err = d.lines(d.values, func(l Line, value any) (bool, error) {
		other := slices.Contains(names, l.Name)
		if other {
			others[l.Name] = value
		}
		return other, nil
	}, func(l Line) error {
		flag := strings.ReplaceAll(l.Name, "_", "-")
		if strings.Contains(l.Name, "-") || !s.Has(flag) {
			return errors.New("unknown setting (see assay help spsa --all)")
		}
		return s.flags.Set(flag, l.Text)
	})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(others)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(rest); err != nil {
		return nil, fmt.Errorf("%s: %s (see assay help spsa --all)", path, strings.TrimPrefix(err.Error(), "json: "))
	}
	return s, nil
}

// CompleteConfig checks the limits of a CONFIG.
func (s *Set) CompleteConfig() error {
	times, err := s.times()
	if err != nil {
		return err
	}
	s.Limits.MoveTime, s.Limits.Clock = times[0].MoveTime, times[0].Clock
	if err := s.Limits.Validate(); err != nil {
		return errors.New("no limit of a search: give nodes, depth, movetime or tc")
	}
	return nil
}
