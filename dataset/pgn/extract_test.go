package pgn

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/engine/board"
)

// sheet is a game that mutations spoil.
type sheet struct {
	tags   []string
	start  board.Position
	moves  []string // SAN
	result string
	tail   string // behind the result
	bare   bool   // no move numbers
}

func (s *sheet) text() string {
	var b strings.Builder
	for _, t := range s.tags {
		b.WriteString(t + "\n")
	}
	b.WriteByte('\n')
	for i, m := range s.moves {
		ply := i
		if s.start.SideToMove() == board.Black {
			ply++
		}
		if !s.bare && (ply%2 == 0 || i == 0) {
			fmt.Fprintf(&b, "%d%s ", s.start.Fullmove()+ply/2, strings.Repeat(".", 1+2*(ply%2)))
		}
		b.WriteString(m + cmp.Or(map[bool]string{true: "\n"}[i%12 == 11], " "))
	}
	return b.String() + s.result + s.tail + "\n"
}

// at is a random move; the position before it is found by playing the ones before.
func (s *sheet) at(rng *rand.Rand) (i int, p board.Position) {
	i, p = rng.IntN(len(s.moves)), s.start
	for _, san := range s.moves[:i] {
		m, err := p.ParseSAN(san)
		if err != nil {
			panic(err)
		}
		p.Make(m)
	}
	return i, p
}

// of returns a random move that has one of the letters, or -1.
func (s *sheet) of(rng *rand.Rand, letters string) int {
	var list []int
	for i, m := range s.moves {
		if strings.ContainsAny(m, letters) {
			list = append(list, i)
		}
	}
	if list == nil {
		return -1
	}
	return list[rng.IntN(len(list))]
}

// respell changes a random move that has one of the letters.
func respell(letters string, change func(string) string) func(*rand.Rand, *sheet) {
	return func(rng *rand.Rand, s *sheet) {
		if i := s.of(rng, letters); i >= 0 {
			s.moves[i] = change(s.moves[i])
		}
	}
}

// insert puts a text behind a random move.
func insert(texts ...string) func(*rand.Rand, *sheet) {
	return func(rng *rand.Rand, s *sheet) {
		i := rng.IntN(len(s.moves))
		s.moves[i] += " " + texts[rng.IntN(len(texts))]
	}
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, from, to) }
}

// long is a move of the position in full: Ng1f3, e2-e4.
func long(between string, letter bool) func(*rand.Rand, *sheet) {
	return func(rng *rand.Rand, s *sheet) {
		i, p := s.at(rng)
		m, _ := p.ParseSAN(s.moves[i])
		if p.IsCastling(m) {
			return
		}
		uci := p.UCI(m)
		text := uci[:2] + between + uci[2:4] + strings.ToUpper(uci[4:])
		if c := s.moves[i][0]; letter && c >= 'A' && c <= 'Z' {
			text = string(c) + text
		}
		s.moves[i] = text
	}
}

