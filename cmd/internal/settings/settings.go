// Package settings has one table of all settings of the commands that play games. A row says what
// a setting is called, what it is for, and where its value goes. From the table come the flags of
// assay match, ladder, selfplay, spsa, learn and screen, their help, what assay.toml and the CONFIG
// of assay spsa may hold, and the command line that resumes a run.
//
// To add a setting, add a row to the table, and the field it fills. Start reading at Setting.
package settings

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay"
)

// Commands are commands that have a setting.
type Commands uint16

// The commands, and the file CONFIG of assay spsa.
const (
	Match Commands = 1 << iota
	Ladder
	Selfplay
	SPSA
	Config
	Learn
	Screen
	Engine // the table [learn] of an assay.toml

	games = Match | Ladder | Selfplay | Screen // what plays games by flags
	play  = games | Config                     // what plays games
	flags = games | SPSA                       // what has a player, or several
)

// Use says what a setting is for.
type Use uint8

// Uses of a setting.
const (
	Silent Use = 1 << iota // it changes no result, and is left out of the line that resumes a run
	File                   // it names a file
	Often                  // it is used most, and a short help shows it
)

// Setting is a row of the table.
type Setting struct {
	Name    string // as a flag; in files with '_' in place of '-'
	In      Commands
	Group   string            // heading in the help
	Field   func(*Values) any // where it goes: a pointer
	Default any               // nil: zero
	Help    string
	Use     Use
	Project string // it may stand in assay.toml; a flag replaces all settings of the same word there
}

// Values are what the settings fill.
type Values struct {
	selfplay.Setup // of match, ladder, selfplay and CONFIG; spsa and learn have parts of it

	Players        []string // of selfplay; spsa has one
	Weights        string
	Build, Repo    string
	NoBench        bool
	Clock          string // for A and B of a match, with a comma between them
	MoveTime       string
	TimeMargin     time.Duration
	MoveTimeout    time.Duration
	StartTimeout   time.Duration
	Games, Rounds  uint64
	Gauntlet       bool
	SPRT, Preset   string
	EloModel       string
	Alpha, Beta    float64
	Corrected      bool
	Schedule       string
	Within         float64
	Anchor         string
	Affinity       string
	Syzygy         string
	SyzygyFifty    bool
	JSON, All      bool
	ExitStatus     bool
	Serve, NATS    string
	ReplayShare    float64
	Lease          time.Duration
	ReferenceSpeed float64

	// Of assay spsa and its CONFIG.
	Model, Write             string // the model of assay learn
	Iterations, Pairs, Ahead int
	Validation               uint64
	TuneGames                int // of assay learn
	SimElo, SimDraws         float64

	// Of assay screen.
	Grouped, At string
	Confirm     bool
	ConfirmTC   string

	// Of assay learn.
	Run, Method, From, Opponent, Plan  string
	OwnEngine                          string
	CheckOnly, AcceptNotWeaker         bool
	Generations, GateGames, FinalGames int
	DeepGames, ClockGames              int
	FinalClock                         string
	Hours                              float64
	Added                              []string
	Scale                              float64

	// Of the table [learn].
	Lambda float64
	Decay  float64 // of rows, by promotion
	Drift  float64 // between terms and value, in centipawns
	Freeze []string
	Gate   string
	// Positions that a generation learns from.
	Rows, PerGame int
	RelabelNodes  uint64
}

// Set is the settings of one command, with the values that were given.
type Set struct {
	Values
	Command Commands
	flags   *pflag.FlagSet
}

