package roster

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/internal/toy"
)

// realEngines are engines that Debian packages, by the name of the package. Toga and GNU
// Chess, which descend from Fruit, ignore a limit in nodes, and Glaurung may answer a small
// one with no move.
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

// installed returns the specification with the program's full path and long timeouts.
// Debian's folder of games is not in every PATH.
func installed(t *testing.T, debian, spec string) engine.Spec {
	t.Helper()
	name := debian
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath("/usr/games/" + name); err != nil {
			t.Skipf("%s is not installed: apt-get install %s", name, debian)
		}
	}
	return toy.Spec(strings.Replace(spec, name, path, 1)).WithTimeouts(10*time.Minute, 10*time.Minute)
}

// realLimits are the limits of the games; experiments add limits in time.
var realLimits = []selfplay.Limits{{Nodes: 2000}, {Depth: 4}}

// Each real engine plays games without a fault: with limits in nodes and depth, and in
// Chess960 if it can. Limits in time are tested in experiment_test.go.
func TestRealEngines(t *testing.T) {
	for _, e := range realEngines {
		t.Run(e.debian, func(t *testing.T) {
			spec := installed(t, e.debian, e.spec)
			p, err := Open(spec)
			if err != nil {
				t.Fatal(err)
			}
			us, err := Open(toy.Spec("assay:hash=1"))
			if err != nil {
				t.Fatal(err)
			}
			for i, lim := range realLimits {
				if lim.Nodes > 0 && !e.nodes {
					continue
				}
				job := selfplay.Job{Number: uint64(i), Limits: [2]selfplay.Limits{lim, lim},
					Players: [2]engine.Spec{spec, {Name: "assay"}}, Plies: 16}
				playFaultless(t, &job, [2]engine.Player{p, us})
			}
			if supports960(p) {
				job := selfplay.Job{Start: "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", Plies: 24,
					Limits: [2]selfplay.Limits{{Depth: 5}, {Depth: 5}}, Players: [2]engine.Spec{{Name: "assay"}, spec}}
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
}

// The moves since the last capture or pawn move tell an engine as much as all moves of the game: at
// the same depth it plays the same game, in Chess960 too. Toga and GNU Chess do not take part, nor
// Glaurung in Chess960: they search moves in the order of their lists of pieces, which moves
// shuffle and a FEN sorts, so that even after 1.d4 the two forms give other numbers of nodes.
func TestHistory(t *testing.T) {
	for _, e := range realEngines {
		if e.debian == "toga2" || e.debian == "gnuchess" {
			continue
		}
		t.Run(e.debian, func(t *testing.T) {
			spec := installed(t, e.debian, e.spec)
			starts := []string{"", "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1"}
			if e.debian == "glaurung" {
				starts = starts[:1]
			}
			for _, start := range starts {
				whole := spec
				whole.FullHistory = true
				short, full := moves(t, spec, start), moves(t, whole, start)
				if len(short) < 50 || !slices.Equal(short, full) {
					t.Errorf("%q: %v with the moves since the last capture or pawn move, %v with all", start, short, full)
				}
			}
		})
	}
}

// moves returns the moves of a game that the player plays against itself, at a fixed depth.
func moves(t *testing.T, spec engine.Spec, start string) []board.Move {
	t.Helper()
	p, err := Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	lim := selfplay.Limits{Depth: 5}
	r, err := selfplay.Play(t.Context(), &selfplay.Job{Start: start, Plies: 120, Limits: [2]selfplay.Limits{lim, lim},
		Players: [2]engine.Spec{spec, spec}}, [2]engine.Player{p, p})
	if err != nil || r.Fault != "" {
		t.Fatal(err, r.Fault)
	}
	return r.Moves
}

func supports960(p engine.Player) bool {
	return p.SetOption("UCI_Chess960", "false") == nil
}

func playFaultless(t *testing.T, job *selfplay.Job, players [2]engine.Player) {
	t.Helper()
	r, err := selfplay.Play(t.Context(), job, players)
	if err != nil {
		t.Fatal(err)
	}
	if r.Fault != "" {
		t.Errorf("%+v: %s: %s", job.Limits[0], r.Termination, r.Fault)
	}
	foreign := 0
	if job.Players[0].Name == "assay" {
		foreign = 1
	}
	deep := 0
	for i := foreign; i < len(r.Depths); i += 2 {
		deep += int(r.Depths[i])
	}
	if deep == 0 || r.Nodes[foreign] == 0 {
		t.Errorf("%+v: depths %v, %d nodes: the engine's info lines are not parsed", job.Limits[0], r.Depths,
			r.Nodes[foreign])
	}
	if r.Termination == board.Checkmate && len(r.Moves) < 4 {
		t.Errorf("mated in %d plies", len(r.Moves))
	}
	t.Logf("%+v: %d plies, %s, depths %v, scores %v", job.Limits[0], len(r.Moves), r.Termination, r.Depths, r.Scores)
}