// mutations are what programs, editors and broken disks do to a game.
var mutations = []struct {
	name  string
	spoil func(*rand.Rand, *sheet)
}{
	{"nothing", func(*rand.Rand, *sheet) {}},
	{"another legal move", func(rng *rand.Rand, s *sheet) {
		i, p := s.at(rng)
		moves := p.LegalMoves(nil)
		s.moves[i] = p.SAN(moves[rng.IntN(len(moves))])
	}},
	{"a move is missing", func(rng *rand.Rand, s *sheet) {
		i := rng.IntN(len(s.moves))
		s.moves = slices.Delete(s.moves, i, i+1)
	}},
	{"a move twice", func(rng *rand.Rand, s *sheet) {
		i := rng.IntN(len(s.moves))
		s.moves = slices.Insert(s.moves, i, s.moves[i])
	}},
	{"another square", func(rng *rand.Rand, s *sheet) {
		if i := s.of(rng, "abcdefgh"); i >= 0 {
			b := []byte(s.moves[i])
			k := bytes.LastIndexAny(b, "abcdefgh")
			b[k] = byte('a' + rng.IntN(8))
			s.moves[i] = string(b)
		}
	}},
	{"another rank", func(rng *rand.Rand, s *sheet) {
		if i := s.of(rng, "12345678"); i >= 0 {
			b := []byte(s.moves[i])
			k := bytes.LastIndexAny(b, "12345678")
			b[k] = byte('1' + rng.IntN(8))
			s.moves[i] = string(b)
		}
	}},
	{"another piece", respell("NBRQK", func(m string) string { return string("NBRQK"[len(m)*7%5]) + m[1:] })},
	{"no check mark", respell("+#", func(m string) string { return strings.TrimRight(m, "+#") })},
	{"a wrong check mark", insertSuffix("+", "#", "++")},
	{"annotated", insertSuffix("!", "??", "!?", " !", "$1", " $14", " $300", "=", "+-")},
	{"disambiguated in full", long("", true)},
	{"long algebraic", long("-", true)},
	{"UCI", long("", false)},
	{"not disambiguated", respell("NRQB", func(m string) string {
		if len(m) > 3 && m[1] != 'x' && m[2] >= 'a' && m[2] <= 'h' {
			return m[:1] + m[2:]
		}
		return m
	})},
	{"castling with zeros", respell("O", replace("O", "0"))},
	{"castling in small letters", respell("O", strings.ToLower)},
	{"castling as a king's move", respell("O", func(m string) string {
		return "K" + map[bool]string{true: "c1", false: "g1"}[strings.HasPrefix(m, "O-O-O")]
	})},
	{"promotion without =", respell("=", replace("=", ""))},
	{"promotion in parentheses", respell("=", func(m string) string { return strings.Replace(m, "=Q", "(Q)", 1) })},
	{"promotion to nothing", respell("=", func(m string) string { return m[:strings.IndexByte(m, '=')] })},
	{"promotion to a king", respell("=", replace("=Q", "=K"))},
	{"a small letter for a piece", respell("NRQBK", strings.ToLower)},
	{"capture without x", respell("x", replace("x", ""))},
	{"capture with :", respell("x", replace("x", ":"))},
	{"en passant", respell("x", func(m string) string { return strings.TrimRight(m, "+#") + " e.p." })},
	{"German letters", respell("NRQ", func(m string) string {
		return strings.NewReplacer("N", "S", "R", "T", "Q", "D").Replace(m)
	})},
	{"a comment", insert("{a comment}", "{}", "{ [%clk 0:01:00] }", "; to the end of the line\n", "{(1. e4}",
		"{two\nlines}", "{[Event \"x\"]}")},
	{"a comment in a comment", insert("{one {two} three}", "{one {two}")},
	{"a comment not closed", insert("{ open")},
	{"a brace not opened", insert("open }")},
	{"an escaped line", insert("\n% 1. e4 (\n")},
	{"a variation", insert("(1. e4)", "()", "( {empty} )")},
	{"an illegal variation", insert("(1. Ka5 Kb9)")},
	{"a variation not closed", insert("(")},
	{"a variation not opened", insert(")")},
	{"a null move", insert("--", "Z0", "0000")},
	{"text", insert("hello", "e", "N", "+/-", "e.p.", "D", "<b>", "@", "~", "\"", "1.2.3")},
	{"a byte", func(rng *rand.Rand, s *sheet) {
		i := rng.IntN(len(s.moves))
		s.moves[i] = string([]byte{byte(33 + rng.IntN(94))}) + s.moves[i]
	}},
	{"cut", func(rng *rand.Rand, s *sheet) {
		s.moves = s.moves[:rng.IntN(len(s.moves))]
		s.result = ""
	}},
	{"no numbers", func(_ *rand.Rand, s *sheet) { s.bare = true }},
	{"wrong numbers", insert("77.", "1...", "0.", "12")},
	{"another result", func(rng *rand.Rand, s *sheet) {
		s.result = [...]string{"1-0", "0-1", "1/2-1/2", "*", "1/2", "", "0-0", "1 - 0", "½-½"}[rng.IntN(9)]
	}},
	{"a result in the middle", insert("1-0", "1/2-1/2", "*")},
	{"moves behind the result", func(rng *rand.Rand, s *sheet) { s.tail = " " + s.moves[rng.IntN(len(s.moves))] }},
	{"a start position", func(_ *rand.Rand, s *sheet) {
		i := len(s.moves) / 2
		p := s.start
		for _, san := range s.moves[:i] {
			m, _ := p.ParseSAN(san)
			p.Make(m)
		}
		s.start, s.moves = p, s.moves[i:]
		s.tags = append(s.tags, `[SetUp "1"]`, `[FEN "`+p.FEN()+`"]`)
	}},
	{"another start position", func(_ *rand.Rand, s *sheet) {
		s.tags = append(s.tags, `[SetUp "1"]`, `[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]`)
	}},
	{"a bad start position", func(rng *rand.Rand, s *sheet) {
		fen := [...]string{"4k3/8/8 w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1", "x", "4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1",
			"4k3/8/8/8/8/8/4P3/4K3"}[rng.IntN(5)]
		s.tags, s.moves = append(s.tags, `[SetUp "1"]`, `[FEN "`+fen+`"]`), []string{"Ke2"}
	}},
	{"SetUp without FEN", func(_ *rand.Rand, s *sheet) { s.tags = append(s.tags, `[SetUp "1"]`) }},
	{"a tag", func(rng *rand.Rand, s *sheet) {
		s.tags = append(s.tags, [...]string{`[White "a"`, `White "a"]`, `[White a]`, `[White "a" "b"]`, `[White "a\"b"]`,
			`[White]`, `[ White "a" ]`, `[White "a]`, `[]`}[rng.IntN(9)])
	}},
}

