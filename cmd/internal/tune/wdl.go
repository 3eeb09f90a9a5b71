package tune

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/tuner/wdl"
)

// wdlCode is the model as source text: name, value, target, low, high, and twice four coefficients.
var wdlCode = map[string]string{
	"c": `// Wins in a thousand games of the side to move; v is its evaluation in centipawns.
int win_rate(double v, double %[1]s) {
    double m = fmin(fmax(%[1]s, %[3]d), %[4]d) / %[2]d.0;
    double a = ((%[5]s * m + %[6]s) * m + %[7]s) * m + %[8]s;
    double b = ((%[9]s * m + %[10]s) * m + %[11]s) * m + %[12]s;
    return (int)(0.5 + 1000 / (1 + exp((a - v) / b))); // losses: win_rate(-v); 100 * v / a is v with 1.00 = 50 %% wins
}`,
	"go": `// winRate is the wins in a thousand games of the side to move; v is its evaluation in centipawns.
func winRate(v, %[1]s float64) int {
	m := min(max(%[1]s, %[3]d), %[4]d) / %[2]d
	a := ((%[5]s*m+%[6]s)*m+%[7]s)*m + %[8]s
	b := ((%[9]s*m+%[10]s)*m+%[11]s)*m + %[12]s
	return int(0.5 + 1000/(1+math.Exp((a-v)/b))) // losses: winRate(-v); 100 * v / a is v with 1.00 = 50 %% wins
}`,
	"rust": `// Wins in a thousand games of the side to move; v is its evaluation in centipawns.
fn win_rate(v: f64, %[1]s: f64) -> i32 {
    let m = %[1]s.clamp(%[3]d.0, %[4]d.0) / %[2]d.0;
    let a = ((%[5]s * m + %[6]s) * m + %[7]s) * m + %[8]s;
    let b = ((%[9]s * m + %[10]s) * m + %[11]s) * m + %[12]s;
    (0.5 + 1000.0 / (1.0 + ((a - v) / b).exp())) as i32 // losses: win_rate(-v); 100 * v / a is v with 1.00 = 50 %% wins
}`,
}

// mostScore is the largest evaluation to use, in centipawns.
const mostScore = 1000

// NewWDL returns the command assay wdl.
func NewWDL() *cobra.Command {
	var by, code, player string
	var resamples int
	c := &cobra.Command{
		Use:   "wdl GAMES...",
		Short: "Fit a WDL model: the win rate at each evaluation",
		Long: `Fit a WDL model, the share of games won, drawn and lost at each evaluation, in Stockfish's form: the win
rate is 1/(1+exp((a-x)/b)) of the evaluation x, and a and b are cubic polynomials of the material on
the board (pawns 1, knights and bishops 3, rooks 5, queens 9) or of the move number. Prints them as
code, to show win rates or evaluations in which 1.00 wins half of the games.

GAMES are data sets of games, or folders of runs that have them. For a PGN file with evaluations in
its comments, first: assay data import games.pgn --out games. The scores come from the players'
searches, so the games should be of the engine in question (--player), not adjudicated too early.
Games that a forfeit ended are left out.

The fit maximizes the likelihood of all positions. Its errors come from fits to games drawn at random,
because the positions of one game share its result: ± is 95 %, and a_se in the JSON one standard error.`,
		Example: `  assay wdl runs/sf
  assay wdl games --by move --code rust`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := slices.IndexFunc(wdl.Kinds, func(k wdl.By) bool { return k.Name == by })
			if resamples < 2 {
				return ui.Usagef("--resamples %d: want at least 2", resamples)
			}
			games := wdl.NewGames(wdl.Kinds[kind], mostScore)
			p := ui.NewProgress(cmd.ErrOrStderr(), "wdl")
			var views dataset.Views
			found, seen := player == "", map[string]bool{}
			for _, path := range args {
				err := readGames(cmd, path, seen, p, func(row *dataset.GameRow) {
					if player != "" && row.KeepScoresOf(player) {
						found = true
					}
					views.Game(row)
					games.Add(row)
				})
				if err != nil {
					return err
				}
			}
			fault := views.Fault()
			switch {
			case !found:
				return fmt.Errorf("--player %s: no game has scores of that player", player)
			case fault.Wrong():
				return errors.New(ui.FaultText(fault))
			case fault != nil:
				fmt.Fprintf(cmd.ErrOrStderr(), "wdl: warning: %s\n", ui.FaultText(fault))
			}
			m, err := games.Fit(cmd.Context(), resamples, 1)
			if cmd.Context().Err() != nil {
				return err
			} else if err != nil {
				return fmt.Errorf("%w; give more games, with the scores of their searches", err)
			}
			p.Finish(fmt.Sprintf("%d positions of %d games", m.Positions, m.Games))
			if n := resamples - m.Resamples; n > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "wdl: warning: %d of %d fits to games drawn at random failed and are left out: the "+
					"errors are too small; give more games\n", n, resamples)
			}
			if m.Draws < 1e-4 {
				fmt.Fprintln(cmd.ErrOrStderr(), "wdl: warning: hardly a game was drawn: these numbers mean little; give more games")
			}
			return ui.Show(cmd, m, func(w io.Writer) error { return printWDL(w, m, code) })
		},
	}
	c.Flags().StringVar(&player, "player", "", "use the scores of this player alone, by its name in the games")
	ui.Choice(c.Flags(), &by, "by", "material", "what a and b depend on: material or move", "material", "move")
	ui.Choice(c.Flags(), &code, "code", "c", "language of the printed function: c, go or rust", "c", "go", "rust")
	c.Flags().IntVar(&resamples, "resamples", 100, "fits to games drawn at random, for errors")
	ui.JSON(c)
	return c
}

