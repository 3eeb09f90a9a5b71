package opts

import (
	"bytes"
	"encoding/json"
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
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/ui"
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

// flag returns the flag that a setting is, empty if none can be: files have '_' in place of '-'.
func (l Line) flag() string {
	if strings.Contains(l.Name, "-") {
		return ""
	}
	return strings.ReplaceAll(l.Name, "_", "-")
}

// document is a file of settings in TOML.
type document struct {
	path   string
	text   string
	from   int // where in the text the table begins, if this is one
	values map[string]any
}

// readDocument reads a file. Errors name the file and the line.
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
	return d, d.decode()
}

// maxNested bounds how deep brackets and dots of TOML nest: its reader takes memory for each level again.
const maxNested = 64

var deepKey = regexp.MustCompile(fmt.Sprintf(`(?:[\w"'-]+\s*\.\s*){%d}`, maxNested))

// nested returns the number of a line that nests too deep, 0 if there is none. Brackets in strings count too.
func (d *document) nested() int {
	depth, end := 0, -1
	if key := deepKey.FindStringIndex(d.text); key != nil {
		end = key[0]
	}
	for i := 0; i < len(d.text) && end < 0; i++ {
		switch d.text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNested {
			end = i
		}
	}
	if end < 0 {
		return 0
	}
	return 1 + strings.Count(d.text[:end], "\n")
}

func (d *document) decode() error {
	if n := d.nested(); n > 0 {
		return fmt.Errorf("%s, line %d: more than %d levels of brackets or dots", d.path, n, maxNested)
	}
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

// lines calls each with the settings of the file, or of a table of it, by name. A setting that take
// returns true for is left out.
func (d *document) lines(values map[string]any, take func(Line, any) (bool, error), each func(Line) error) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		l := Line{Name: name, Number: 1 + strings.Count(d.text[:d.endOf(name)], "\n")} // the libraries say it in errors only
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
			return d.at(l, err)
		}
	}
	return nil
}

// at returns an error that names a line of the file. An error that does so already stays.
func (d *document) at(l Line, err error) error {
	if strings.HasPrefix(err.Error(), d.path+", line ") {
		return err
	}
	return fmt.Errorf("%s, line %d: %s: %w", d.path, l.Number, l.Name, err)
}

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

// ProjectName is the file at the top of an engine's repository that says how assay builds and
// tests it.
const ProjectName = "assay.toml"

// Project is an assay.toml.
type Project struct {
	Options []Line   // of the engine
	Numbers []string // files in which the numbers of the evaluation stand, from the top of the repository
	Value   string   // the file of the author's that evaluates a position, as assay init writes it
	Skip    []string // names of numbers to leave out
	Take    []string // names of numbers to take that are otherwise left out
	Learn   *Loop
	lines   []Line // settings, by the names of their flags
	*document
}

// ReadProject reads the assay.toml in a folder. Without one, or without a folder, the result is empty.
func ReadProject(top string) (*Project, error) {
	d, err := readDocument(filepath.Join(top, ProjectName))
	p := &Project{document: d, Learn: NewLoop()}
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
		return true, inside.lines(table, nil, p.Learn.take)
	case "numbers":
		return true, files(value, &p.Numbers)
	case "value":
		var one []string
		if err := files([]any{value}, &one); err != nil {
			return true, errors.New(`want the file that evaluates a position: "assay.c" (assay init writes it)`)
		}
		p.Value = one[0]
	case "skip":
		return true, texts(value, &p.Skip)
	case "take":
		return true, texts(value, &p.Take)
	default:
		return false, nil
	}
	return true, nil
}

func texts(value any, to *[]string) error {
	list, _ := value.([]any)
	for _, v := range list {
		text, ok := v.(string)
		if !ok || text == "" {
			return fmt.Errorf("want a list of names, not %q", fmt.Sprint(v))
		}
		*to = append(*to, text)
	}
	if len(list) == 0 {
		return errors.New(`want a list of names: ["phase_of"]`)
	}
	return nil
}

