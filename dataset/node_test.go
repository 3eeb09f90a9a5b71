package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

// nodeScript returns a copy of a script of testdata that finds its npm packages, or
// skips the test.
func nodeScript(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	datatest.LinkNode(t, dir, "apache-arrow", "fzstd")
	code := setup.Must(os.ReadFile(filepath.Join("testdata", name)))
	script := filepath.Join(dir, name)
	setup.Check(t, os.WriteFile(script, code, 0o666))
	return script
}

// nodeFile is what the npm packages find in a file.
type nodeFile struct {
	Rows     int               `json:"rows"`
	Metadata map[string]string `json:"metadata"`
	Columns  [][3]any          `json:"columns"`
	values   []string          // of each row, as a JSON array
}

func readWithNode(t *testing.T, script, path string) nodeFile {
	t.Helper()
	cmd := exec.Command("node", script, path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	var f nodeFile
	if !lines.Scan() {
		t.Fatal("no output")
	}
	setup.Check(t, json.Unmarshal(lines.Bytes(), &f))
	for lines.Scan() {
		f.values = append(f.values, lines.Text())
	}
	return f
}

// id is a 64-bit number as the script prints it.
func id[T ~uint64](v T) string { return fmt.Sprint(uint64(v)) }

// orNull is v, or null where v means that there is no value.
func orNull[T comparable](v, nothing T, text any) any {
	if v == nothing {
		return nil
	}
	return text
}

func gameValues(g *GameRow) []any {
	moves, scores := []uint16{}, []any{}
	for i, m := range g.Moves {
		moves = append(moves, uint16(m))
		scores = append(scores, orNull(g.Scores[i], NoScore, g.Scores[i]))
	}
	return []any{id(g.Game), g.Variant, orNull(g.Start, "", g.Start), id(g.Opening), g.OpeningPlies, moves, scores,
		g.Nodes, g.Result, g.Termination, g.White, g.Black, id(g.Seed)}
}

func positionValues(p *PositionRow) []any {
	b := &p.Board
	v := []any{id(b.ByColor(board.White)), id(b.ByColor(board.Black))}
	for k := board.Pawn; k <= board.King; k++ {
		v = append(v, id(b.ByType(k)))
	}
	ep := 255
	if b.EnPassant() != board.NoSquare {
		ep = int(b.EnPassant())
	}
	return append(v, uint8(b.SideToMove()), id(b.Castling()), ep, b.Halfmove(), p.Ply,
		orNull(p.Score, NoScore, p.Score), p.Result,
		orNull(p.Game, 0, any(id(p.Game))), orNull(p.Opening, 0, any(id(p.Opening))), p.Weight)
}

func featureValues(f *FeatureRow) []any {
	terms, counts := []int{}, []float32{}
	for i := range f.Terms {
		terms, counts = append(terms, int(f.Terms[i])), append(counts, f.Counts[i])
	}
	return []any{terms, counts, float64(f.Phase), f.Scale, f.Offset, orNull(f.Eval, NoEval, f.Eval),
		orNull(f.Score, NoScore, f.Score),
		f.Result, orNull(f.Game, 0, any(id(f.Game))), orNull(f.Opening, 0, any(id(f.Opening))), f.Weight}
}

// Another implementation of Arrow finds the rows, the metadata and the values that
// were written.
func TestNodeReadsOurFiles(t *testing.T) {
	script := nodeScript(t, "read.mjs")
	games := randomGames(40, 60)
	t.Run("games", func(t *testing.T) {
		compareWithNode(t, script, gamesCodec, layout{GamesFormat, "x", 25, 60}, games, gameValues)
	})
	t.Run("positions", func(t *testing.T) {
		compareWithNode(t, script, positionsCodec, layout{PositionsFormat, "x", 1500, 10000}, positionsOf(games),
			positionValues)
	})
	t.Run("uncompressed positions", func(t *testing.T) {
		rows := positionsOf(games)
		l := layout{PositionsFormat, "x", 1500, 10000}
		data := bareFile(t, positionsCodec, l, rows, Uncompressed())
		compareFileWithNode(t, script, data, positionsCodec, rows, positionValues)
	})
	t.Run("features", func(t *testing.T) {
		c := setup.Must(newFeaturesCodec(FeatureSet{Model: "m",
			Terms: []FeatureTerm{{Name: "a", MG: 1.5}, {Name: "b", Group: "g", EG: -2}}}))
		var rows []FeatureRow
		for i := range 100 {
			r := FeatureRow{Phase: float32(i%25) / 24, Scale: 1, Offset: -0.5, Eval: NoEval, Score: int16(i),
				Result: 0.5, Game: uint64(i), Weight: 1}
			if i%3 > 0 {
				r.Terms, r.Counts = []uint16{0, 1}[:i%3], []float32{float32(i), -3}[:i%3]
			}
			rows = append(rows, r)
		}
		compareWithNode(t, script, c, layout{FeaturesFormat, "x", 40, 100}, rows, featureValues)
	})
}

func compareWithNode[R any](t *testing.T, script string, c *codec[R], l layout, rows []R, values func(*R) []any) {
	compareFileWithNode(t, script, bareFile(t, c, l, rows), c, rows, values)
}

func compareFileWithNode[R any](t *testing.T, script string, data []byte, c *codec[R], rows []R,
	values func(*R) []any) {
	path := filepath.Join(t.TempDir(), "x.arrow")
	setup.Check(t, os.WriteFile(path, data, 0o666))
	f := readWithNode(t, script, path)
	if f.Rows != len(rows) || len(f.values) != len(rows) {
		t.Fatalf("%d rows (%d lines) of %d", f.Rows, len(f.values), len(rows))
	}
	schema := c.schema
	if want := schema.Metadata().ToMap(); !reflect.DeepEqual(f.Metadata, want) {
		t.Errorf("metadata %q, want %q", f.Metadata, want)
	}
	for i, field := range schema.Fields() {
		if want := [3]any{field.Name, nodeType(field.Type), field.Nullable}; f.Columns[i] != want {
			t.Errorf("column %v, want %v", f.Columns[i], want)
		}
	}
	for i := range rows {
		want := setup.Must(json.Marshal(values(&rows[i])))
		var a, b any
		if json.Unmarshal(want, &a) != nil || json.Unmarshal([]byte(f.values[i]), &b) != nil || !equalNumbers(a, b) {
			t.Fatalf("row %d is\n%s, want\n%s", i, f.values[i], want)
		}
	}
}

// A file that another implementation wrote can be read.
func TestReadsFilesFromNode(t *testing.T) {
	script := nodeScript(t, "write.mjs")
	games := randomGames(41, 40)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out.arrow")
	rewrite := func(data []byte) {
		setup.Check(t, os.WriteFile(in, data, 0o666))
		if text, err := exec.Command("node", script, in, out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	rewrite(bareFile(t, gamesCodec, layout{GamesFormat, "x", 15, 40}, games))
	g := setup.Must(OpenGames(out))
	if got, err := datatest.ReadAll(g); err != nil || !reflect.DeepEqual(got, games) {
		t.Errorf("%d games, %v", len(got), err)
	}
	positions := positionsOf(games)
	rewrite(bareFile(t, positionsCodec, layout{PositionsFormat, "x", 1000, 10000}, positions))
	p := setup.Must(OpenPositions(out))
	if got, err := datatest.ReadAll(p); err != nil || !reflect.DeepEqual(got, positions) {
		t.Errorf("%d positions, %v", len(got), err)
	}
}

// equalNumbers compares decoded JSON; numbers may come from a float32 here and its
// float64 there.
func equalNumbers(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalNumbers(a[i], b[i]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && float32(a) == float32(b)
	}
	return a == b
}

// nodeType is the name that apache-arrow for JavaScript gives a type.
func nodeType(t arrow.DataType) string {
	if l, ok := t.(*arrow.ListType); ok {
		return "List<" + nodeType(l.Elem()) + ">"
	}
	name := strings.Replace(t.Name(), "uint", "Uint", 1)
	return strings.ToUpper(name[:1]) + name[1:]
}
