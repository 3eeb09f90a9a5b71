package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/roster"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// spsaConfig says what assay spsa tunes.
type spsaConfig struct {
	*opts.Play `json:"-"` // the limits, openings and adjudication of CONFIG

	iterations, pairs, ahead int
	validation               uint64

	Player     string               `json:"player"`
	Parameters []play.FileParameter `json:"parameter"`
	File       string               `json:"parameter_file"` // with the list of another program, in place of parameters

	form   play.ListForm // of the file
	source string        // for errors
}

// newSpsaConfig returns a CONFIG that says nothing.
func newSpsaConfig() *spsaConfig {
	c := &spsaConfig{Play: opts.NewConfig()}
	c.Flags.IntVar(&c.iterations, "iterations", 0, "")
	c.Flags.IntVar(&c.pairs, "pairs", 0, "")
	c.Flags.IntVar(&c.ahead, "ahead", 0, "")
	c.Flags.Uint64Var(&c.validation, "validation", 0, "")
	return c
}

// readSpsaConfig reads a CONFIG. Errors name the file, and the line or the setting.
func readSpsaConfig(path string) (c *spsaConfig, err error) {
	c = newSpsaConfig()
	c.source = path
	err = opts.ReadConfig(path, c.Flags, c, "player", "parameter", "parameter_file")
	if err != nil || c.File == "" {
		return c, err
	}
	if len(c.Parameters) > 0 {
		return nil, fmt.Errorf("%s has both parameter_file and parameters: move the list of %s into one of them", path,
			c.File)
	}
	if !filepath.IsAbs(c.File) {
		c.File = filepath.Join(filepath.Dir(path), c.File)
	}
	c.form, c.Parameters, err = play.ReadList(c.File)
	return c, err
}

// run returns the configuration of the run, without the player. Errors name the setting or the parameter.
func (c *spsaConfig) run() (p play.Config, err error) {
	if c.Player == "" {
		return p, errors.New(`no player: write player = "assay" or "uci:COMMAND"`)
	}
	times, err := c.Times("")
	if err == nil {
		err = c.OneClock()
	}
	if err != nil {
		return p, err
	}
	c.Opening.Random = c.BookOrder == "random"
	c.Limits.MoveTime, c.Limits.Clock = times[0].MoveTime, times[0].Clock
	if err := c.Limits.Validate(); err != nil {
		return p, errors.New("no limit of a search: give nodes, depth, movetime or tc")
	}
	p = play.Config{Setup: c.Setup, Pairs: c.pairs, Validation: c.validation}
	p.SPSA = spsa.Config{Iterations: c.iterations, Seed: c.Seed, Ahead: cmp.Or(c.ahead, play.DefaultAhead)}
	if p.SPSA.Parameters, err = play.Parameters(c.Parameters, c.iterations*max(c.pairs, 1)); err != nil {
		return p, err
	}
	return p, p.SPSA.Validate()
}

// save writes the configuration. It does not replace a file.
func (c *spsaConfig) save(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return ui.Usagef("%s: there is such a file already; give another one with --write FILE", path)
	}
	return durable.WriteFile(path, c.toml())
}

// toml returns a configuration of whole numbers, as readSpsaConfig reads it.
func (c *spsaConfig) toml() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "player     = %q\n", c.Player)
	for _, name := range []string{"iterations", "pairs", "nodes", "depth", "tc", "validation", "seed"} {
		text := c.Flags.Lookup(name).Value.String()
		switch {
		case text == "" || text == "0":
			continue
		case name == "tc":
			text = strconv.Quote(text)
		}
		fmt.Fprintf(&b, "%-10s = %s\n", name, text)
	}
	for _, p := range c.Parameters {
		fmt.Fprintf(&b, "\n[[parameter]]\nname  = %q\nstart = %.0f\nmin   = %.0f\nmax   = %.0f\nc_end = %v\n",
			p.Name, *p.Start, *p.Min, *p.Max, p.CEnd)
	}
	return b.Bytes()
}

// engineToTune returns the engine that stands in place of CONFIG, if it is none. The error says where one is that
// PATH does not have.
func engineToTune(args []string) (spec engine.Spec, ok bool, err error) {
	if len(args) != 1 || slices.Contains([]string{".toml", ".json"}, strings.ToLower(filepath.Ext(args[0]))) {
		return spec, false, nil
	}
	text := args[0]
	if _, err := roster.Parse(text); err != nil {
		text = "uci:" + text
	}
	spec, err = ui.Player(text)
	if errors.Is(err, roster.ErrUnknownPlayer) {
		return spec, false, err
	}
	if err != nil || !spec.External() {
		return spec, err == nil && spec.FromGit(), nil
	}
	_, missing := exec.LookPath(spec.Command[0])
	return spec, missing == nil, nil
}

// writeSpins writes a CONFIG with the spin options of an engine, for the user to edit.
func (s *tuning) writeSpins(spec engine.Spec) error {
	e, err := s.git.openPlayer(spec)
	if err != nil {
		return err
	}
	p, err := s.git.opener()(e.Spec)
	if err != nil {
		return err
	}
	defer p.Close()
	var lines []string
	if lister, ok := engine.As[engine.OptionLister](p); ok {
		lines = lister.Options()
	}
	parameters := spinParameters(lines)
	if len(parameters) == 0 {
		return fmt.Errorf("%s announces no spin options to tune, only %d others; make each parameter an option of type spin",
			spec.Shown(), len(lines))
	}
	c := newSpsaConfig()
	c.Player, c.Parameters = spec.String(), parameters
	for name, value := range map[string]string{"iterations": "500", "pairs": "1", "seed": "1",
		"tc": "8+0.08"} { // not every engine knows another limit
		if err := c.Put(name, value); err != nil {
			return err
		}
	}
	name := filepath.Base(strings.TrimPrefix(spec.Command[0], "git:"))
	path := cmp.Or(s.write, strings.TrimSuffix(name, filepath.Ext(name))+".toml")
	if err := c.save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "written %s with the spin options of %s (%d)\n"+
		"Keep those to tune, narrow their min and max, and type: assay spsa %s\n", path, spec.Shown(), len(parameters),
		quote.Word(path))
	return err
}

var spinOption = regexp.MustCompile(`^option name (.+?) type spin default (-?\d+) min (-?\d+) max (-?\d+)`)

// notTuned are spin options of the protocol, of machines and of strength.
var notTuned = regexp.MustCompile(`(?i)^(hash|threads|multipv|uci_elo|skill level|move ?overhead|contempt|` +
	`syzygy.*|slow mover|nodestime|minimum thinking time)$`)

// spinParameters returns the spin options that an engine announces with default, minimum and maximum, as parameters.
func spinParameters(lines []string) (list []play.FileParameter) {
	for _, line := range lines {
		spin := spinOption.FindStringSubmatch(line)
		if spin == nil || notTuned.MatchString(spin[1]) {
			continue
		}
		var v [3]float64 // start, min, max
		for i := range v {
			v[i], _ = strconv.ParseFloat(spin[2+i], 64) // digits
		}
		if v[1] <= v[0] && v[0] <= v[2] && v[1] < v[2] {
			list = append(list, play.FileParameter{Name: spin[1], Start: &v[0], Min: &v[1], Max: &v[2],
				CEnd: max(0.5, (v[2]-v[1])/10)}) // an integer needs at least a half
		}
	}
	return list
}
