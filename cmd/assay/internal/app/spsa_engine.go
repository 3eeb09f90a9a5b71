package app

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

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
	spec, err = cli.Player(text)
	if errors.Is(err, roster.ErrUnknownPlayer) {
		return spec, false, err
	}
	if err != nil || !spec.Foreign() {
		return spec, err == nil && spec.FromGit(), nil
	}
	_, missing := exec.LookPath(spec.Command[0])
	return spec, missing == nil, nil
}

// writeSpins writes a CONFIG with the spin options of an engine, for the user to edit.
func (s *session) writeSpins(spec engine.Spec) error {
	e, err := s.git.entrant(spec)
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
	clock := !s.Given("nodes", "depth") // not every engine knows others
	if clock {
		s.Limits.Nodes = 0
	}
	c, err := s.configOf(spec.String(), parameters)
	if err == nil && clock {
		err = c.Put("tc", "8+0.08")
	}
	if err != nil {
		return err
	}
	name := filepath.Base(strings.TrimPrefix(spec.Command[0], "git:"))
	path := cmp.Or(s.Write, strings.TrimSuffix(name, filepath.Ext(name))+".toml")
	if err := c.save(path)(); err != nil {
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
				CEnd: (v[2] - v[1]) / 10})
		}
	}
	return list
}
