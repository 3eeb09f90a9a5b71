package historic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/historic"
	"github.com/assay-chess/assay/internal/historic/draughts"
	"github.com/assay-chess/assay/internal/historic/losalamos"
	"github.com/assay-chess/assay/selfplay/roster"
)

func newReplay() *cobra.Command {
	return &cobra.Command{
		Use:   "replay " + strings.Join(printedNames(), "|"),
		Short: "Replay the printed games with the program's own moves and reasons",
		Long: `Replay the games that the papers print, move by move: the printed move, the move that the
reconstructed program plays in the same position, its reason, and how often the two agree. Where
they differ, a second line gives the reason against the printed move.

turing, machack and nss play chess, and take settings of the players turing-1951, machack-1967 and
nss-1958 after colons; strachey plays draughts, losalamos chess on six squares by six; its game is
public, not printed. The four games of machack take about a minute of processor time.`,
		Example: `  assay historic replay turing
  assay historic replay machack:plies=3`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := openPrinted(args[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.close()) }()
			return p.print(cmd.Context(), cmd.OutOrStdout())
		},
	}
}

// replayedTurn is one turn of the program in its game.
type replayedTurn struct {
	printed string // the move of the paper
	chosen  string // the move of our program
	same    bool   // whether they agree
	why     string // the reason for the chosen move
	against string // what speaks against the printed one, if they disagree
}

// printedProgram is a program with its printed games.
type printedProgram struct {
	source string   // where the games are printed
	note   string   // with which settings the program plays, and what agreeing means
	titles []string // of the games: the players, White first
	width  int      // longest move in characters

	play  func(ctx context.Context, game int, each func(replayedTurn)) error // from 0
	close func() error
}

// players are the programs that play chess, with a setting unlike the player's default.
var players = []struct{ name, player, setting, source, note string }{
	{"turing", "turing-1951", "", "Faster Than Thought, chapter 25, 1953", ""},
	{"machack", "machack-1967", "book=false", "Greenblatt, Eastlake, Crocker, 1967",
		"without the book: three of the games were played before there was one"},
	{"nss", "nss-1958", "goals=3", "appendix to a reprint of Newell, Shaw, Simon, 1958",
		"with three goals, as CP-I had in this game; goals=4 adds the pawn structure"},
}

// The programs that do not play chess on 64 squares.
const strachey, losAlamos = "strachey", "losalamos"

// printedNames returns the names of the programs with printed games.
func printedNames() (names []string) {
	for _, e := range players {
		names = append(names, e.name)
	}
	return append(names, strachey, losAlamos)
}

// openPrinted opens a program by its name, or a player as NAME:KEY=VALUE... with its settings.
func openPrinted(text string) (*printedProgram, error) {
	switch text {
	case strachey:
		return openStrachey(), nil
	case losAlamos:
		return openLosAlamos(), nil
	}
	name, settings, _ := strings.Cut(text, ":")
	for _, e := range players {
		if e.name != name {
			continue
		}
		spec := e.player
		if key, _, _ := strings.Cut(e.setting, "="); e.setting != "" && !strings.Contains(settings, key+"=") {
			spec += ":" + e.setting
		}
		if settings != "" {
			spec += ":" + settings
		}
		p, err := openPlayer(e.player, spec)
		if err != nil {
			return nil, fmt.Errorf("replay %s: %w", text, err)
		}
		p.source, p.note = e.source, e.note
		return p, nil
	}
	return nil, fmt.Errorf("replay: no printed game of %q; there are games of %s", text,
		strings.Join(printedNames(), ", "))
}

func openPlayer(name, text string) (*printedProgram, error) {
	spec, err := roster.Parse(text)
	if err != nil {
		return nil, err
	}
	player, err := roster.Open(spec)
	if err != nil {
		return nil, err
	}
	reasoner, _ := engine.As[historic.Reasoner](player) // all of players are
	var games []historic.PrintedGame
	p := &printedProgram{width: 7, close: player.Close}
	for _, g := range historic.PrintedGames() {
		if g.Program == name {
			games, p.titles = append(games, g), append(p.titles, g.Title)
		}
	}
	p.play = func(ctx context.Context, i int, each func(replayedTurn)) error {
		return replay(ctx, reasoner, &games[i], each)
	}
	return p, nil
}