func insertSuffix(texts ...string) func(*rand.Rand, *sheet) {
	return func(rng *rand.Rand, s *sheet) {
		i := rng.IntN(len(s.moves))
		s.moves[i] = strings.TrimRight(s.moves[i], "+#") + texts[rng.IntN(len(texts))]
	}
}

// sheets are human games from the project, and games of random moves.
func sheets(t *testing.T, rng *rand.Rand) (list []sheet) {
	games, _ := readAll(t, Reading{}, string(sample(t, "lichess.pgn")))
	for _, g := range games {
		s := sheet{start: board.StartPosition(), result: board.GameResult(g.Row.Result).String()}
		p := s.start
		for _, m := range g.Row.Moves {
			s.moves = append(s.moves, p.SAN(m))
			p.Make(m)
		}
		list = append(list, s)
	}
	for i := range 25 {
		s := sheet{result: "1/2-1/2"}
		s.start, s.moves, _ = play(rng, "", 150+i)
		list = append(list, s)
	}
	for i := range list {
		list[i].tags = []string{`[Event "x"]`, `[Result "` + list[i].result + `"]`}
	}
	return list
}

// ours returns the games that assay reads and that have moves, each as its moves and its result.
func ours(text string) (games []string) {
	for g, err := range Read(strings.NewReader(text)) {
		if err != nil || len(g.Row.Moves) == 0 {
			continue
		}
		p := board.StartPosition()
		if g.Row.Start != "" {
			p, _ = board.ParseFEN(g.Row.Start)
		}
		var words []string
		for _, m := range g.Row.Moves {
			words = append(words, p.UCI(m))
			p.Make(m)
		}
		result := "*"
		if g.Finished {
			result = board.GameResult(g.Row.Result).String()
		}
		games = append(games, strings.Join(append(words, result), " "))
	}
	return games
}

// theirs returns those that pgn-extract reads.
func theirs(t *testing.T, program, text string) (games []string) {
	cmd := exec.CommandContext(t.Context(), program, "--quiet", "-s", "-Wuci", "-C", "-N", "-V", "-w100000",
		"--nobadresults")
	cmd.Stdin = strings.NewReader(text)
	out, _ := cmd.Output() // it fails at games that it refuses
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.Contains(line, " ") && line[0] != '[' {
			games = append(games, strings.ToLower(line)) // a7a8Q
		}
	}
	return games
}

