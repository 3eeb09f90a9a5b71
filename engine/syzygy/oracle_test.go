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
	"testing"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

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
			if _, err := fmt.Fscan(r, &answers[i][0], &answers[i][1]); err != nil {
				t.Fatal(err)
			}
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
