package syzygy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
	"golang.org/x/exp/mmap"
)

func position(t testing.TB, fen string) *board.Position {
	t.Helper()
	p := setup.Must(board.ParseFEN(fen))
	return &p
}

type vector struct {
	position *board.Position
	wdl      outcome
	dtz      string
}

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	text := setup.Must(os.ReadFile("testdata/vectors.txt"))
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), ";"); len(f) == 3 && line[0] != '#' {
			v := vector{position: position(t, f[0]), dtz: f[2]}
			setup.Must(fmt.Sscan(f[1], &v.wdl))
			all = append(all, v)
		}
	}
	return all
}

// TestVectors checks positions against answers of Fathom that are kept, from four workers at once, and mirrored.
func TestVectors(t *testing.T) {
	tables := setup.Must(openTables("testdata"))
	all := vectors(t)
	if len(all) < 300 {
		t.Fatalf("%d vectors", len(all))
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for _, v := range all {
				p := *v.position
				if worker%2 == 1 {
					p = p.Mirror()
				}
				if wdl, err := tables.wdl(&p); err != nil || wdl != v.wdl {
					t.Errorf("%s: %s, %v; want %s", p.FEN(), wdl, err, v.wdl)
				}
				dtz, err := tables.dtz(&p)
				if errors.Is(err, errMissing) && v.dtz == "-" {
					continue
				}
				if err != nil || fmt.Sprint(dtz) != v.dtz {
					t.Errorf("%s: DTZ %d, %v; want %s", p.FEN(), dtz, err, v.dtz)
				}
			}
		})
	}
	wg.Wait()
}

// TestValuesFollowFromMoves checks what holds for every position without a second reader: its value follows from its
// best move.
func TestValuesFollowFromMoves(t *testing.T) {
	tables := setup.Must(openTables("testdata"))
	rng := rand.New(rand.NewPCG(3, 4))
	checked := 0
	for _, name := range [][2]string{{"KP", "K"}, {"KBN", "K"}, {"KNN", "K"}, {"KR", "K"}, {"KQ", "K"}} {
		men := newTable(name[0], name[1]).men
		for range 3000 {
			p, ok := randomPosition(rng, men)
			if !ok || p.CountLegal() == 0 {
				continue
			}
			best := lost
			for _, m := range p.LegalMoves(nil) {
				v := setup.Must(tables.wdl(after(&p, m)))
				best = max(best, -v)
			}
			if v, err := tables.wdl(&p); err != nil || v != best {
				t.Fatalf("%s: %s, %v; its best move has %s", p.FEN(), v, err, best)
			}
			checked++
		}
	}
	if checked < 5000 {
		t.Fatalf("%d positions", checked)
	}
}

// TestCursed checks the numbers of positions that the 50-move rule makes draws; no table of four men has one.
func TestCursed(t *testing.T) {
	p := part{flags: winPlies | mapped, ranges: [4][]uint16{{7, 9}, {4}, {50}, {60}}}
	for _, c := range []struct {
		stored int
		v      outcome
		want   int
	}{{1, won, 10}, {0, lost, -9}, {0, cursedWin, 201}, {0, blessedLoss, -221}} {
		if got, err := p.plies(c.stored, c.v); err != nil || got != c.want {
			t.Errorf("%d, %s: %d, %v; want %d", c.stored, c.v, got, err, c.want)
		}
	}
	if _, err := p.plies(2, won); !errors.Is(err, errDamaged) {
		t.Errorf("beyond the map: %v", err)
	}
}

