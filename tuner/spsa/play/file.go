package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/opening"
	"github.com/assay-chess/assay/tuner/spsa"
)

// File is a configuration as a file says it, in TOML or JSON; see assay spsa --help.
type File struct {
	Player     string `toml:"player" json:"player"`
	Iterations int    `toml:"iterations" json:"iterations"`
	Pairs      int    `toml:"pairs" json:"pairs"`
	Ahead      int    `toml:"ahead" json:"ahead"`
	Seed       uint64 `toml:"seed" json:"seed"`
	Validation uint64 `toml:"validation" json:"validation"`

	Nodes     uint64 `toml:"nodes" json:"nodes"`
	HardNodes bool   `toml:"hard_nodes" json:"hard_nodes"`
	Depth     int    `toml:"depth" json:"depth"`
	MoveTime  string `toml:"movetime" json:"movetime"`
	TC        string `toml:"tc" json:"tc"`

	Book         string `toml:"book" json:"book"`
	BookOrder    string `toml:"book_order" json:"book_order"`
	BookStart    int    `toml:"book_start" json:"book_start"`
	RandomPlies  int    `toml:"random_plies" json:"random_plies"`
	OpeningScore int    `toml:"opening_score" json:"opening_score"`
	OpeningNodes uint64 `toml:"opening_nodes" json:"opening_nodes"`
	CheckNodes   uint64 `toml:"check_nodes" json:"check_nodes"` // the old name of opening_nodes

	MaxPlies  int  `toml:"max_plies" json:"max_plies"`
	WinScore  *int `toml:"win_score" json:"win_score"`
	WinPlies  *int `toml:"win_plies" json:"win_plies"`
	OneSided  bool `toml:"win_one_sided" json:"win_one_sided"`
	DrawScore int  `toml:"draw_score" json:"draw_score"`
	DrawPlies int  `toml:"draw_plies" json:"draw_plies"`
	DrawFrom  int  `toml:"draw_from" json:"draw_from"`

	Parameters    []FileParameter `toml:"parameter" json:"parameter"`
	ParameterFile string          `toml:"parameter_file" json:"parameter_file"` // or their list as another program has it

	Form ListForm `toml:"-" json:"-"` // of ParameterFile
}

// FileParameter is one of the values to be tuned.
type FileParameter struct {
	Name  string   `toml:"name" json:"name"`
	Type  string   `toml:"type" json:"type"`
	Start *float64 `toml:"start" json:"start"`
	Min   *float64 `toml:"min" json:"min"`
	Max   *float64 `toml:"max" json:"max"`
	CEnd  float64  `toml:"c_end" json:"c_end"`
	REnd  float64  `toml:"r_end" json:"r_end"`
}

// Defaults of a file.
const (
	defaultAhead = 4
	maxFileBytes = 1 << 20
)