// readGames reads a data set, or that in the folder of a run, which is none of those seen.
func readGames(cmd *cobra.Command, path string, seen map[string]bool, p *ui.Progress,
	take func(*dataset.GameRow)) error {
	if inRun := filepath.Join(path, gamelog.GamesName); !strings.HasSuffix(path, ".arrow") {
		if _, err := os.Stat(inRun); err == nil {
			path = inRun
		}
	}
	r, err := dataset.OpenGames(path)
	if err != nil {
		return err
	}
	id, err := r.ID()
	if err != nil {
		return err
	}
	if seen[id] {
		return fmt.Errorf("%s: %w", path, dataset.ErrDuplicate)
	}
	seen[id] = true
	return dataset.Each(cmd.Context(), r, p.Update, "", func(row *dataset.GameRow) error {
		take(row)
		return nil
	})
}

func printWDL(out io.Writer, m *wdl.Model, code string) error {
	var t ui.Table
	t.Add("games\t%d, %d positions", m.Games, m.Positions)
	if n := m.Forfeits.Games(); n > 0 {
		t.Add("left out\t%d games that a forfeit ended (%s)", n, ui.CountsText(m.Forfeits))
	}
	if m.Left.Draws > 0 {
		t.Add("left out\t%d positions of decided games that the rules call a draw", m.Left.Draws)
	}
	t.Add("1.00\t%.1f ± %.1f centipawns win half of the games at %s %d", m.Pawn, 1.96*m.PawnSE, m.By, m.Target)
	t.Add("spread\t%.1f ± %.1f centipawns", m.Spread, 1.96*m.SpreadSE)
	t.Add("draws at 0.00\t%.1f ± %.1f %%", 100*m.Draws, 196*m.DrawsSE)
	t.Add("loss\t%.4f a position", m.Loss)
	if err := t.Print(out); err != nil {
		return err
	}
	name := map[string]string{"material": "material", "move": "fullmove"}[m.By] // move is a word of Rust
	args := []any{name, m.Target, m.Low, m.High}
	for _, x := range slices.Concat(m.A[:], m.B[:]) {
		args = append(args, fmt.Sprintf("%.4f", x))
	}
	_, err := fmt.Fprintf(out, "\n"+wdlCode[code]+"\n", args...)
	return err
}
