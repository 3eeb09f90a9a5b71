package opts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/selfplay/sprt"
)

// Test is the options of how a match ends.
type Test struct {
	Rounds       uint64
	SPRT, Preset string
	EloModel     string
	Alpha, Beta  float64
	Corrected    bool
	ExitStatus   bool
}

// presets are ways to test of the field, by name.
var presets = []struct{ name, clock, sprt string }{
	{"stc", "8+0.08", "0,5"},
	{"ltc", "40+0.4", "0,5"},
	{"nonreg", "8+0.08", "-5,0"},
}

func presetHelp() string {
	var list []string
	for _, p := range presets {
		list = append(list, fmt.Sprintf("%s: --tc %s --sprt %s", p.name, p.clock, p.sprt))
	}
	return strings.Join(list, "; ") + "; other flags win"
}

// Add adds the options to the flags of a command.
func (t *Test) Add(o *Play) {
	Add(o.Flags, OfTest, func(fs *pflag.FlagSet) {
		fs.Uint64Var(&t.Rounds, "rounds", 0, "pairs of games to play: --rounds 100 is --games 200")
		fs.StringVar(&t.SPRT, "sprt", "", "elo0,elo1: play until a sequential test decides between them")
		ui.Choice(fs, &t.Preset, "preset", "", presetHelp(), "stc", "ltc", "nonreg")
		fs.StringVar(&t.EloModel, "elo-model", "normalized", "unit of --sprt: normalized or logistic Elo")
		fs.Float64Var(&t.Alpha, "alpha", 0.05, "probability that a player of strength elo0 passes")
		fs.Float64Var(&t.Beta, "beta", 0.05, "probability that a player of strength elo1 fails")
		fs.BoolVar(&t.Corrected, "corrected", false,
			"correct the bounds of --sprt for overshoot: shorter tests with exactly --alpha and --beta")
		ui.ShortHelp(fs, "sprt", "preset")
		inProject(fs, "end", "sprt", "elo-model", "alpha", "beta", "corrected")
	})
	Add(o.Flags, Others, func(fs *pflag.FlagSet) {
		fs.BoolVar(&t.ExitStatus, "exit-status", false,
			"with --sprt: exit code 0 if A passed, 3 if it failed, 4 if the test is undecided")
	})
	inProject(o.Flags, "end", "games")
}

// Habits turns --preset and --rounds into the options that they stand for, and takes what belongs to --sprt from the
// arguments. It returns the others.
func (t *Test) Habits(o *Play, args []string) ([]string, error) {
	if t.Rounds > 0 {
		if o.Games > 0 && o.Games != 2*t.Rounds {
			return nil, ui.Usagef("--games %d and --rounds %d (%d games): give one of them", o.Games, t.Rounds, 2*t.Rounds)
		}
		if err := o.Put("games", fmt.Sprint(2*t.Rounds)); err != nil {
			return nil, err
		}
	}
	if err := t.preset(o); err != nil {
		return nil, err
	}
	return t.words(o, args)
}

func (t *Test) preset(o *Play) (err error) {
	for _, p := range presets {
		if p.name != t.Preset {
			continue
		}
		if !o.Limited() {
			err = o.Put("tc", p.clock)
		}
		if !o.Given("sprt") {
			err = cmp.Or(err, o.Put("sprt", p.sprt))
		}
	}
	return err
}

// words takes what belongs to --sprt from the arguments, where the shell put it: 5 of --sprt 0 5, and the words
// elo1=5 alpha=0.05 beta=0.05 model=logistic of the other runners. It returns the other arguments.
func (t *Test) words(o *Play, args []string) (rest []string, err error) {
	if t.SPRT == "" {
		return args, nil
	}
	var bounds []string
	take := func(word string) bool {
		key, value, named := strings.Cut(word, "=")
		_, number := strconv.ParseFloat(word[strings.Index(word, "=")+1:], 64)
		switch {
		case number == nil && (!named || key == "elo0" || key == "elo1"):
			bounds = append(bounds, word)
		case named && (key == "alpha" || key == "beta"):
			err = cmp.Or(err, o.Put(key, value))
		case named && key == "model":
			err = cmp.Or(err, o.Put("elo-model", value))
		default:
			return false
		}
		return true
	}
	for _, word := range boundFields(t.SPRT) {
		if !take(word) {
			return args, nil // bounds refuses it
		}
	}
	for _, word := range args {
		if !take(word) {
			rest = append(rest, word)
		}
	}
	if len(bounds) == 2 && strings.HasPrefix(bounds[0], "elo1=") {
		slices.Reverse(bounds)
	}
	t.SPRT = strings.Join(bounds, ",")
	return rest, err
}

// TestWords returns the flags of a test that were typed, or stand in assay.toml.
func (o *Play) TestWords() string {
	var words []string
	for _, name := range []string{"sprt", "elo-model", "alpha", "beta", "corrected"} {
		if o.Given(name) {
			words = append(words, "--"+name+"="+o.Flags.Lookup(name).Value.String())
		}
	}
	return ui.Words(words)
}

// bounds reads the bounds of a test as the runners write them: 0,5 or [0, 5] or elo0=0 elo1=5.
func bounds(text string) (elo0, elo1 float64, err error) {
	if fields := boundFields(text); len(fields) == 2 {
		low, err0 := strconv.ParseFloat(strings.TrimPrefix(fields[0], "elo0="), 64)
		high, err1 := strconv.ParseFloat(strings.TrimPrefix(fields[1], "elo1="), 64)
		if err0 == nil && err1 == nil {
			return low, high, nil
		}
	}
	return 0, 0, ui.Usagef("--sprt %s: want elo0,elo1, such as 0,10", text)
}

func boundFields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;[]", r) })
}

// Parse returns the test of --sprt, or nil.
func (t *Test) Parse(o *Play) (*sprt.Test, error) {
	if t.SPRT == "" {
		for _, name := range []string{"elo-model", "alpha", "beta", "corrected", "exit-status"} {
			if o.Given(name) {
				return nil, ui.Usagef("--%s needs --sprt elo0,elo1", name)
			}
		}
		return nil, nil
	}
	model, err := sprt.ParseModel(t.EloModel)
	if err != nil {
		return nil, ui.Usage(err)
	}
	elo0, elo1, err := bounds(t.SPRT)
	if err != nil {
		return nil, err
	}
	test := &sprt.Test{Elo0: elo0, Elo1: elo1, Model: model, Alpha: t.Alpha, Beta: t.Beta}
	if err := test.Validate(); err != nil {
		return nil, ui.Usage(err)
	}
	return test, nil
}
