package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestAliasFlag(t *testing.T) {
	var nodes, games int
	cmd := &cobra.Command{Use: "play", RunE: func(*cobra.Command, []string) error { return nil }}
	cmd.Flags().IntVar(&nodes, "opening-nodes", 0, "nodes of a check")
	AliasFlag(cmd, "check-nodes", "opening-nodes")
	ConcurrencyFlag(cmd, &games, "games at once")
	for _, c := range []struct {
		args         []string
		nodes, games int
	}{
		{[]string{"--check-nodes", "7", "--workers=3"}, 7, 3},
		{[]string{"--opening-nodes", "8", "--cores", "4"}, 8, 4},
		{[]string{"--opening-nodes=9", "--procs", "5"}, 9, 5},
		{[]string{"--concurrency", "6", "--check-nodes=1"}, 1, 6},
	} {
		cmd.SetArgs(c.args)
		if err := cmd.Execute(); err != nil || nodes != c.nodes || games != c.games {
			t.Errorf("%v: nodes %d, games %d, error %v", c.args, nodes, games, err)
		}
	}
	if !cmd.Flags().Changed("opening-nodes") || !cmd.Flags().Changed("concurrency") {
		t.Error("a flag set by its old spelling is not reported as changed")
	}
	for _, old := range []string{"check-nodes", "workers", "cores", "procs"} {
		if strings.Contains(cmd.UsageString(), "--"+old) {
			t.Errorf("the usage text shows --%s", old)
		}
	}
}
