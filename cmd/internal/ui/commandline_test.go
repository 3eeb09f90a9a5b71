package ui

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/internal/setup"
)

// The words of the command line are read as the same values again.
func TestCommandLineIsReadAgain(t *testing.T) {
	type flags struct {
		players, engines []string
		nodes            int
		json, keep       bool
	}
	command := func(f *flags) *cobra.Command {
		c := &cobra.Command{Use: "selfplay", Run: func(*cobra.Command, []string) {}}
		c.Flags().StringSliceVar(&f.players, "players", nil, "")
		c.Flags().StringArrayVar(&f.engines, "engine", nil, "")
		c.Flags().IntVar(&f.nodes, "nodes", 0, "")
		c.Flags().BoolVar(&f.json, "json", false, "")
		c.Flags().BoolVar(&f.keep, "keep", true, "")
		Silent(c.Flags(), "json")
		return c
	}
	var a, b flags
	c := command(&a)
	c.SetArgs([]string{"data", "--players=uci:./e?Hash=1,[x]", "--engine", "a,b", "--engine", `c"d`, "--nodes", "9",
		"--json", "--keep=false"})
	setup.Check(t, c.Execute())
	line := CommandLine(c, c.Flags().Args())
	want := `selfplay data --engine a,b --engine 'c"d' --keep=false --nodes 9 --players 'uci:./e?Hash=1,[x]'`
	if line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	again := command(&b)
	again.SetArgs(strings.Fields(strings.ReplaceAll(line, "'", ""))[1:])
	setup.Check(t, again.Execute())
	a.json = false
	if !reflect.DeepEqual(a, b) {
		t.Errorf("read again: %+v, want %+v", b, a)
	}
}
