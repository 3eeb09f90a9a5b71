package positions

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/setup"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestGoldenRows: the rows that filters keep of the same games, and what they count, are what testdata
// has. A seed chooses the same rows in every version.
func TestGoldenRows(t *testing.T) {
	games := datatest.Games[dataset.GameRow](90, 60)
	for i, why := range []string{"time forfeit", "abandoned"} {
		games[20*i].Termination = why
	}
	for _, g := range datatest.Games[dataset.GameRow](90, 10) { // the same games under other names
		g.Game++
		games = append(games, g)
	}
	r := gamesIn(t, games)
	var text strings.Builder
	for _, f := range []Filter{
		DefaultFilter(),
		{Resolve: ResolveKeep},
		{Resolve: ResolveKeep, KeepDuplicates: true, KeepForfeits: true},
		{Resolve: ResolveKeep, SkipPlies: 8, MinPly: 12, MaxScore: 9000, FewestPieces: 24, NeedScore: true},
		{Resolve: ResolveKeep, QuietMove: true, MaxPerGame: 6, Seed: 11},
		{Resolve: ResolveKeep, MaxPerGame: 6, Seed: 12},
		{Resolve: ResolveDrop, Sample: 40, Seed: 3},
		{Resolve: ResolveKeep, PhaseShares: even, Seed: 3},
		{Resolve: ResolveKeep, PhaseShares: Bands{3, 2, 0, 1, 4}, Sample: 77, Seed: 4},
		{Resolve: ResolveLeaf, DropLeafScore: true, NeedScore: true},
	} {
		c, rows := extract(t, r, t.TempDir(), f, 2)
		filter := setup.Must(json.Marshal(f))
		counts := setup.Must(json.Marshal(c))
		fmt.Fprintf(&text, "%s\n%s\n", filter, counts)
		sum := sha256.New()
		for i, p := range rows {
			line := fmt.Sprintf("%s, ply %d, score %d, result %g, game %016x\n",
				p.Board.FEN(), p.Ply, p.Score, p.Result, p.Game)
			sum.Write([]byte(line))
			if i < 3 {
				text.WriteString(line)
			}
		}
		fmt.Fprintf(&text, "%d rows, %.8x\n\n", len(rows), sum.Sum(nil))
	}
	path := filepath.Join("testdata", "rows.txt")
	if *update {
		setup.Check(t, os.MkdirAll("testdata", 0o777))
		setup.Check(t, os.WriteFile(path, []byte(text.String()), 0o666))
	}
	want := setup.Must(os.ReadFile(path))
	if got := text.String(); got != string(want) {
		had, have := strings.Split(string(want), "\n"), strings.Split(got, "\n")
		for i, line := range have {
			if i >= len(had) || line != had[i] {
				t.Fatalf("%s, line %d is now\n%s\n(if that is wanted: go test -update)", path, i+1, line)
			}
		}
		t.Fatalf("%s is now shorter", path)
	}
}