// replay plays through a game of chess.
func replay(ctx context.Context, player historic.Reasoner, printed *historic.PrintedGame, each func(replayedTurn)) error {
	game := board.NewGame(board.StartPosition())
	if err := player.NewGame(0); err != nil {
		return err
	}
	for i, uci := range strings.Fields(printed.Moves) {
		pos := game.Position()
		m, err := pos.ParseUCI(uci)
		if err != nil {
			return fmt.Errorf("replay: %s, ply %d: %w", printed.Name, i+1, err)
		}
		if pos.SideToMove().String() == printed.Side {
			r, err := player.Reason(ctx, game, m)
			if err != nil {
				return err
			}
			each(replayedTurn{pos.SAN(m), pos.SAN(r.Move), r.Move == m, r.Why, r.Printed})
		}
		game.Push(m)
	}
	return nil
}

func openStrachey() *printedProgram {
	men := func(eighths int) float64 { return float64(eighths) / draughts.Man }
	return &printedProgram{source: "Faster Than Thought, chapter 25, 1953", width: 14,
		note:   "the program chooses at random among the best moves: same if the printed one is among them",
		titles: []string{"Strachey's program, strategy 2 - a person"}, close: func() error { return nil },
		play: func(_ context.Context, _ int, each func(replayedTurn)) error {
			return draughts.Replay(func(t *draughts.Turn) {
				turn := replayedTurn{printed: t.Played.String(), same: t.Agrees(),
					why: fmt.Sprintf("gains %+.3f men; best moves: %d of %d", men(t.Gain), len(t.Choice.Best), t.Legal)}
				if turn.chosen = turn.printed; !turn.same {
					turn.chosen = t.Choice.Move.String()
					turn.against = fmt.Sprintf("%s: gains %+.3f men", t.Played, men(t.Actual))
				}
				each(turn)
			})
		}}
}

func openLosAlamos() *printedProgram {
	return &printedProgram{source: "public; the paper prints no game", width: 6,
		note:   "chess on six squares by six; values in pawns: material and mobility",
		titles: []string{"MANIAC I - a beginner, 1956"}, close: func() error { return nil },
		play: func(ctx context.Context, _ int, each func(replayedTurn)) error {
			return losalamos.Replay(ctx, func(played losalamos.Move, c losalamos.Choice) {
				each(replayedTurn{printed: played.String(), chosen: c.Move.String(), same: c.Move == played,
					why: fmt.Sprintf("%+.1f by %s", float64(c.Value)/10, strings.Trim(fmt.Sprint(c.Line), "[]"))})
			})
		}}
}

// print replays the program's games, and prints each turn as soon as the program has chosen.
func (p *printedProgram) print(ctx context.Context, w io.Writer) error {
	same, turns := 0, 0
	for i, title := range p.titles {
		fmt.Fprintf(w, "%s\n%3s  %-*s  %-*s  %-4s  %s\n", title, "", p.width, "printed", p.width, "program", "same", "reason")
		sameHere, turnsHere := 0, 0
		err := p.play(ctx, i, func(t replayedTurn) {
			turnsHere++
			same := "no"
			if t.same {
				sameHere, same = sameHere+1, "yes"
			}
			fmt.Fprintf(w, "%3d  %-*s  %-*s  %-4s  %s\n", turnsHere, p.width, t.printed, p.width, t.chosen, same, t.why)
			if t.against != "" {
				fmt.Fprintf(w, "%*s%s\n", 3+2+p.width+2+p.width+2+4+2, "", t.against)
			}
		})
		if err != nil {
			return err
		}
		if same, turns = same+sameHere, turns+turnsHere; len(p.titles) > 1 {
			fmt.Fprintf(w, "the same move in %d of %d turns\n\n", sameHere, turnsHere)
		}
	}
	_, err := fmt.Fprintf(w, "the same move in %d of %d turns\n%ssource: %s\n", same, turns,
		ui.If(p.note != "", "%s\n", p.note), p.source)
	return err
}