func TestMissing(t *testing.T) {
	tables := setup.Must(openTables("testdata"))
	for fen, name := range map[string]string{
		"8/8/8/8/8/2qk4/8/KR5B w - - 0 1": "KRBvKQ", "8/8/8/8/8/3bk3/8/KQ6 w - - 0 1": "KQvKB",
		"4k3/8/8/8/8/8/8/4K2R w K - 0 1": "castling",
	} {
		if _, err := tables.wdl(position(t, fen)); !errors.Is(err, errMissing) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want %s", fen, err, name)
		}
	}
	if _, err := tables.dtz(position(t, "8/8/8/8/8/3rk3/8/KQ6 w - - 0 1")); !errors.Is(err, errMissing) {
		t.Errorf("DTZ without .rtbz: %v", err)
	}
	empty := t.TempDir()
	for path, want := range map[string]string{
		empty: "no table in", filepath.Join(empty, "none"): "no such file", "": "no table",
	} {
		if _, err := openTables(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v, want %q", path, err, want)
		}
	}
	both := setup.Must(openTables(empty + string(filepath.ListSeparator) + "testdata"))
	if both.men != 4 || len(both.files) != 19 {
		t.Errorf("%d men, files %v", both.men, both.files)
	}
}

// TestDamaged checks that a damaged file is an error that names it, or changes values at most: no panic, no hang.
func TestDamaged(t *testing.T) {
	whole := setup.Must(os.ReadFile("testdata/KRvK.rtbz"))
	p := position(t, "8/8/8/8/8/3k4/8/KR6 w - - 0 1")
	probe := func(content []byte) error {
		dir := t.TempDir()
		file := filepath.Join(dir, "KRvK.rtbz")
		setup.Check(t, os.WriteFile(file, content, 0o644))
		_, err := setup.Must(openTables(dir + string(filepath.ListSeparator) + "testdata")).dtz(p)
		if err != nil && !strings.Contains(err.Error(), file+" is damaged") {
			t.Errorf("%v does not name %s", err, file)
		}
		return err
	}
	setup.Check(t, probe(whole))
	for _, n := range []int{0, 3, 5, 60, len(whole) - 64, len(whole) - 1} {
		if probe(whole[:n]) == nil {
			t.Errorf("a file cut to %d bytes was read", n)
		}
	}
	if probe(append(bytes.Clone(whole), 0)) == nil {
		t.Error("a file with a byte more was read")
	}
	refused := 0
	for i := range 150 {
		changed := bytes.Clone(whole)
		changed[i] ^= 0xff
		if probe(changed) != nil {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("of 150 bytes of the header only %d matter", refused)
	}
}

// FuzzTable probes tables with any content.
func FuzzTable(f *testing.F) {
	fens := []string{"8/8/8/8/8/3k4/8/KR6 w - - 0 1", "8/8/8/8/3k4/8/4P3/4K3 b - - 0 1",
		"8/8/8/8/7k/8/3NN3/4K3 w - - 0 1", "8/4p3/8/8/3k4/8/4P3/4K3 w - - 0 1"}
	names := [][2]string{{"KR", "K"}, {"KP", "K"}, {"KNN", "K"}, {"KP", "KP"}}
	for i, name := range []string{"KRvK", "KPvK", "KNNvK"} {
		for _, suffix := range []string{".rtbw", ".rtbz"} {
			content := setup.Must(os.ReadFile("testdata/" + name + suffix))
			f.Add(content, uint8(i))
		}
	}
	scratch := filepath.Join(f.TempDir(), "table")
	f.Fuzz(func(t *testing.T, content []byte, which uint8) {
		i := int(which) % len(fens)
		for _, dtz := range []bool{false, true} {
			table := newTable(names[i][0], names[i][1])
			file := &file{src: mapBytes(t, scratch, content)}
			if file.parse(table, dtz) != nil {
				continue
			}
			p := *position(t, fens[i])
			for _, e := range []entry{{table: table}, {table, !table.symmetric}} {
				if part, n, ok := file.number(e, &p, dtz); ok {
					if value, err := part.value(file.src, n); err == nil && !dtz && value > int(won-lost) {
						t.Errorf("value %d", value)
					}
				}
				p = p.Mirror()
			}
		}
	})
}

// mapBytes writes a file with the content and maps it.
func mapBytes(t *testing.T, path string, content []byte) *mmap.ReaderAt {
	setup.Check(t, os.WriteFile(path, content, 0o644))
	src := setup.Must(mmap.Open(path))
	t.Cleanup(func() { src.Close() })
	return src
}

// TestResult checks the bounds of the 50-move rule at each half-move clock, where White mates in 15 or 16 moves, and
// mates in one.
func TestResult(t *testing.T) {
	tables := setup.Must(openTables("testdata"))
	for clock := range 101 {
		for _, side := range []string{"w", "b"} {
			p := position(t, fmt.Sprintf("8/8/8/8/8/3k4/8/KR6 %s - - %d 80", side, clock))
			dtz, _ := tables.dtz(p)
			total, want := max(dtz, -dtz)+clock, board.Draw
			if total < 99 {
				want = board.WhiteWins
			}
			result, ok, err := tables.Result(p, true)
			if err != nil || result != want || ok == (total == 99 || total == 100) {
				t.Errorf("%s, clock %d, DTZ %d: %v, %v, %v", side, clock, dtz, result, ok, err)
			}
			if result, ok, err = tables.Result(p, false); err != nil || !ok || result != board.WhiteWins {
				t.Errorf("%s, clock %d, without the rule: %v, %v, %v", side, clock, result, ok, err)
			}
		}
	}
	for _, fen := range []string{"7k/8/6K1/8/8/8/8/R7 w - - 0 1", "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1",
		"7k/8/6K1/8/8/8/8/1R6 w - - 0 1"} {
		if dtz, err := tables.dtz(position(t, fen)); err != nil || dtz != 1 {
			t.Errorf("%s: DTZ %d, %v; want 1", fen, dtz, err)
		}
	}
}

// TestAgreesWithFathom compares 100,000 random positions of all materials with Fathom's answers. The folder in
// ASSAY_SYZYGY, if it is set, is taken instead of testdata. ASSAY_SYZYGY_VECTORS=FILE writes answers for
// TestVectors.
func TestAgreesWithFathom(t *testing.T) {
	dir, n := "testdata", 2000
	if d := os.Getenv("ASSAY_SYZYGY"); d != "" {
		dir, n = d, 100000
	}
	answers := startFathom(t, dir)
	tables := setup.Must(openTables(dir))
	rng := rand.New(rand.NewPCG(1, 2))
	positions := make([]board.Position, 0, n)
	all := materials(tables)
	for len(positions) < n {
		men := all[rng.IntN(len(all))]
		tries := 1
		white, black := board.NewPiece(board.White, board.Pawn), board.NewPiece(board.Black, board.Pawn)
		if slices.Contains(men, white) && slices.Contains(men, black) {
			tries = 300 // en passant is rare
		}
		for ; tries > 0; tries-- {
			if p, ok := randomPosition(rng, men); ok && (tries == 1 || p.EnPassant() != board.NoSquare) {
				positions = append(positions, p)
				break
			}
		}
	}
	vectors := &bytes.Buffer{}
	counts, enPassant := map[outcome]int{}, 0
	for i, want := range answers(positions) {
		p := &positions[i]
		wdl, err := tables.wdl(p)
		if failed := err != nil; failed != (want[0] < 0) || failed && !errors.Is(err, errMissing) {
			t.Errorf("%s: WDL %s, %v; Fathom %d", p.FEN(), wdl, err, want[0])
		} else if !failed && int(wdl-lost) != want[0] {
			t.Errorf("%s: WDL %s, Fathom %d", p.FEN(), wdl, want[0])
		}
		dtz, dtzErr := tables.dtz(p)
		if want[1] >= 0 && p.CountLegal() > 0 && (dtzErr != nil || max(dtz, -dtz) != want[1] || dtz*int(wdl) < 0) {
			t.Errorf("%s: DTZ %d, %v; Fathom %d", p.FEN(), dtz, dtzErr, want[1])
		}
		if err != nil {
			continue
		}
		counts[wdl]++
		if p.EnPassant() != board.NoSquare {
			enPassant++
		}
		distance := strconv.Itoa(dtz)
		if dtzErr != nil {
			distance = "-"
		}
		fmt.Fprintf(vectors, "%s;%d;%s\n", p.FEN(), want[0]-2, distance)
	}
	t.Logf("%d positions, %d with en passant: %v", n, enPassant, counts)
	_, pawns := tables.byMaterial[materialKey("KP", "KP")]
	if pawns && enPassant == 0 || counts[won] == 0 || counts[lost] == 0 || counts[drawn] == 0 {
		t.Errorf("too few positions of each kind")
	}
	if file := os.Getenv("ASSAY_SYZYGY_VECTORS"); file != "" {
		setup.Check(t, os.WriteFile(file, vectors.Bytes(), 0o644))
	}
}

// startFathom builds the driver and returns what asks it about positions: WDL 0 to 4 and the distance.
func startFathom(t *testing.T, dir string) func([]board.Position) [][2]int {
	driver := filepath.Join(t.TempDir(), "oracle")
	cc := exec.Command("cc", "-O1", "-o", driver, "testdata/oracle.c", "-lfathom")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("no Fathom to compare with: apt-get install gcc libfathom-dev (%v: %.200s)", err, out)
	}
	return func(positions []board.Position) [][2]int {
		in := &bytes.Buffer{}
		for i := range positions {
			writeForFathom(in, &positions[i])
		}
		cmd := exec.Command(driver, dir)
		cmd.Stdin = in
		out := setup.Must(cmd.Output())
		answers, r := make([][2]int, len(positions)), bytes.NewReader(out)
		for i := range answers {
			setup.Must(fmt.Fscan(r, &answers[i][0], &answers[i][1]))
		}
		return answers
	}
}

