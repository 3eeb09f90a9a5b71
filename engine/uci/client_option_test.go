package uci

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	testengine "github.com/assay-chess/assay/engine/uci/testdata"
	"github.com/assay-chess/assay/internal/setup"
)

func TestParseOption(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		text string
		want option
	}{
		{" name Hash type spin default 16 min 1 max 33554432",
			option{Name: "Hash", kind: "spin", preset: "16", low: number(1), high: number(33554432)}},
		{" name Mobility (Middle Game) type check default true", option{Name: "Mobility (Middle Game)", kind: "check",
			preset: "true"}},
		{" name Style type combo default Very Solid var Normal var Very Solid",
			option{Name: "Style", kind: "combo", preset: "Very Solid", vars: []string{"Normal", "Very Solid"}}},
		{" name Clear Hash type button", option{Name: "Clear Hash", kind: "button"}},
		{"\tname  max min default  type SPIN min x max -3\r",
			option{Name: "max min default", kind: "spin", high: number(-3)}},
		{" name Bare", option{Name: "Bare"}},
		{" name Debug Log File type string default ", option{Name: "Debug Log File", kind: "string"}},
	} {
		got, ok := parseOption([]byte(tt.text))
		tt.want.text = clean(tt.text, 1000)
		if !ok || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v (%v), want %+v", tt.text, got, ok, tt.want)
		}
	}
	for _, text := range []string{"", " ", " name", " name type spin", " type spin"} {
		if o, ok := parseOption([]byte(text)); ok {
			t.Errorf("%q is parsed as %+v", text, o)
		}
	}
}

