package eval

import (
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

func TestScale(t *testing.T) {
	m := setup.Must(Lookup("assay"))
	for _, c := range []struct {
		name, fen string
		want      int
	}{
		{"start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", scaleWhole},
		{"bishop against nothing", "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", scaleDead},
		{"rook against bishop", "4k1b1/8/8/8/8/8/8/2R1K3 w - - 0 1", scaleDead},
		{"rook against knight and pawn", "4k1n1/p7/8/8/8/8/8/2R1K3 w - - 0 1", scaleDead},
		{"rook and bishop against rook", "4k1r1/8/8/8/8/8/8/2RBK3 b - - 0 1", scaleDead},
		{"two knights", "4k3/8/8/8/8/8/8/2N1KN2 w - - 0 1", scaleDead},
		{"bishop and knight", "4k3/8/8/8/8/8/8/2N1KB2 w - - 0 1", scaleWhole},
		{"rook", "4k3/8/8/8/8/8/8/2R1K3 w - - 0 1", scaleWhole},
		{"queen against rook", "4k1r1/8/8/8/8/8/8/2Q1K3 w - - 0 1", scaleWhole},
		{"wrong bishop", "k7/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"right bishop", "k7/8/8/8/8/8/P7/3BK3 w - - 0 1", scaleWhole},
		{"wrong bishop, far king", "4k3/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop, king beside the corner", "1k6/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"wrong bishop, king below the corner", "8/k7/8/8/8/8/P7/2B1K3 w - - 0 1", scaleDead},
		{"wrong bishop, king two files from the corner", "2k5/8/8/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop, king two ranks from the corner", "8/8/k7/8/8/8/P7/2B1K3 w - - 0 1", scaleWhole},
		{"wrong bishop of the h-file", "7k/8/8/8/8/8/7P/3BK3 w - - 0 1", scaleDead},
		{"right bishop of the h-file", "6k1/8/8/8/8/8/7P/2B1K3 w - - 0 1", scaleWhole},
		{"rook's pawn", "k7/8/8/8/8/8/P7/4K3 w - - 0 1", scaleDead},
		{"bishop's pawn", "1k6/8/8/8/8/8/2P5/4K3 w - - 0 1", scaleWhole},
		{"rook and last pawn against rook", "4k1r1/8/8/8/8/8/P7/2R1K3 w - - 0 1", scaleOnePawn},
		{"two pawns against one", "4k1r1/p7/8/8/8/8/PP6/2R1K3 w - - 0 1", scaleTwoPawns},
		{"three against two", "4k1r1/pp6/8/8/8/8/PPP5/2R1K3 w - - 0 1", scaleThree},
		{"three against one", "4k1r1/p7/8/8/8/8/PPP5/2R1K3 w - - 0 1", scaleWhole},
		{"opposite bishops, one up", "4kb2/pp6/8/8/8/8/PPP5/4KB2 w - - 0 1", scaleOpposite},
		{"opposite bishops, two up", "4kb2/p7/8/8/8/8/PPP5/4KB2 w - - 0 1", scaleOpposite2},
		{"opposite bishops and rooks", "r3kb2/pp6/8/8/8/8/PPP5/R3KB2 w - - 0 1", scaleOpposite3},
		{"bishops of one color", "4kb2/pppp4/8/8/8/8/PPPPP3/2B1K3 w - - 0 1", scaleWhole},
	} {
		p := mustParse(t, c.fen)
		mirror := p.Mirror()
		for _, q := range []string{p.FEN(), mirror.FEN()} {
			var f Features
			at := mustParse(t, q)
			m.Features(&at, &f)
			if f.ScaleNum != c.want || f.ScaleDen != scaleWhole {
				t.Errorf("%s: %s: scale %d/%d, want %d/%d", c.name, q, f.ScaleNum, f.ScaleDen, c.want, scaleWhole)
			}
		}
	}
}
