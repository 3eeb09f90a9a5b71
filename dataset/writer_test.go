package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset/internal/datatest"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/internal/setup"
)

// Small shards let a test have many.
var (
	smallGames     = layout{GamesFormat, "games", 5, 10}
	smallPositions = layout{PositionsFormat, "positions", 64, 256}
)

var testConfig = WriterConfig{Config: map[string]int{"games": 40}, Seed: 7, Program: "assay test"}

// writeAll writes a data set in one go.
func writeAll[R any](t testing.TB, dir string, c *codec[R], l layout, rows []R,
	opts ...WriterOption) *durable.Manifest {
	t.Helper()
	w := setup.Must(newWriter(dir, testConfig, c, l, opts...))
	for i := range rows {
		setup.Check(t, w.Append(&rows[i]))
	}
	return setup.Must(w.Finish(map[string]int{"written": len(rows)}))
}

func TestGamesRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 10, 43} {
		dir := filepath.Join(t.TempDir(), "games")
		want := randomGames(1, n)
		m := writeAll(t, dir, gamesCodec, smallGames, want)
		r := setup.Must(OpenGames(dir))
		got := setup.Must(datatest.ReadAll(r))
		if len(got) != n || r.Len() != int64(n) || !r.Verified() || m.Rows != int64(n) || !m.Complete {
			t.Errorf("%d rows, Len %d, manifest %+v", len(got), r.Len(), m)
		}
		for i := range got {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("game %d is\n%+v, want\n%+v", i, got[i], want[i])
			}
		}
		id, err := r.ID()
		if id != m.ID() || err != nil {
			t.Errorf("id %s %v, %s", id, err, m.ID())
		}
	}
}

func TestPositionsRoundTrip(t *testing.T) {
	want := positionsOf(randomGames(2, 30))
	dir := t.TempDir()
	writeAll(t, dir, positionsCodec, smallPositions, want)
	r := setup.Must(OpenPositions(dir))
	got, err := datatest.ReadAll(r)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d is\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
}

func TestFeaturesRoundTrip(t *testing.T) {
	rng := datatest.Rand(5)
	for _, set := range []FeatureSet{
		{Version: 1, Model: "mine", Terms: []FeatureTerm{{Name: "pawn", Group: "material", MG: 100, EG: 100},
			{Name: "knight", MG: 300, EG: 280}, {Name: "tempo", MG: 10.5}}},
		{Version: 1, Model: "real", Float: true, Terms: []FeatureTerm{{Name: "a", MG: 1, EG: 1},
			{Name: "b", MG: 2, EG: 3}}},
		{Version: 2, Model: "sides", Terms: []FeatureTerm{{Name: "a", MG: 1, EG: 2},
			{Name: "tempo", MG: 9, EG: 9, Kind: FlatTerm}},
			Evaluation: Evaluation{Unit: 256, Tolerance: 2, BySide: true}},
		{Version: 2, Model: "new", Float: true, Terms: []FeatureTerm{{Name: "a", MG: 1, EG: 2},
			{Name: "b", MG: 9, EG: 9, Kind: SingleTerm}},
			Evaluation: Evaluation{Unit: 100, Tolerance: 0.5, EGScale: EGScaleBySign}},
	} {
		want := make([]FeatureRow, 300)
		for i := range want {
			r := FeatureRow{Phase: float32(rng.IntN(25)) / 24, Scale: 0.5, Offset: -3.25, Eval: float32(i),
				Score:  NoScore,
				Result: 1, Game: uint64(i), Opening: 3, Weight: 1}
			for term := range set.Terms {
				if count := float32(rng.IntN(256) - 128); rng.IntN(2) == 0 {
					if set.Float {
						count /= 3
					}
					r.Terms, r.Counts = append(r.Terms, uint16(term)), append(r.Counts, count)
					if set.BySide {
						r.EGCounts = append(r.EGCounts, count/3)
					}
				}
			}
			if set.Version > 1 {
				r.Phase, r.EGScale, r.Eval = -0.25, 0.75, 40000.5
			}
			want[i] = r
		}
		c := setup.Must(newFeaturesCodec(set))
		dir := t.TempDir()
		writeAll(t, dir, c, layout{FeaturesFormat, "features", 50, 100}, want)
		r, gotSet, err := OpenFeatures(dir)
		if err != nil || !reflect.DeepEqual(gotSet, set) {
			t.Fatalf("set %+v, %v", gotSet, err)
		}
		got, err := datatest.ReadAll(r)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows, %v", len(got), err)
		}
	}
}

