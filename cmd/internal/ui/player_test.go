package ui

import (
	"os"
	"slices"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// A path with spaces is one word, whatever stands before and after it.
func TestPlayerWithSpaces(t *testing.T) {
	t.Chdir(t.TempDir())
	setup.Check(t, os.Mkdir("my dir", 0o777))
	setup.Check(t, os.WriteFile("my dir/engine", nil, 0o777))
	for _, text := range []string{"my dir/engine", "./my dir/engine", "uci:my dir/engine", "my dir/engine?Hash=16",
		"name=new:./my dir/engine", "uci:name=new:my dir/engine?SyzygyPath=a:b", "uci:'my dir/engine' --uci"} {
		spec, err := Player(text)
		if path := spec.Command; err != nil || len(path) == 0 || !slices.Contains([]string{"my dir/engine",
			"./my dir/engine"}, path[0]) {
			t.Errorf("%s: %q, %v", text, path, err)
		}
	}
}