// ReadFile reads a configuration: JSON if the name ends in .json, else TOML. Errors name
// the file, and the line or the setting.
func ReadFile(path string) (*File, error) {
	data, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		err = decodeJSON(data, f)
	} else {
		err = decodeTOML(data, f)
	}
	if err == nil && f.ParameterFile != "" && len(f.Parameters) > 0 {
		err = fmt.Errorf("both parameter_file and parameters: move those of %s into one place", f.ParameterFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if list := f.ParameterFile; list != "" {
		if !filepath.IsAbs(list) {
			list = filepath.Join(filepath.Dir(path), list)
		}
		if f.Form, f.Parameters, err = readList(list); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes, but a configuration has %d at most", path, info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}

func decodeJSON(data []byte, f *File) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		line := 1 + bytes.Count(data[:min(dec.InputOffset(), int64(len(data)))], []byte("\n"))
		return fmt.Errorf("line %d: %w", line, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the configuration")
	}
	return nil
}

func decodeTOML(data []byte, f *File) error {
	meta, err := toml.Decode(string(data), f)
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return fmt.Errorf("line %d: %s", parse.Position.Line, parse.Message)
	case err != nil:
		return err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("unknown setting %q (see assay spsa --help)", unknown[0].String())
	}
	return nil
}

// Config returns the configuration for Run, without the player. Errors name the setting or
// the parameter.
func (f *File) Config() (c Config, err error) {
	if f.Player == "" {
		return c, errors.New(`no player: write player = "assay" or "uci:COMMAND"`)
	}
	if c.Limits, err = f.limits(); err != nil {
		return c, err
	}
	std := selfplay.StandardAdjudication()
	c.Rule = selfplay.Adjudication{WinScore: std.WinScore, WinPlies: std.WinPlies, OneSided: f.OneSided, DrawScore: f.DrawScore, DrawPlies: f.DrawPlies, DrawFrom: f.DrawFrom}
	if f.WinScore != nil {
		c.Rule.WinScore = *f.WinScore
	}
	if f.WinPlies != nil {
		c.Rule.WinPlies = *f.WinPlies
	}
	c.MaxPlies, c.Pairs, c.Validation, c.Seed = f.MaxPlies, f.Pairs, f.Validation, f.Seed
	c.Check.MaxScore, c.Check.Nodes = f.OpeningScore, max(f.OpeningNodes, f.CheckNodes)
	c.Opening = opening.Spec{Book: f.Book, Skip: f.BookStart, Plies: f.RandomPlies}
	switch f.BookOrder {
	case "random":
		c.Opening.Random = true
	case "", "sequential":
	default:
		return c, fmt.Errorf("book_order = %q: want sequential or random", f.BookOrder)
	}
	c.SPSA = spsa.Config{Iterations: f.Iterations, Seed: f.Seed, Ahead: f.Ahead}
	if f.Ahead == 0 {
		c.SPSA.Ahead = defaultAhead
	}
	for i := range f.Parameters {
		p, err := f.Parameters[i].parameter()
		if err != nil {
			return c, fmt.Errorf("parameter %d, %q: %w", i+1, f.Parameters[i].Name, err)
		}
		if p.REnd == 0 {
			p.REnd = spsa.DefaultREnd(f.Iterations*max(f.Pairs, 1), len(f.Parameters))
		}
		c.SPSA.Parameters = append(c.SPSA.Parameters, p)
	}
	return c, c.SPSA.Validate()
}

func (f *File) limits() (l selfplay.Limits, err error) {
	l = selfplay.Limits{Nodes: f.Nodes, HardNodes: f.HardNodes, Depth: f.Depth}
	if f.MoveTime != "" {
		if l.MoveTime, err = time.ParseDuration(f.MoveTime); err != nil || l.MoveTime < time.Millisecond {
			return l, fmt.Errorf("movetime = %q: want a time of at least 1ms, as \"100ms\"", f.MoveTime)
		}
	}
	if f.TC != "" {
		if l.Clock, err = selfplay.ParseClock(f.TC); err != nil {
			return l, fmt.Errorf("tc: %w", err)
		}
	}
	if err := l.Validate(); err != nil {
		return l, fmt.Errorf("no limit of a search: give nodes, depth, movetime or tc")
	}
	return l, nil
}

func (p *FileParameter) parameter() (spsa.Parameter, error) {
	if p.Start == nil || p.Min == nil || p.Max == nil {
		return spsa.Parameter{}, errors.New("start, min and max are required")
	}
	q := spsa.Parameter{Name: p.Name, Start: *p.Start, Min: *p.Min, Max: *p.Max, CEnd: p.CEnd, REnd: p.REnd, Integer: true}
	switch p.Type {
	case "", "int":
	case "float":
		q.Integer = false
	default:
		return q, fmt.Errorf("type = %q: want int or float", p.Type)
	}
	if q.CEnd == 0 {
		q.CEnd = (q.Max - q.Min) / spsa.CEndsInRange
		if q.Integer {
			q.CEnd = max(q.CEnd, 0.5)
		}
	}
	return q, nil
}