func TestSetOption(t *testing.T) {
	c := openBad(t, "good")
	for _, tt := range []struct{ name, value, want string }{
		{"hash", "16", ""},
		{"HASH", "1024", ""},
		{"Hash", "1025", `option Hash: "1025" is not a whole number from 1 to 1024`},
		{"Hash", "", "is not a whole number"},
		{"Style", "very solid", ""},
		{"Style", "risky", "is not one of Normal, Very Solid"},
		{"Clear Hash", "", ""},
		{"Clear Hash", "1", "has no value"},
		{"Use Book", "FALSE", ""},
		{"Use Book", "0", "is not true or false"},
		{"Book File", "/a b/c.bin", ""},
		{"Book File", "x\nquit", "must be one line"},
		{"Book File", "", ""},
		{"Book", "x", `option "Book": the engine does not have it; it has Use Book, Book File`},
		{"Hahs", "1", `option "Hahs": the engine does not have it; it has Hash`},
		{"Threads", "1", `option "Threads": the engine does not have it`},
	} {
		err := c.SetOption(tt.name, tt.value)
		if tt.want == "" && err != nil ||
			tt.want != "" && (!errors.Is(err, ErrOption) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("SetOption(%q, %q): %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
	for _, want := range []string{"> setoption name Book File value\n", "> setoption name Clear Hash\n",
		"> setoption name Book File value /a b/c.bin\n"} {
		if !strings.Contains(c.Log(), want) {
			t.Errorf("the engine was not sent %q:\n%s", want, c.Log())
		}
	}
	if want := "option name Clear Hash type button"; !slices.Contains(c.Options(), want) {
		t.Errorf("options %q lack %q", c.Options(), want)
	}
	// A restart sets each option once, to its last value.
	if want := []engine.Option{{Name: "Hash", Value: "1024"}, {Name: "Style", Value: "Very Solid"},
		{Name: "Use Book", Value: "false"}, {Name: "Book File"}}; !slices.Equal(c.command.Options, want) {
		t.Errorf("remembered %v, want %v", c.command.Options, want)
	}
}

func TestManyOptions(t *testing.T) {
	if c := openBad(t, "many-options"); c.SetOption("term2999", "7") != nil || len(c.Options()) < 3005 {
		t.Errorf("%d options, %v", len(c.Options()), c.SetOption("term2999", "7"))
	}
	if err := openBad(t, "endless-options").Start(); !errors.Is(err, ErrStart) ||
		!strings.Contains(err.Error(), "more than 65536 options") {
		t.Error(err)
	}
}

// A search sets what the engine has otherwise, by its default or by the user's options.
func TestOptionsThatAreFollowed(t *testing.T) {
	const fischer = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
	for _, tt := range []struct {
		announced, multiPV string
		set                []engine.Option
		fen                string
		lines              int
		want               string // setoption commands of the search
	}{
		{"false", "1", nil, board.StartFEN, 0, ""},
		{"false", "1", nil, fischer, 0, "UCI_Chess960 value true"},
		{"true", "1", nil, board.StartFEN, 0, "UCI_Chess960 value false"},
		{"true", "1", nil, fischer, 0, ""},
		{"false", "1", []engine.Option{{Name: "uci_chess960", Value: "true"}}, board.StartFEN, 0, "UCI_Chess960 value false"},
		{"false", "1", []engine.Option{{Name: "UCI_Chess960", Value: "TRUE"}}, fischer, 0, ""},
		{"false", "3", nil, board.StartFEN, 0, "MultiPV value 1"},
		{"false", "1", []engine.Option{{Name: "multipv", Value: "3"}}, board.StartFEN, 0, ""},
		{"false", "1", []engine.Option{{Name: "MultiPV", Value: "3"}}, board.StartFEN, 1, "MultiPV value 1"},
		{"false", "1", nil, board.StartFEN, 2, "MultiPV value 2"},
	} {
		c := NewClient(Command{Path: "e", Options: tt.set})
		for _, text := range []string{"name UCI_Chess960 type check default " + tt.announced,
			"name MultiPV type spin min 1 max 5 default " + tt.multiPV} {
			o, _ := parseOption([]byte(text))
			c.options = append(c.options, o)
		}
		setup.Must(c.optionCommands())
		p := setup.Must(board.ParseFEN(tt.fen))
		setup.Check(t, c.prepare(board.NewGame(p), &engine.Limits{Depth: 1, MultiPV: tt.lines}))
		commands, _, _ := strings.Cut(string(c.out), "position")
		if got := strings.TrimSuffix(strings.TrimPrefix(commands, "setoption name "), "\n"); got != tt.want {
			t.Errorf("%+v: sent %q", tt, got)
		}
	}
}

// Each start sets the options of the command, and fails if the engine lacks one.
func TestOptionsAtTheStart(t *testing.T) {
	command, mark := badCommand(t, "good")
	for _, tt := range []struct {
		options []engine.Option
		ok      bool
	}{
		{[]engine.Option{{Name: "hash", Value: "8"}, {Name: "Clear Hash", Value: ""}}, true},
		{[]engine.Option{{Name: "Hash", Value: "8"}, {Name: "Speed", Value: "9"}}, false},
		{[]engine.Option{{Name: "Hash", Value: "-8"}}, false},
	} {
		command.Options = tt.options
		c := NewClient(command)
		err := c.Start()
		if tt.ok && err != nil || !tt.ok && (!errors.Is(err, ErrOption) || errors.Is(err, ErrStart)) {
			t.Errorf("%v: %v", tt.options, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	testengine.NoneLeft(t, mark)
}

func TestParseInfo(t *testing.T) {
	for _, tt := range []struct {
		text   string
		want   engine.Info
		scored bool
		pv     string
	}{
		{"depth 9 seldepth 12 multipv 1 score cp -32 nodes 18081 nps 488675 hashfull 4 tbhits 0 time 37 pv c7c5 g1f3",
			engine.Info{Depth: 9, SelDepth: 12, MultiPV: 1, Score: -32, Nodes: 18081, HashFull: 4,
				Time: 37 * time.Millisecond}, true, "c7c5 g1f3"},
		{"multipv 1 depth 1 seldepth 1 score cp -66 upperbound time 0 nodes 2 pv a7a5 \r",
			engine.Info{Depth: 1, SelDepth: 1, MultiPV: 1, Score: -66, Bound: -1, Nodes: 2}, true, "a7a5"},
		{"depth 6", engine.Info{Depth: 6, Score: engine.NoScore}, false, ""},
		{"score mate 3 lowerbound", engine.Info{Score: engine.MateScore - 5, Bound: 1}, true, ""},
		{"score mate 1", engine.Info{Score: engine.MateScore - 1}, true, ""},
		{"score mate -2", engine.Info{Score: -(engine.MateScore - 4)}, true, ""},
		{"score mate 0", engine.Info{Score: engine.NoScore}, true, ""},
		{"score mate 999999", engine.Info{Score: engine.MaxScore + 3}, true, ""},
		{"score mate -999999", engine.Info{Score: -(engine.MaxScore + 2)}, true, ""},
		{"score cp 31999", engine.Info{Score: engine.MaxScore}, true, ""},
		{"score cp -99999999999999999999", engine.Info{Score: -engine.MaxScore}, true, ""},
		{"score cp", engine.Info{Score: engine.NoScore}, false, ""},
		{"score wdl 1 2 3 depth 5", engine.Info{Depth: 5, Score: engine.NoScore}, false, ""},
		{"depth 99999999999999999999 nodes -1 time 99999999999999999999 hashfull 5000",
			engine.Info{Score: engine.NoScore, Depth: maxDepth, Time: maxTime, HashFull: 1000}, false, ""},
		{"depth x score cp 5", engine.Info{Score: 5}, true, ""},
		{"string depth 5 score cp 5", engine.Info{Score: engine.NoScore}, false, ""},
		{"currmove e2e4 currmovenumber 1 nodes 7", engine.Info{Score: engine.NoScore, Nodes: 7}, false, ""},
	} {
		got, scored, pv := parseInfo([]byte(tt.text))
		if !reflect.DeepEqual(got, tt.want) || scored != tt.scored || string(pv) != tt.pv {
			t.Errorf("%q: %+v, %v, %q; want %+v, %v, %q", tt.text, got, scored, pv, tt.want, tt.scored, tt.pv)
		}
	}
}

// The score is the last exact one of the best line, and what comes with it.
func TestAnswer(t *testing.T) {
	start := board.StartPosition()
	var a answer
	var seen []engine.Info
	a.reset(&start, func(i engine.Info) { seen = append(seen, i) })
	for _, line := range []string{
		"info depth 4 score cp 30 nodes 100 time 3 pv e2e4 e7e5",
		"info depth 4 multipv 2 score cp 10 nodes 110 pv d2d4",
		"info depth 5 score cp 55 lowerbound nodes 200 pv d2d4",
		"info nodes 250 time 9",
	} {
		if _, ok := a.take([]byte(line)); ok {
			t.Errorf("%q is taken as bestmove", line)
		}
	}
	word, ok := a.take([]byte(" bestmove E2E4\r"))
	if !ok || word != "e2e4" || len(seen) != 3 || seen[1].MultiPV != 2 || len(seen[0].PV) != 2 {
		t.Errorf("word %q, infos %+v", word, seen)
	}
	m := setup.Must(start.ParseUCI(word))
	r := a.result(m)
	if r.Score != 30 || r.Depth != 4 || r.Nodes != 250 || r.Time != 9*time.Millisecond || len(r.PV) != 2 {
		t.Errorf("result %+v", r)
	}
}

// An engine may report from White's view: with Black to move, all is the other way round.
func TestAnswerFromWhitesView(t *testing.T) {
	p := setup.Must(board.ParseFEN("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"))
	for text, want := range map[string]engine.Info{
		"score cp 30":            {Score: -30},
		"score cp -30":           {Score: 30},
		"score cp 30 upperbound": {Score: -30, Bound: 1},
		"score mate 3":           {Score: -(engine.MateScore - 6)}, // White mates after Black's move
		"score mate -3":          {Score: engine.MateScore - 5},
		"score mate 0":           {Score: engine.NoScore},
	} {
		var a answer
		a.reset(&p, func(i engine.Info) {
			if i.PV = nil; !reflect.DeepEqual(i, want) {
				t.Errorf("%q: %+v, want %+v", text, i, want)
			}
		})
		a.opposite = true
		a.take([]byte("info " + text))
	}
}

// A search has a score only if the engine gave an exact one that is possible in a position
// with legal moves; the last such score stays.
func TestScoreOfAnswer(t *testing.T) {
	start := board.StartPosition()
	for _, tt := range []struct {
		lines string // separated by semicolons
		want  engine.Score
		depth int
	}{
		{"", engine.NoScore, 0},
		{"depth 3 nodes 5 pv e2e4", engine.NoScore, 0},
		{"depth 1 score cp 0", 0, 1},
		{"depth 1 score mate 0", engine.NoScore, 1},
		{"depth 1 score mate -0", engine.NoScore, 1},
		{"depth 1 score cp 28;depth 9 score mate 0", 28, 1},
		{"depth 1 score mate 0;depth 2 score cp 28", 28, 2},
		{"depth 1 score mate 10 lowerbound", engine.NoScore, 1},
		{"depth 1 score mate -10 upperbound", engine.NoScore, 1},
		{"depth 1 score cp -2900 upperbound", engine.NoScore, 1},
		{"depth 1 lowerbound score cp 2900", engine.NoScore, 1},
		{"depth 4 score cp 31;depth 5 score cp -2900 upperbound", 31, 4},
		{"depth 4 score mate 3;depth 5 score mate 2 lowerbound", engine.MateScore - 5, 4},
		{"depth 4 score cp 99 lowerbound;depth 4 score cp 120", 120, 4},
		{"multipv 2 depth 4 score cp 10", engine.NoScore, 0},
		{"depth 4 score cp 12.5", engine.NoScore, 0},
		{"string score cp 12", engine.NoScore, 0},
		{"depth 4 score mate -3", -(engine.MateScore - 6), 4},
		{"depth 4 score cp 30000", engine.MaxScore, 4},
		{"depth 4 score cp -30000", -engine.MaxScore, 4},
	} {
		var a answer
		a.reset(&start, nil)
		for line := range strings.SplitSeq(tt.lines, ";") {
			a.take([]byte("info " + line))
		}
		if r := a.result(start.LegalMoves(nil)[0]); r.Score != tt.want || r.Depth != tt.depth ||
			r.Score.Known() != (tt.want != engine.NoScore) {
			t.Errorf("%q: score %d, depth %d; want %d, %d", tt.lines, r.Score, r.Depth, tt.want, tt.depth)
		}
	}
}

func TestLineBuffer(t *testing.T) {
	long := strings.Repeat("x", 3*lineBufferSize)
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a\nb\r\n\nc", []string{"a", "b\r", "", "c"}},
		{"", nil},
		{"\n", []string{""}},
		{long + "\nb\n", []string{long[:lineBufferSize], "b"}},
		{long, []string{long[:lineBufferSize]}},
		{long[:lineBufferSize] + "\nb", []string{long[:lineBufferSize], "b"}},
		{long[:lineBufferSize-1] + "\nb", []string{long[:lineBufferSize-1], "b"}},
	} {
		for _, chunk := range []int{1 << 20, 1000, 7} {
			b := lineBuffer{from: &chunked{strings.NewReader(tt.text), chunk}, buf: make([]byte, firstLineBuffer)}
			var got []string
			for {
				line, err := b.next()
				if err == io.EOF {
					break
				}
				setup.Check(t, err)
				got = append(got, string(line))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%.20q... in chunks of %d: %d lines, want %d", tt.text, chunk, len(got), len(tt.want))
			}
		}
	}
}

// chunked returns at most n bytes a read.
type chunked struct {
	r io.Reader
	n int
}

func (c *chunked) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

func TestLineBufferDiscards(t *testing.T) {
	b := lineBuffer{from: io.MultiReader(strings.NewReader("a\nb\nhalf"), strings.NewReader(" of c\nd\n")),
		buf: make([]byte, 64)}
	if line, err := b.next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	b.discard()
	if line, err := b.next(); string(line) != "d" || err != nil {
		t.Errorf("%q, %v after discarding b and the start of c, want d", line, err)
	}
}

func TestGo(t *testing.T) {
	start := board.StartPosition()
	for _, tt := range []struct {
		lim  engine.Limits
		want string
	}{
		{engine.Limits{}, "go infinite"},
		{engine.Limits{Nodes: 5000}, "go nodes 5000"},
		{engine.Limits{Depth: 7, Nodes: 1 << 63}, "go depth 7 nodes 4611686018427387904"},
		{engine.Limits{MoveTime: 1500 * time.Microsecond}, "go movetime 1"},
		{engine.Limits{MoveTime: 1}, "go movetime 1"},
		{engine.Limits{Clock: [2]time.Duration{8 * time.Second, 7900 * time.Millisecond},
			Increment: [2]time.Duration{80 * time.Millisecond, 80 * time.Millisecond}, MovesToGo: 3},
			"go wtime 8000 btime 7900 winc 80 binc 80 movestogo 3"},
		{engine.Limits{Clock: [2]time.Duration{0, time.Second}}, "go btime 1000"},
		{engine.Limits{Ponder: true, Clock: [2]time.Duration{1, 1}}, "go infinite"},
		{engine.Limits{Depth: 2, SearchMoves: []board.Move{board.NewMove(12, 28), board.NewMove(1, 18)}},
			"go depth 2 searchmoves e2e4 b1c3"},
		{engine.Limits{Mate: 3}, "go mate 3"},
	} {
		if got := string(appendGo(nil, &start, false, &tt.lim)); got != tt.want+"\n" {
			t.Errorf("%+v: %q, want %q", tt.lim, got, tt.want)
		}
	}
}

// The position command that grows with a game equals one written from scratch, with all moves and
// with those since the last capture or pawn move.
func TestPositionCommandGrows(t *testing.T) {
	for _, full := range []bool{false, true} {
		positionCommandGrows(t, full)
	}
}

func positionCommandGrows(t *testing.T, full bool) {
	for _, fen := range []string{board.StartFEN, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
		"1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"} {
		start := setup.Must(board.ParseFEN(fen))
		g := board.NewGame(start)
		growing := positionWriter{full: full}
		for ply := range 40 {
			fresh := positionWriter{full: full}
			got, want := growing.appendPosition(nil, g), fresh.appendPosition(nil, g)
			if !bytes.Equal(got, want) {
				t.Fatalf("ply %d:\n%s%s", ply, got, want)
			}
			checkPosition(t, string(got), g, full)
			moves := g.Position().LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			next := moves[(ply*7)%len(moves)]
			for _, m := range moves {
				if g.Position().IsCastling(m) {
					next = m
				}
			}
			g.Push(next)
			if ply == 20 { // another game with as many moves
				growing.appendPosition(nil, g)
				g = board.NewGame(start)
				g.Push(start.LegalMoves(nil)[1])
			}
		}
	}
}

func TestPositionCommandBeginsAtTheLastPawnMove(t *testing.T) {
	g := board.NewGame(board.StartPosition())
	var w positionWriter
	for _, word := range strings.Fields("g1f3 g8f6 f3g1 f6g8 e2e4 e7e5 g1f3 g8f6 f3g1 f6g8") {
		m := setup.Must(g.Position().ParseUCI(word))
		g.Push(m)
		checkPosition(t, string(w.appendPosition(nil, g)), g, false)
	}
	const want = "position fen rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 4 moves g1f3 g8f6 f3g1 f6g8\n"
	if got := string(w.appendPosition(nil, g)); got != want || g.Repetitions() != 1 {
		t.Errorf("%q, want %q (%d repetitions)", got, want, g.Repetitions())
	}
}

// checkPosition parses the command as our own server does.
func checkPosition(t *testing.T, command string, g *board.Game, full bool) {
	t.Helper()
	got, err := parsePosition(strings.Fields(command)[1:])
	if err != nil || got.Position().FEN() != g.Position().FEN() || got.Repetitions() != g.Repetitions() {
		t.Fatalf("%q is another game: %v", command, err)
	}
	if full && !slices.Equal(got.Moves(), g.Moves()) || !full && len(got.Moves()) > g.Position().Halfmove() {
		t.Fatalf("%q has other moves", command)
	}
}

// No output of an engine yields numbers out of range.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("info depth 3 score cp 20 pv e2e4\nbestmove e2e4\noption name A type spin min 1\n"))
	f.Add([]byte("info score mate -9999999999999999999 multipv -1\nBESTMOVE\x00\n"))
	f.Add([]byte("option name type default var min max\n option name x type combo var\n"))
	start := board.StartPosition()
	f.Fuzz(func(t *testing.T, data []byte) {
		b := lineBuffer{from: bytes.NewReader(data), buf: make([]byte, 256)}
		var a answer
		a.reset(&start, func(i engine.Info) {
			if abs := max(i.Score, -i.Score); abs >= engine.MateScore && i.Score.Known() ||
				i.Depth < 0 || i.Nodes > maxNodes {
				t.Errorf("%+v", i)
			}
		})
		for {
			line, err := b.next()
			if err != nil {
				break
			}
			if word, ok := a.take(line); ok && strings.ToLower(word) != word {
				t.Errorf("bestmove %q", word)
			}
			if word, rest := nextWord(line); bytes.EqualFold(word, []byte("option")) {
				if o, ok := parseOption(rest); ok && o.Name == "" {
					t.Error("an option without a name")
				}
			}
		}
		r := a.result(start.LegalMoves(nil)[0])
		if abs := max(r.Score, -r.Score); abs >= engine.MateScore && r.Score.Known() {
			t.Errorf("%+v", r)
		}
	})
}