func writeForFathom(w io.Writer, p *board.Position) {
	fmt.Fprintf(w, "%x %x", uint64(p.ByColor(board.White)), uint64(p.ByColor(board.Black)))
	for kind := board.King; kind < board.NoPieceType; kind-- {
		fmt.Fprintf(w, " %x", uint64(p.ByType(kind)))
	}
	fmt.Fprintf(w, " %d %d\n", p.EnPassant()%64, p.SideToMove()^1)
}

// randomPosition returns a legal position with the men, with an en-passant
// square where it can be.
func randomPosition(rng *rand.Rand, men []board.Piece) (board.Position, bool) {
	sets := board.Sets{SideToMove: board.Color(rng.IntN(2)), EnPassant: board.NoSquare, Fullmove: 1}
	swap := board.Color(rng.IntN(2))
	var used board.Bitboard
	for _, m := range men {
		s := board.Square(rng.IntN(64))
		if m.Type() == board.Pawn {
			s = board.Square(8 + rng.IntN(48))
		}
		if used.Has(s) {
			return board.Position{}, false
		}
		used |= s.Bitboard()
		sets.ByType[m.Type()] |= s.Bitboard()
		sets.ByColor[m.Color()^swap] |= s.Bitboard()
	}
	other := sets.SideToMove.Other()
	pawns := sets.ByType[board.Pawn] & sets.ByColor[other] & (board.Rank4 | board.Rank5)
	if pawns != 0 {
		if s := pawns.First(); s.RelativeRank(other) == 3 {
			sets.EnPassant = s.Relative(other) - 8
			sets.EnPassant = sets.EnPassant.Relative(other)
		}
	}
	p, err := sets.Position()
	return p, err == nil
}

// materials returns the men of each table, in the order of their names.
func materials(tables *tableSet) (all [][]board.Piece) {
	for _, name := range tables.files {
		base, _, _ := strings.Cut(name, " ")
		if match := tableName.FindStringSubmatch(base); match != nil {
			all = append(all, newTable(match[1], match[2]).men)
		}
	}
	return all
}
