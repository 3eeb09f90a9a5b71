package polyglot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// play returns the position after moves in the notation of UCI, and the last move.
func play(t testing.TB, moves string) (board.Position, board.Move) {
	t.Helper()
	p, last := board.StartPosition(), board.NullMove
	for _, text := range strings.Fields(moves) {
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		last = m
		p.Make(m)
	}
	return p, last
}

// The keys that the description of the format publishes.
func TestPublishedKeys(t *testing.T) {
	for moves, want := range map[string]uint64{
		"":                                   0x463b96181691fc9c,
		"e2e4":                               0x823c9b50fd114196,
		"e2e4 d7d5":                          0x0756b94461c50fb0,
		"e2e4 d7d5 e4e5":                     0x662fafb965db29d4,
		"e2e4 d7d5 e4e5 f7f5":                0x22a48b5a8e47ff78,
		"e2e4 d7d5 e4e5 f7f5 e1e2":           0x652a607ca3f242c1,
		"e2e4 d7d5 e4e5 f7f5 e1e2 e8f7":      0x00fdd303c946bdd9,
		"a2a4 b7b5 h2h4 b5b4 c2c4":           0x3c8123ea7b067637,
		"a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3": 0x5c3f9b829b279560,
	} {
		p, last := play(t, moves)
		if got := Key(&p, last); got != want {
			t.Errorf("%q: key %016x, want %016x", moves, got, want)
		}
	}
}

// A pinned pawn is beside the one that was moved: its capture is not legal, and yet the file is in the key.
func TestPinnedEnPassant(t *testing.T) {
	q, err := board.ParseFEN("8/8/8/8/1k1p3Q/8/4P3/4K3 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	m, err := q.ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	q.Make(m)
	if q.EnPassant() != board.NoSquare {
		t.Fatal("the capture is legal")
	}
	if with, without := Key(&q, m), Key(&q, board.NullMove); with^without != random()[epAt+4] {
		t.Errorf("keys %016x and %016x do not differ by the file", with, without)
	}
}

// line is a move of a book that a test writes.
type line struct {
	before, move string
	weight       uint16
}

// write returns the bytes of a book.
func write(t testing.TB, lines ...line) []byte {
	t.Helper()
	var entries [][]byte
	for _, l := range lines {
		p, last := play(t, l.before)
		m, err := p.ParseUCI(l.move)
		if err != nil {
			t.Fatal(err)
		}
		e := binary.BigEndian.AppendUint64(nil, Key(&p, last))
		code := uint16(m.To()) | uint16(m.From())<<6
		if m.Promotion() != board.NoPieceType {
			code |= uint16(m.Promotion()-board.Knight+1) << 12
		}
		e = binary.BigEndian.AppendUint16(e, code)
		entries = append(entries, append(binary.BigEndian.AppendUint16(e, l.weight), 0, 0, 0, 0))
	}
	slices.SortFunc(entries, func(a, b []byte) int { return bytes.Compare(a[:8], b[:8]) })
	return bytes.Join(entries, nil)
}

func all(t testing.TB, data []byte, plies int) (list []string, err error) {
	t.Helper()
	b, err := Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for moves, err := range b.Lines(plies) {
		if err != nil {
			return list, err
		}
		p, text := board.StartPosition(), ""
		for _, m := range moves {
			text += " " + p.UCI(m)
			p.Make(m)
		}
		list = append(list, strings.TrimSpace(text))
	}
	return list, nil
}

func TestLines(t *testing.T) {
	const castle = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"
	data := write(t, line{"", "d2d4", 1}, line{"", "e2e4", 2}, line{"", "a2a3", 0}, line{"e2e4", "e7e5", 1},
		line{"e2e4 e7e5", "g1f3", 1}, line{"e2e4 e7e5 g1f3", "b8c6", 1}, line{"e2e4 e7e5 g1f3 b8c6", "f1c4", 1},
		line{"e2e4 e7e5 g1f3 b8c6 f1c4", "f8c5", 1}, line{castle, "e1g1", 1},
		// the same position by other moves
		line{"", "g1f3", 1}, line{"g1f3", "e7e5", 1}, line{"g1f3 e7e5", "e2e4", 1})
	for plies, want := range map[int][]string{
		0: {castle + " e1g1", "d2d4"}, // Nf3 e5 e4 goes on in the first line
		1: {"e2e4", "d2d4", "g1f3"},
		3: {"e2e4 e7e5 g1f3", "d2d4"},
	} {
		if got, err := all(t, data, plies); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d plies: %q, %v; want %q", plies, got, err, want)
		}
	}
}

func TestBadBooks(t *testing.T) {
	good := write(t, line{"", "e2e4", 1})
	wrong := slices.Clone(good)
	binary.BigEndian.PutUint16(wrong[8:], uint16(board.H8)) // a1h8
	promotes := slices.Clone(good)
	promotes[8] = 0x70
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"cut off":   {good[:15], "entry 1 is cut off"},
		"illegal":   {wrong, "entry 1 has the move a1h8, which is not legal in rnbqkbnr/"},
		"promotion": {promotes, "not legal"},
	} {
		if _, err := all(t, c.data, 0); !errors.Is(err, ErrBook) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if got, err := all(t, write(t, line{"e2e4", "e7e5", 1}), 0); err != nil || len(got) != 0 {
		t.Errorf("without the start position: %q, %v", got, err)
	}
}

// The book that Polyglot makes of games has their lines.
func TestPolyglotsOwnBook(t *testing.T) {
	program, err := exec.LookPath("polyglot")
	if program == "" {
		program, err = exec.LookPath("/usr/games/polyglot")
	}
	if err != nil {
		t.Skip("needs polyglot (Debian: apt-get install polyglot)")
	}
	dir := t.TempDir()
	games := "[Event \"a\"]\n[Result \"1/2-1/2\"]\n\n1. e4 d5 2. e5 f5 3. exf6 Nxf6 4. Nf3 Bf5 5. Be2 e6 6. O-O 1/2-1/2\n\n" +
		"[Event \"b\"]\n[Result \"1/2-1/2\"]\n\n1. d4 h5 2. d5 e5 3. dxe6 h4 4. exf7+ Ke7 5. fxg8=N+ Rxg8 1/2-1/2\n\n"
	if err := os.WriteFile(filepath.Join(dir, "g.pgn"), []byte(games), 0o666); err != nil {
		t.Fatal(err)
	}
	make := exec.Command(program, "make-book", "-pgn", "g.pgn", "-bin", "g.bin", "-min-game", "1", "-uniform")
	make.Dir = dir
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "g.bin"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(t, data, 0)
	slices.Sort(got)
	want := []string{"d2d4 h7h5 d4d5 e7e5 d5e6 h5h4 e6f7 e8e7 f7g8n h8g8",
		"e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 g1f3 c8f5 f1e2 e7e6 e1g1"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("lines %q, %v; want %q", got, err, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, line{"", "e2e4", 1}, line{"e2e4", "e7e5", 1}), 0)
	f.Fuzz(func(t *testing.T, data []byte, plies int) {
		if len(data) > 1<<12 {
			return
		}
		lines, err := all(t, data, plies%8)
		if err != nil && !errors.Is(err, ErrBook) {
			t.Errorf("%q: %v", lines, err)
		}
	})
}