func TestFeaturesAreNeverRounded(t *testing.T) {
	w := setup.Must(NewFeatureWriter(t.TempDir(), FeatureSet{Terms: []FeatureTerm{{Name: "a"}, {Name: "b"}}},
		WriterConfig{}))
	defer w.Close()
	for _, r := range []FeatureRow{
		{Terms: []uint16{0}, Counts: []float32{128}},
		{Terms: []uint16{0}, Counts: []float32{-129}},
		{Terms: []uint16{0}, Counts: []float32{0.5}},
		{Terms: []uint16{2}, Counts: []float32{1}},
		{Terms: []uint16{1, 0}, Counts: []float32{1, 1}},
		{Terms: []uint16{1, 1}, Counts: []float32{1, 1}},
		{Terms: []uint16{1}},
		{Phase: 1.5},
		{Scale: -1},
		{Offset: 1e7},
		{Eval: 32001},
	} {
		if err := w.Append(&r); err == nil || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if err := w.Append(&FeatureRow{Terms: []uint16{0, 1}, Counts: []float32{127, -128}}); err != nil {
		t.Error(err)
	}
	for _, bad := range []FeatureSet{{Terms: make([]FeatureTerm, 1)},
		{Terms: []FeatureTerm{{Name: "a"}, {Name: "a"}}}} {
		if _, err := NewFeatureWriter(t.TempDir(), bad, WriterConfig{}); err == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}

func TestSameRowsSameBytes(t *testing.T) {
	games := randomGames(6, 40)
	rows := positionsOf(games)
	var first [2]map[string]string
	for i, procs := range []int{1, 4, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		a, b := t.TempDir(), t.TempDir()
		writeAll(t, a, gamesCodec, smallGames, games)
		writeAll(t, b, positionsCodec, positionsCodec.layout, rows)
		now := [2]map[string]string{datatest.Files(t, a), datatest.Files(t, b)}
		if i == 0 {
			first = now
		}
		if !reflect.DeepEqual(first, now) {
			t.Errorf("different bytes with %d threads", procs)
		}
	}
	if len(first[0]) != 5 || len(first[1]) != 2 {
		t.Errorf("%d and %d files", len(first[0]), len(first[1]))
	}
}

// Interrupted at any row, a data set ends up as if nothing had happened.
func TestResume(t *testing.T) {
	games := randomGames(7, 33)
	whole := t.TempDir()
	writeAll(t, whole, gamesCodec, smallGames, games)
	want := datatest.Files(t, whole)
	rng := datatest.Rand(8)
	for range datatest.Often(60) {
		dir := t.TempDir()
		for stops := 0; ; stops++ {
			w := setup.Must(newWriter(dir, testConfig, gamesCodec, smallGames))
			if w.Rows()%10 != 0 {
				t.Fatalf("%d rows are safe: not whole shards", w.Rows())
			}
			stop := len(games)
			if stops < 4 {
				stop = rng.IntN(len(games) + 1)
			}
			for i := int(w.Rows()); i < stop; i++ {
				setup.Check(t, w.Append(&games[i]))
			}
			if stops < 4 {
				w.Close()
				leaveDebris(t, dir, stops)
				continue
			}
			setup.Must(w.Finish(map[string]int{"written": len(games)}))
			break
		}
		if got := datatest.Files(t, dir); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d files after the resumes, %d without", len(got), len(want))
		}
	}
}

// leaveDebris does to the folder what a kill at a bad moment does: before a
// rename, and between the rename of a shard and its listing.
func leaveDebris(t *testing.T, dir string, moment int) {
	t.Helper()
	m := setup.Must(durable.LoadManifest(dir))
	name := ".games-00000.arrow.77-0.tmp"
	if moment%2 == 1 {
		name = fmt.Sprintf("games-%05d.arrow", len(m.Shards))
	}
	setup.Check(t, os.WriteFile(filepath.Join(dir, name), []byte("ARROW1 half a sh"), 0o666))
}

func TestWriterRefusals(t *testing.T) {
	games := randomGames(9, 12)
	dir := t.TempDir()
	w := setup.Must(newWriter(dir, testConfig, gamesCodec, smallGames))
	if _, err := NewGameWriter(dir, testConfig); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("two writers: %v", err)
	}
	bad := games[0]
	bad.Result = 3
	if err := w.Append(&bad); err == nil {
		t.Error("a bad row was accepted")
	}
	for i := range games { // a refused row does not spoil the writer
		setup.Check(t, w.Append(&games[i]))
	}
	w.Close()
	w.Close()
	if err := w.Append(&games[0]); err == nil {
		t.Error("appended to a closed writer")
	}
	if _, err := OpenGames(dir); !errors.Is(err, ErrIncomplete) {
		t.Errorf("an interrupted data set opens: %v", err)
	}
	if r, err := OpenGames(dir, Partial); err != nil || r.Len() != 10 {
		t.Errorf("partial: %v", err)
	}
	changed := testConfig
	changed.Seed = 8
	var diff *durable.ConfigChangedError
	if _, err := NewGameWriter(dir, changed); !errors.As(err, &diff) || diff.Field != "seed" {
		t.Errorf("changed seed: %v", err)
	}
	changed = testConfig
	changed.Config = map[string]int{"games": 41}
	if _, err := NewGameWriter(dir, changed); !errors.As(err, &diff) || diff.Field != "config.games" {
		t.Errorf("changed configuration: %v", err)
	}
	if _, err := NewPositionWriter(dir, testConfig); !errors.As(err, &diff) || diff.Field != "schema" {
		t.Errorf("changed format: %v", err)
	}
}

