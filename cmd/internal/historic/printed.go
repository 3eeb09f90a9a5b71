package historic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/draughts"
	"github.com/assay-chess/assay/internal/historic/losalamos"
	"github.com/assay-chess/assay/selfplay/roster"
)

// errProgram is wrapped by the errors of openPrinted.
var errProgram = errors.New("replay")

// replayedTurn is one turn of the program in its game.
type replayedTurn struct {
	Number  int    `json:"number"`            // of the move, from 1
	Printed string `json:"printed"`           // the move of the paper
	Reply   string `json:"reply,omitempty"`   // the opponent's; none after the last move
	Chosen  string `json:"chosen"`            // the move of our program
	Same    bool   `json:"same"`              // whether they agree
	Why     string `json:"why"`               // the reason for the chosen move
	Against string `json:"against,omitempty"` // what speaks against the printed one, if they disagree
}

// replayedGame is a printed game with the program's turns.
type replayedGame struct {
	Title string         `json:"title"` // the players, White first
	Side  string         `json:"side"`  // the program's color, white or black
	Turns []replayedTurn `json:"turns"`
	Same  int            `json:"same"` // turns in which the moves agree
}

// printedProgram is a program with its printed games.
type printedProgram struct {
	Name   string   // as in printedNames
	Source string   // where the games are printed
	Note   string   // with which settings the program plays, and what agreeing means
	Titles []string // of the games
	Width  int      // longest move in characters

	play func(ctx context.Context, game int, each func(replayedTurn)) (replayedGame, error)
	done func() error
}

// printedEntry is a program that openPrinted knows.
type printedEntry struct {
	name, player, source, note string
	setting                    engine.Option // unlike the player's default, if it has a name
}

// players are the programs that play chess.
var players = []printedEntry{
	{"turing", "turing-1951", "Faster Than Thought, chapter 25, 1953", "", engine.Option{}},
	{"machack", "machack-1967", "Greenblatt, Eastlake, Crocker, 1967",
		"without the book: three of the games were played before there was one", engine.Option{Name: "book", Value: "false"}},
	{"nss", "nss-1958", "appendix to a reprint of Newell, Shaw, Simon, 1958",
		"with three goals, as CP-I had in this game; goals=4 adds the pawn structure",
		engine.Option{Name: "goals", Value: "3"}},
}

// printedNames returns the names of the programs with printed games.
func printedNames() []string {
	var names []string
	for _, e := range players {
		names = append(names, e.name)
	}
	return append(names, strachey, losAlamos)
}

// openPrinted opens a program by its name, or as NAME:KEY=VALUE... with its settings: as for the
// player for turing, machack and nss; strategy (1 or 2), stages and king (its value in
// eighths of a man; 0 is the strategy's) for strachey; depth in plies for losalamos. The errors wrap errProgram.
func openPrinted(spec string) (*printedProgram, error) {
	name, rest, more := strings.Cut(spec, ":")
	var settings []string
	if more {
		settings = strings.Split(rest, ":")
	}
	p, set, err := open(name)
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, errors.Join(fmt.Errorf("%w %s: %q is not a setting: want KEY=VALUE", errProgram, spec, s), p.Close())
		}
		if err := set(key, value); err != nil {
			return nil, errors.Join(fmt.Errorf("%w %s: %w", errProgram, spec, err), p.Close())
		}
	}
	return p, nil
}

// open returns a program with its default settings, and what changes one.
func open(name string) (*printedProgram, func(key, value string) error, error) {
	switch name {
	case strachey:
		p, options := openStrachey()
		return p, options.Set, nil
	case losAlamos:
		p, options := openLosAlamos()
		return p, options.Set, nil
	}
	for _, e := range players {
		if e.name == name {
			return e.open()
		}
	}
	return nil, nil, fmt.Errorf("%w: no printed game of %q; there are games of %s", errProgram, name,
		strings.Join(printedNames(), ", "))
}

func (e *printedEntry) open() (*printedProgram, func(key, value string) error, error) {
	spec := engine.Spec{Name: e.player}
	if e.setting.Name != "" {
		spec.Options = []engine.Option{e.setting}
	}
	player, err := roster.Open(spec)
	if err != nil {
		return nil, nil, err
	}
	reasoner, ok := engine.As[historic.Reasoner](player)
	if !ok {
		return nil, nil, errors.Join(fmt.Errorf("%w: %s gives no reasons", errProgram, e.player), player.Close())
	}
	var games []historic.PrintedGame
	p := &printedProgram{Name: e.name, Source: e.source, Note: e.note, Width: 7, done: player.Close}
	for _, g := range historic.PrintedGames() {
		if g.Program == e.player {
			games = append(games, g)
			p.Titles = append(p.Titles, g.Title)
		}
	}
	p.play = func(ctx context.Context, i int, each func(replayedTurn)) (replayedGame, error) {
		return replay(ctx, reasoner, &games[i], each)
	}
	return p, player.SetOption, nil
}

// Replay plays through one of the games, counted from 0 in the order of Titles, and calls each,
// which may be nil, after every turn of the program.
func (p *printedProgram) Replay(ctx context.Context, game int, each func(replayedTurn)) (replayedGame, error) {
	if each == nil {
		each = func(replayedTurn) {}
	}
	return p.play(ctx, game, each)
}

