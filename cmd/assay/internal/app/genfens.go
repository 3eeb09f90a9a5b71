package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/selfplay/opening"
)

const (
	// genfensName is the file with such a book in the folder of a run. As its name begins with
	// a dot it does not bind the folder.
	genfensName = ".genfens.epd"
)

// genfensBook makes the book of a run by the engine of --book genfens:COMMAND[?book=FILE], and
// returns its path. Once a run has games it keeps the book with which it began.
func genfensBook(ctx context.Context, spec, out string, games, seed uint64, say func(string)) (string, error) {
	g, err := parseGenfens(spec)
	if err != nil {
		return "", err
	}
	path := filepath.Join(out, genfensName)
	made := fmt.Sprintf("# %s %q", strings.Join(g.Command, " "), g.Request(int(games), seed))
	was, err := firstLine(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	bound, boundErr := durable.Bound(out)
	if boundErr != nil {
		return "", boundErr
	}
	if was == made || was != "" && bound {
		return path, nil
	}
	if bound {
		return "", fmt.Errorf("--book %s: %s holds games with other openings; use the flags it was started with, or another "+
			"--out", spec, out)
	}
	say(fmt.Sprintf("asking %s for %d openings", g.Command[0], games))
	fens, err := g.Ask(ctx, int(games), seed)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("--book %s: %w; the engine must answer %q, as for OpenBench", spec, err,
			g.Request(int(games), seed))
	}
	if err := durable.MakeDir(out); err != nil {
		return "", err
	}
	return path, durable.WriteFile(path, []byte(made+"\n"+strings.Join(fens, "\n")+"\n"))
}

// parseGenfens reads genfens:COMMAND[?book=FILE].
func parseGenfens(spec string) (*opening.Genfens, error) {
	words, options, err := engine.SplitCommand(strings.TrimPrefix(spec, settings.GenfensPrefix))
	if err != nil {
		return nil, cli.Usagef("--book %s: %w", spec, err)
	}
	if len(words) == 0 {
		return nil, cli.Usagef("--book %s: want genfens:COMMAND, such as genfens:./my-engine", spec)
	}
	g := &opening.Genfens{Command: words}
	for _, o := range options {
		if o.Name != "book" || o.Value == "" || strings.ContainsAny(o.Value, " \t") {
			return nil, cli.Usagef("--book %s: %s=%s: the only option is book=FILE, without spaces in FILE", spec, o.Name,
				o.Value)
		}
		g.Book = o.Value
	}
	return g, nil
}

// firstLine returns the first line of a file.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	return lines.Text(), lines.Err()
}