func pgnExtract(t *testing.T) string {
	for _, name := range []string{"pgn-extract", "/usr/games/pgn-extract"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("pgn-extract is not installed: apt-get install pgn-extract")
	return ""
}

// disagreements are the mutations on which the programs differ, with the reason. They differ about
// games that one of them refuses; never about the moves of a game that both read.
var disagreements = map[string]string{
	"German letters: assay refuses": "pgn-extract knows the letters of other languages; which one a file " +
		"means, it guesses",
	"a brace not opened: assay refuses": "pgn-extract reports unknown text and goes on",
	"a null move: assay refuses":        "pgn-extract takes 0000 for the number of a move",
	"a byte: assay refuses":             "a damaged move may be another move",
	"a tag: assay refuses":              "a tag that is not closed may hide the start position",
	"a variation not opened: assay refuses": "pgn-extract reports it and goes on, but moves of a variation may " +
		"stand on the main line",
	"annotated: assay refuses":            "+- is no suffix of the standard",
	"another result: assay refuses":       "a result that is missing, or that the tag contradicts, does not say who won",
	"another result: pgn-extract refuses": "1 - 0 says who won",
	"en passant: assay refuses":           "e.p. is not part of the standard",
	"text: assay refuses":                 "pgn-extract reports it and goes on, but the text may have been a move",
	"a result in the middle: assay refuses": "moves behind a result have no tags, and the first result " +
		"contradicts the tag",
	"a small letter for a piece: assay refuses": "pgn-extract reads rb7 as a move of a rook; bb4 would be of a pawn",
	"capture with :: assay refuses":             "an old way to write x",
	"castling in small letters: assay refuses":  "no program of today writes o-o",
	"promotion to nothing: assay refuses":       "pgn-extract takes a queen",
	"a comment: pgn-extract refuses":            "it does not know the comments of the standard that begin with ;",
	"wrong numbers: pgn-extract refuses":        "the standard says that numbers of moves mean nothing to a reader",
	"text: pgn-extract refuses":                 "1.2.3 are numbers of moves",
}

// On games that mutations spoiled, both programs agree on which are legal and on their moves, but
// for the kinds above.
func TestPGNExtract(t *testing.T) {
	program := pgnExtract(t)
	rng := rand.New(rand.NewPCG(11, 12))
	list := sheets(t, rng)
	texts := make([]string, 2000)
	if testing.Short() {
		texts = texts[:200]
	}
	kinds := make([]string, len(texts))
	for i := range texts {
		m := mutations[i%len(mutations)]
		s := list[rng.IntN(len(list))]
		s.moves, s.tags = slices.Clone(s.moves), slices.Clone(s.tags)
		m.spoil(rng, &s)
		texts[i], kinds[i] = s.text(), m.name
	}
	var wait sync.WaitGroup
	const workers = 4
	for w := range workers {
		wait.Go(func() {
			for i := w; i < len(texts); i += workers {
				kinds[i] = compareGames(t, program, kinds[i], texts[i])
			}
		})
	}
	wait.Wait()
	counts := map[string]int{}
	agree := 0
	for i, kind := range kinds {
		if kind == "" {
			agree++
		} else if counts[kind]++; disagreements[kind] == "" && counts[kind] == 1 {
			t.Errorf("no reason is known for this disagreement (%s):\n%s", kind, texts[i])
		}
	}
	t.Logf("%d of %d agree", agree, len(texts))
	for kind, reason := range disagreements {
		if t.Logf("%3d %s: %s", counts[kind], kind, reason); counts[kind] == 0 && !testing.Short() {
			t.Errorf("the programs agree now: %s", kind)
		}
	}
}

// compareGames returns how the programs disagree on the games of a text that have moves, or "".
func compareGames(t *testing.T, program, name, text string) string {
	got := ours(text)
	want := theirs(t, program, text)
	switch {
	case slices.Equal(got, want):
		return ""
	case len(got) < len(want):
		return name + ": assay refuses"
	case len(got) > len(want):
		return name + ": pgn-extract refuses"
	}
	t.Errorf("%s: assay reads\n%q\npgn-extract\n%q\n%s", name, got, want, text)
	return name
}