func files(value any, to *[]string) error {
	if err := texts(value, to); err != nil {
		return errors.New(`want a list of files: ["src/eval.c"]`)
	}
	for _, name := range *to {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("want files of the repository, from its top, not %q", name)
		}
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

func (p *Project) add(l Line) error {
	switch known := projectNames(); {
	case l.Name == "bench" && l.Text == "true":
		return nil
	case l.Name == "bench" && l.Text != "false":
		return fmt.Errorf("want true or false, not %q", l.Text)
	case l.Name == "bench":
		l.Name, l.Text = "no-bench", "true"
	case l.Name == "no_bench" || !slices.Contains(known, l.flag()):
		list := strings.NewReplacer("-", "_", "no-bench", "bench").Replace(strings.Join(known, ", "))
		return fmt.Errorf("unknown setting (there are: options, numbers, value, skip, take, learn, %s)", list)
	default:
		l.Name = l.flag()
	}
	if l.Name == "book" && l.Text != "" && !filepath.IsAbs(l.Text) {
		l.Text = filepath.Join(filepath.Dir(p.path), l.Text)
	}
	p.lines = append(p.lines, l)
	return nil
}

// projectNames lists the flags that an assay.toml may set.
func projectNames() (list []string) {
	o := New(pflag.NewFlagSet("", pflag.ContinueOnError))
	o.AddGames("")
	new(Test).Add(o)
	o.Flags.VisitAll(func(f *pflag.Flag) {
		if kindOf(f) != "" {
			list = append(list, f.Name)
		}
	})
	return list
}

// Apply gives the options of a command the values of the file, unless a flag takes their place. Those that the command
// does not have are left out, and how a match ends if there are more than two players.
func (p *Project) Apply(fs *pflag.FlagSet, players int) error {
	replaced := map[string]bool{"": true, "end": players > 2 || fs.Changed("within")}
	if fs.Changed("preset") {
		replaced["limit"], replaced["end"] = true, true
	}
	fs.Visit(func(f *pflag.Flag) { replaced[kindOf(f)] = true })
	for _, l := range p.lines {
		if replaced[kindOf(fs.Lookup(l.Name))] {
			continue
		}
		if err := fs.Set(l.Name, l.Text); err != nil {
			return p.at(l, ui.Usage(err))
		}
	}
	return nil
}

// NewConfig returns the options of a CONFIG of assay spsa. What it leaves out is zero, for the default of the run,
// except when a win is adjudicated.
func NewConfig() *Play {
	o := New(pflag.NewFlagSet("", pflag.ContinueOnError))
	o.AddLimits()
	o.AddOpenings()
	o.AddAdjudication()
	std := selfplay.StandardAdjudication()
	*o = Play{Flags: o.Flags}
	o.Rule = selfplay.Adjudication{WinScore: std.WinScore, WinPlies: std.WinPlies}
	return o
}

// ReadConfig reads a CONFIG into flags. The values of the names, which are no flags, are decoded into rest, by their
// names in JSON.
func ReadConfig(path string, fs *pflag.FlagSet, rest any, names ...string) error {
	d, err := readDocument(path)
	if err != nil {
		return err
	}
	others := map[string]any{}
	err = d.lines(d.values, func(l Line, value any) (bool, error) {
		other := slices.Contains(names, l.Name)
		if other {
			others[l.Name] = value
		}
		return other, nil
	}, func(l Line) error {
		if fs.Lookup(l.flag()) == nil {
			return errors.New("unknown setting (see assay help spsa --all)")
		}
		if slices.Contains(notNegative, l.flag()) && strings.HasPrefix(l.Text, "-") {
			return fmt.Errorf("want 0 or more, not %s", l.Text)
		}
		if l.Name == "book" && l.Text != "" && !filepath.IsAbs(l.Text) { // as in an assay.toml
			l.Text = filepath.Join(filepath.Dir(path), l.Text)
		}
		return fs.Set(l.flag(), l.Text)
	})
	if err != nil {
		return err
	}
	data, err := json.Marshal(others)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(rest); err != nil {
		return fmt.Errorf("%s: %s (see assay help spsa --all)", path, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
