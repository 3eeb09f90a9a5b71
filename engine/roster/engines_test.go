package roster

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
)

// realEngines are those that Debian packages, by the name of the package. Fruit's
// descendants, Toga and GNU Chess, do not know a limit in nodes, and Glaurung may answer
// to a small one that it has no move.
var realEngines = []struct {
	debian, spec string
	nodes        bool
}{
	{"stockfish", "uci:stockfish?Hash=4&Threads=1", true},
	{"glaurung", "uci:glaurung?Threads=1&OwnBook=false", false},
	{"toga2", "uci:toga2?OwnBook=false", false},
	{"gnuchess", "uci:gnuchess --uci?OwnBook=false", false},
	{"ethereal-chess", "uci:ethereal-chess?Hash=4", true},
}

// installed returns the specification with the program's whole path: Debian's games
// are in a folder that is not in every PATH.
func installed(t *testing.T, debian, spec string) string {
	t.Helper()
	name := debian
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath("/usr/games/" + name); err != nil {
			t.Skipf("%s is not installed: apt-get install %s", name, debian)
		}
	}
	return strings.Replace(spec, name, path, 1)
}

// Each real engine plays a short game at a clock and at a time a move, a part of one
// at nodes, and one of Chess960 where it can, without a fault.
func TestRealEngines(t *testing.T) {
	played := false
	for _, e := range realEngines {
		t.Run(e.debian, func(t *testing.T) {
			spec := installed(t, e.debian, e.spec)
			played = true
			p, err := Open(spec)
			if err != nil {
				t.Fatal(err)
			}
			us, err := Open("assay:hash=1")
			if err != nil {
				t.Fatal(err)
			}
			clock := selfplay.Limits{Clock: selfplay.Clock{Base: 800 * time.Millisecond, Increment: 10 * time.Millisecond}}
			for i, lim := range []selfplay.Limits{clock, {MoveTime: 20 * time.Millisecond}, {Nodes: 2000}, {Depth: 4}} {
				if lim.Nodes > 0 && !e.nodes {
					continue
				}
				job := selfplay.Job{Number: uint64(i), Limits: [2]selfplay.Limits{lim, lim}, Players: [2]string{spec, "assay"}, Plies: 16}
				playFaultless(t, &job, [2]engine.Player{p, us})
			}
			if supports960(p) {
				job := selfplay.Job{Start: "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", Plies: 24,
					Limits: [2]selfplay.Limits{{Depth: 5}, {Depth: 5}}, Players: [2]string{"assay", spec}}
				playFaultless(t, &job, [2]engine.Player{us, p})
				job.Start = "" // and standard chess again
				playFaultless(t, &job, [2]engine.Player{us, p})
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := us.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if !played {
		t.Log("no real engine was played")
	}
}

func supports960(p engine.Player) bool {
	return p.SetOption("UCI_Chess960", "false") == nil
}

func playFaultless(t *testing.T, job *selfplay.Job, players [2]engine.Player) {
	t.Helper()
	begun := time.Now()
	r, err := selfplay.Play(t.Context(), job, players)
	if err != nil {
		t.Fatal(err)
	}
	if r.Fault != "" {
		t.Errorf("%+v: %s: %s", job.Limits[0], r.Termination, r.Fault)
	}
	foreign := 0
	if job.Players[0] == "assay" {
		foreign = 1
	}
	deep := 0
	for i := foreign; i < len(r.Depths); i += 2 {
		deep += int(r.Depths[i])
	}
	if deep == 0 || r.Nodes[foreign] == 0 {
		t.Errorf("%+v: depths %v, %d nodes: the engine's info is not understood", job.Limits[0], r.Depths, r.Nodes[foreign])
	}
	if r.Termination == board.Checkmate && len(r.Moves) < 4 {
		t.Errorf("mated in %d plies", len(r.Moves))
	}
	t.Logf("%+v: %d plies in %v, %s, depths %v, scores %v", job.Limits[0], len(r.Moves), time.Since(begun).Round(time.Millisecond), r.Termination, r.Depths, r.Scores)
}
