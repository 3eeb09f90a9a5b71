package board

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestRealPositions reads the 434,921 positions of real games in the shared data:
// each is accepted and kept, and by their keys exactly 34,980 occur again.
func TestRealPositions(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("half a million positions are for the long run")
	}
	t.Parallel()
	f, err := os.Open(sharedData + "sf-scored-435k.tsv.zst")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the shared data are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	keys := map[uint64]bool{}
	rows, again := 0, 0
	for lines := bufio.NewScanner(z); lines.Scan(); rows++ {
		fields := strings.Split(lines.Text(), "\t")
		p, err := ParseFEN(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		if keys[p.Key()] {
			again++
		}
		keys[p.Key()] = true
		// The file writes en passant after every double step, we only where it is
		// legal; and it counts some games' moves from 0.
		got, want := strings.Fields(p.FEN()), strings.Fields(fields[0])
		if got[3] == "-" {
			want[3] = "-"
		}
		if want[5] == "0" {
			want[5] = "1"
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%s is written %s", fields[0], p.FEN())
		}
		if check := fields[5] == "1"; check != p.InCheck() {
			t.Fatalf("%s: InCheck() = %v", fields[0], p.InCheck())
		}
	}
	if rows != 434_921 || again != 34_980 {
		t.Errorf("%d positions, of which %d again; want 434921 and 34980", rows, again)
	}
}