func TestWriterKnowsWhatIsComplete(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, gamesCodec, smallGames, randomGames(9, 3))
	before := datatest.Files(t, dir)
	if _, err := NewGameWriter(dir, testConfig); !errors.Is(err, ErrComplete) {
		t.Errorf("complete: %v", err)
	}
	if !reflect.DeepEqual(before, datatest.Files(t, dir)) {
		t.Error("the complete data set was changed")
	}
	setup.Check(t, os.Remove(filepath.Join(dir, durable.ManifestName)))
	if _, err := NewGameWriter(dir, testConfig); !errors.Is(err, ErrOtherData) {
		t.Errorf("shards without manifest: %v", err)
	}
}

// interrupted returns the folder of a data set of these games that is not complete.
func interrupted(t *testing.T, games []GameRow) string {
	t.Helper()
	dir := t.TempDir()
	w := setup.Must(newWriter(dir, testConfig, gamesCodec, smallGames))
	for i := range games {
		setup.Check(t, w.Append(&games[i]))
	}
	w.Close()
	return dir
}

func TestResumeNoticesDamage(t *testing.T) {
	dir := interrupted(t, randomGames(10, 20))
	datatest.FlipBit(t, filepath.Join(dir, "games-00001.arrow"), 4000)
	if _, err := NewGameWriter(dir, testConfig); !errors.Is(err, durable.ErrDamaged) ||
		!strings.Contains(err.Error(), "games-00001.arrow") {
		t.Errorf("err = %v", err)
	}
}