// New adds the settings of a command to its flags, with their defaults. Without flags of a command the
// set has its own.
func New(command Commands, fs *pflag.FlagSet) *Set {
	if fs == nil {
		fs = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	s := &Set{Command: command, flags: fs}
	for i := range Table {
		if row := &Table[i]; row.In&command != 0 {
			s.add(row)
		}
	}
	return s
}

// add adds the flag of a row.
func (s *Set) add(row *Setting) {
	fs, help := s.flags, row.Help
	switch p := row.Field(&s.Values).(type) {
	case *bool:
		fs.BoolVar(p, row.Name, false, help)
	case *int:
		fs.IntVar(p, row.Name, 0, help)
	case *uint64:
		fs.Uint64Var(p, row.Name, 0, help)
	case *float64:
		fs.Float64Var(p, row.Name, 0, help)
	case *time.Duration:
		fs.DurationVar(p, row.Name, 0, help)
	case *string:
		fs.StringVar(p, row.Name, "", help)
	case *[]string:
		fs.StringSliceVar(p, row.Name, nil, help)
	case pflag.Value:
		fs.Var(p, row.Name, help)
	default:
		panic(fmt.Sprintf("setting %s: a field of type %T", row.Name, p))
	}
	f := fs.Lookup(row.Name)
	f.Annotations = map[string][]string{groupKey: {cmp.Or(row.Group, ofRun)}}
	if row.Use&Often != 0 {
		ui.Often(fs, row.Name)
	}
	if row.Use&Silent != 0 {
		f.Annotations[ui.SilentFlag] = nil
	}
	if row.Default != nil {
		if err := f.Value.Set(fmt.Sprint(row.Default)); err != nil {
			panic(fmt.Sprintf("setting %s: %v", row.Name, err))
		}
		f.DefValue = f.Value.String()
	}
}

// groupKey is the annotation of a flag with its heading.
const groupKey = "assay_group"

// Grouped returns the flags of a command below their headings, in the order of the table. Flags
// that are not in the table have the last heading.
func Grouped(all *pflag.FlagSet) (list []*pflag.FlagSet, headings []string) {
	group := func(heading string, in func(*pflag.Flag) bool, names []string) {
		fs := pflag.NewFlagSet(heading, pflag.ContinueOnError)
		fs.SortFlags = false
		for _, name := range names {
			if f := all.Lookup(name); f != nil && in(f) && fs.Lookup(name) == nil {
				fs.AddFlag(f)
			}
		}
		if fs.HasAvailableFlags() {
			list, headings = append(list, fs), append(headings, heading)
		}
	}
	var rows, sorted []string
	for i := range Table {
		rows = append(rows, Table[i].Name)
	}
	all.VisitAll(func(f *pflag.Flag) { sorted = append(sorted, f.Name) })
	for _, heading := range groups {
		group(heading, func(f *pflag.Flag) bool { return slices.Equal(f.Annotations[groupKey], []string{heading}) }, rows)
	}
	group(Others, func(f *pflag.Flag) bool {
		return f.Annotations[groupKey] == nil || f.Annotations[groupKey][0] == Others
	}, sorted)
	return list, headings
}

// Has reports whether the command has a setting.
func (s *Set) Has(name string) bool { return s.flags.Lookup(name) != nil }

// Given reports whether one of the settings has a value that is not its default by omission.
func (s *Set) Given(names ...string) bool { return slices.ContainsFunc(names, s.flags.Changed) }

// Put gives a setting a value.
func (s *Set) Put(name, value string) error {
	if !s.Has(name) {
		return ui.Usagef("unknown setting %q%s", name, ui.DidYouMean(name, "", s.known()))
	}
	if err := s.flags.Set(name, value); err != nil {
		return ui.Usage(err)
	}
	return nil
}

// known lists the names of the settings.
func (s *Set) known() (list []string) {
	s.flags.VisitAll(func(f *pflag.Flag) { list = append(list, f.Name) })
	return list
}

// Texts returns the values that were given, as on a command line.
func (s *Set) Texts() map[string]string {
	texts := map[string]string{}
	s.flags.Visit(func(f *pflag.Flag) { texts[f.Name] = ui.FlagText(f) })
	return texts
}

// Line returns the command line that gives the same result, quoted for a shell.
func (s *Set) Line(command string, players []string) string {
	return ui.FlagLine(command, s.flags, players)
}

// Lookup returns the row of a setting of the command; nil if it has none of the name.
func (c Commands) Lookup(name string) *Setting {
	i := slices.IndexFunc(Table, func(r Setting) bool { return r.Name == name && r.In&c != 0 })
	if i < 0 {
		return nil
	}
	return &Table[i]
}