// Close frees what the program holds.
func (p *printedProgram) Close() error {
	if p.done == nil {
		return nil
	}
	return p.done()
}

// add adds a turn.
func (g *replayedGame) add(t replayedTurn, each func(replayedTurn)) {
	if t.Same {
		g.Same++
	}
	g.Turns = append(g.Turns, t)
	each(t)
}

// replay plays through a game of chess.
func replay(ctx context.Context, player historic.Reasoner, printed *historic.PrintedGame, each func(replayedTurn),
) (replayedGame, error) {
	result := replayedGame{Title: printed.Title, Side: printed.Side}
	moves := strings.Fields(printed.Moves)
	game := board.NewGame(board.StartPosition())
	if err := player.NewGame(0); err != nil {
		return result, err
	}
	for i, uci := range moves {
		pos := game.Position()
		m, err := pos.ParseUCI(uci)
		if err != nil {
			return result, fmt.Errorf("%w: %s, ply %d: %w", errProgram, printed.Name, i+1, err)
		}
		if pos.SideToMove().String() != printed.Side {
			game.Push(m)
			continue
		}
		r, err := player.Reason(ctx, game, m)
		if err != nil {
			return result, err
		}
		t := replayedTurn{Number: pos.Fullmove(), Printed: pos.SAN(m), Chosen: pos.SAN(r.Move), Same: r.Move == m, Why: r.Why,
			Against: r.Printed}
		game.Push(m)
		if i+1 < len(moves) {
			if t.Reply, err = reply(game.Position(), moves[i+1]); err != nil {
				return result, fmt.Errorf("%w: %s, ply %d: %w", errProgram, printed.Name, i+2, err)
			}
		}
		result.add(t, each)
	}
	return result, nil
}

// reply writes the opponent's move as SAN.
func reply(p *board.Position, uci string) (string, error) {
	m, err := p.ParseUCI(uci)
	if err != nil {
		return "", err
	}
	return p.SAN(m), nil
}

// The programs that do not play chess on 64 squares.
const (
	strachey  = "strachey"
	losAlamos = "losalamos"
)

func openStrachey() (*printedProgram, historic.Options) {
	number, stages, king := 2, 0, 0
	p := &printedProgram{Name: strachey, Source: "Faster Than Thought, chapter 25, 1953", Width: 14,
		Note:   "the program chooses at random among the best moves: same if the printed one is among them",
		Titles: []string{"Strachey's program, strategy 2 - a person"}}
	p.play = func(_ context.Context, _ int, each func(replayedTurn)) (replayedGame, error) {
		s := [...]draughts.Strategy{draughts.Strategy1(), draughts.Strategy2()}[number-1]
		if stages > 0 {
			s.Stages = stages
		}
		if king > 0 {
			s.King = king
		}
		g := replayedGame{Title: p.Titles[0], Side: "black"}
		turns, err := draughts.Replay(s, rand.New(rand.NewPCG(1, 0)))
		for i := range turns {
			g.add(draughtsTurn(i+1, &turns[i]), each)
		}
		return g, err
	}
	return p, historic.Options{historic.Number("strategy", &number, 1, 2), historic.Number("stages", &stages, 0, 12),
		historic.Number("king", &king, 0, 100*draughts.Man)}
}

func draughtsTurn(number int, t *draughts.Turn) replayedTurn {
	men := func(eighths int) float64 { return float64(eighths) / draughts.Man }
	turn := replayedTurn{Number: number, Printed: t.Played.String(), Reply: t.Reply, Chosen: t.Choice.Move.String(),
		Same: t.Agrees(),
		Why:  fmt.Sprintf("gains %+.3f men; best moves: %d of %d", men(t.Gain), len(t.Choice.Best), t.Legal)}
	if turn.Same {
		turn.Chosen = turn.Printed
	} else {
		turn.Against = fmt.Sprintf("%s: gains %+.3f men", t.Played, men(t.Actual))
	}
	return turn
}

func openLosAlamos() (*printedProgram, historic.Options) {
	depth := losalamos.Depth
	p := &printedProgram{Name: losAlamos, Source: "public; the paper prints no game", Width: 6,
		Note:   "chess on six squares by six; values in pawns: material and mobility",
		Titles: []string{"MANIAC I - a beginner, 1956"}}
	p.play = func(ctx context.Context, _ int, each func(replayedTurn)) (replayedGame, error) {
		g := replayedGame{Title: p.Titles[0], Side: "white"}
		turns, _, err := losalamos.Replay(ctx, depth)
		for i, t := range turns {
			g.add(losAlamosTurn(i+1, &t), each)
		}
		return g, errors.Join(err, ctx.Err())
	}
	return p, historic.Options{historic.Number("depth", &depth, 1, 12)}
}

func losAlamosTurn(number int, t *losalamos.Turn) replayedTurn {
	line := make([]string, len(t.Choice.Line))
	for i, m := range t.Choice.Line {
		line[i] = m.String()
	}
	return replayedTurn{Number: number, Printed: t.Played.String(), Reply: t.Reply, Chosen: t.Choice.Move.String(),
		Same: t.Choice.Move == t.Played,
		Why:  fmt.Sprintf("%+.1f by %s", float64(t.Choice.Value)/10, strings.Join(line, " "))}
}
