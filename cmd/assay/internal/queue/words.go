package queue

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// commands are those that a queue plays.
var commands = []string{"match", "spsa", "selfplay", "ladder"}

// ownFlags are the flags that the queue decides, and those that make no sense in one.
var ownFlags = []string{"out", "serve", "nats", "lease", "reference-speed", "affinity", "concurrency", "workers", "json", "all", "exit-status", "build", "repo", "no-bench", "write", "simulate", "sim-elo", "sim-draws", "help", "game", "send-engines", "sign"}

// Decides reports whether a flag is for the queue to decide, and not for a test.
func Decides(flag string) bool { return slices.Contains(ownFlags, flag) }

// errWords is wrapped by errors about a test's command line.
var errWords = errors.New("a queue does not take this command line")

// words is a command line, and what changes its parts.
type words struct {
	player func(text string) (string, error) // a player
	file   func(path string) (string, error) // a book or a weight file
	config func(path string) (string, error) // a configuration of spsa
}

// command returns a new command of the name, as assay has it.
func command(create func(name string) *cobra.Command, name string) (*cobra.Command, error) {
	if !slices.Contains(commands, name) {
		return nil, cli.Usage(fmt.Errorf("%w: %q is not one of %s", errWords, name, strings.Join(commands, ", ")))
	}
	root := &cobra.Command{Use: "assay", SilenceErrors: true, SilenceUsage: true}
	cmd := create(name)
	root.AddCommand(cmd)
	return cmd, nil
}

// parse reads a command line, the command's name first.
func parse(create func(name string) *cobra.Command, args []string) (cmd *cobra.Command, positional []string, err error) {
	if len(args) == 0 {
		return nil, nil, cli.Usage(fmt.Errorf("%w: it is empty; want one of %s, and what follows it", errWords, strings.Join(commands, ", ")))
	}
	if cmd, err = command(create, args[0]); err != nil {
		return nil, nil, err
	}
	if err := cmd.ParseFlags(args[1:]); err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("%s: %w", args[0], err))
	}
	positional = cmd.Flags().Args()
	if err := cmd.ValidateArgs(positional); err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("%s: %w", args[0], err))
	}
	return cmd, positional, nil
}

// change returns the command line with all players and files changed.
func (w *words) change(create func(name string) *cobra.Command, args []string) ([]string, error) {
	cmd, positional, err := parse(create, args)
	if err != nil {
		return nil, err
	}
	fs := cmd.Flags()
	for _, name := range ownFlags {
		if fs.Changed(name) {
			return nil, cli.Usage(fmt.Errorf("%w: --%s is for the queue to say", errWords, name))
		}
	}
	each := w.player
	if args[0] == "spsa" {
		each = w.config
	}
	for i, text := range positional {
		if positional[i], err = each(text); err != nil {
			return nil, err
		}
	}
	for name, change := range map[string]func(string) (string, error){"book": w.file, "weights": w.file, "player": w.player} {
		if !fs.Changed(name) {
			continue
		}
		value, err := change(fs.Lookup(name).Value.String())
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
		if err := fs.Set(name, value); err != nil {
			return nil, err
		}
	}
	if fs.Changed("players") {
		list := fs.Lookup("players").Value.(pflag.SliceValue)
		players := list.GetSlice()
		for i, text := range players {
			if players[i], err = w.player(text); err != nil {
				return nil, fmt.Errorf("--players: %w", err)
			}
		}
		if err := list.Replace(players); err != nil {
			return nil, err
		}
	}
	return cli.CommandWords(cmd, positional)[1:], nil
}

// upload is a file that a test needs.
type upload struct{ path, sum, name string }

// collector names the files of a command line by their content, and lists them.
type collector struct{ files []upload }

func (c *collector) words() *words {
	return &words{player: c.player, file: c.file, config: c.config}
}

// add returns the name of a file. Letters that names in a queue do not have become '_'.
func (c *collector) add(path, name string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w: want a file of this machine, which is uploaded", path, cmp.Or(err, errors.New("not a file")))
	}
	p, err := wire.ProgramOf(path)
	if err != nil {
		return "", err
	}
	name = strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._+-", r)) {
			return r
		}
		return '_'
	}, name), ".+-")
	ref, err := queue.Ref(p.SHA256, name)
	if err != nil {
		return "", err
	}
	c.files = append(c.files, upload{path, p.SHA256, name})
	return ref, nil
}

func (c *collector) file(path string) (string, error) {
	if slices.Contains(models.Names(), path) {
		return path, nil
	}
	if strings.HasPrefix(path, "genfens:") {
		return "", cli.Usage(fmt.Errorf("%w: an engine that makes the openings would run on the server; make them first, and submit the file", errWords))
	}
	return c.add(path, filepath.Base(path))
}

// player keeps the name under which people see it.
func (c *collector) player(text string) (string, error) {
	shown, spec, err := roster.Named(text)
	if err != nil {
		return "", cli.Usage(err)
	}
	changed := spec
	switch {
	case roster.FromGit(spec):
		return "", cli.Usage(fmt.Errorf("%w: %s is built on your machine: assay test builds, signs and submits it", errWords, text))
	case roster.Foreign(spec):
		path, with, err := roster.Command(spec)
		if err != nil {
			return "", err
		}
		ref, err := c.engine(path)
		if err != nil {
			return "", err
		}
		if changed, err = with(ref); err != nil {
			return "", err
		}
	default:
		name, renamed, err := roster.WeightsOf(spec)
		if err != nil || renamed == nil || slices.Contains(models.Names(), name) {
			return text, err
		}
		ref, err := c.file(name)
		if err != nil {
			return "", err
		}
		changed = renamed(ref)
	}
	return "name=" + shortName(shown) + ":" + changed, nil
}

// shortName makes a name of what was typed, which may be a path.
func shortName(shown string) string {
	if strings.ContainsAny(shown, `:/\`) {
		shown = filepath.Base(strings.TrimPrefix(shown, "uci:"))
	}
	return strings.NewReplacer(":", "-", `\`, "-").Replace(shown)
}

// engine lists an engine with its signature.
func (c *collector) engine(path string) (string, error) {
	ref, err := c.add(path, filepath.Base(path))
	if err != nil {
		return "", err
	}
	last := c.files[len(c.files)-1]
	if _, err := os.Stat(path + wire.SignatureSuffix); err != nil {
		return "", fmt.Errorf("%s has no signature beside it: a queue takes signed engines only; assay sign %s --key KEY makes one", path, cli.ShellQuote(path))
	}
	if last.name != filepath.Base(path) {
		return "", fmt.Errorf("%s: want a name of letters, digits, '.', '_', '+' and '-', because the signature has the name; rename it and sign again", path)
	}
	c.files = append(c.files, upload{path + wire.SignatureSuffix, last.sum, last.name + wire.SignatureSuffix})
	return ref, nil
}

// config lists a configuration of spsa. If it names files, it is written again with their
// names in the queue.
func (c *collector) config(path string) (string, error) {
	file, err := play.ReadFile(path)
	if err != nil {
		return "", err
	}
	before := *file
	if file.Player, err = c.player(file.Player); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if file.Book != "" {
		if file.Book, err = c.file(file.Book); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	if file.Player == before.Player && file.Book == before.Book && file.ParameterFile == "" {
		return c.add(path, filepath.Base(path))
	}
	file.ParameterFile = "" // its parameters are read
	temp, err := os.MkdirTemp("", "assay-queue-")
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".toml"
	written := filepath.Join(temp, name) // the upload reads it; the system clears the folder
	if err := durable.WriteFile(written, file.TOML()); err != nil {
		return "", err
	}
	return c.add(written, name)
}

// checker replaces the names of files by their paths on the server, and refuses whatever
// could do more than play: programs and files that were not uploaded, and engines that no
// trusted key signed. The engines are contained.
type checker struct {
	store   *queue.Store
	trusted []wire.Key
	memory  int    // of an engine's sandbox, in MB; 0: none
	configs string // folder for the configurations of spsa with paths
	name    string // of the test
}

func (c *checker) words() *words {
	return &words{player: c.player, file: c.file, config: c.config}
}

func (c *checker) file(ref string) (string, error) {
	if slices.Contains(models.Names(), ref) {
		return ref, nil
	}
	path, err := c.store.Expand(ref)
	if err == nil && !c.store.IsObject(path) {
		err = fmt.Errorf("%w: %q was not uploaded", errWords, ref)
	}
	return path, err
}

func (c *checker) player(text string) (string, error) {
	shown, spec, err := roster.Named(text)
	if err != nil {
		return "", err
	}
	switch {
	case roster.FromGit(spec):
		return "", fmt.Errorf("%w: the server builds no engines (%q)", errWords, text)
	case roster.Foreign(spec):
		if spec, err = c.foreign(spec); err != nil {
			return "", fmt.Errorf("player %q: %w", shown, err)
		}
	default:
		name, renamed, err := roster.WeightsOf(spec)
		if err != nil || renamed == nil || slices.Contains(models.Names(), name) {
			return text, err
		}
		path, err := c.file(name)
		if err != nil {
			return "", fmt.Errorf("player %q: %w", shown, err)
		}
		spec = renamed(path)
	}
	return "name=" + shown + ":" + spec, nil
}

func (c *checker) foreign(spec string) (string, error) {
	expanded, err := c.store.Expand(spec)
	if err != nil {
		return "", err
	}
	path, with, err := roster.Command(expanded)
	if err != nil {
		return "", err
	}
	if !c.store.IsObject(path) {
		return "", fmt.Errorf("%w: the engine was not uploaded", errWords)
	}
	p, err := wire.ProgramOf(path)
	if err != nil {
		return "", err
	}
	if _, err := wire.Signer(path, p, c.trusted); err != nil {
		return "", fmt.Errorf("the server's owner does not trust the engine: %w", err)
	}
	local, err := with(path)
	if err != nil {
		return "", err
	}
	return roster.WithSandbox(local, c.memory)
}

func (c *checker) config(ref string) (string, error) {
	path, err := c.file(ref)
	if err != nil {
		return "", err
	}
	file, err := play.ReadFile(path)
	if err != nil {
		return "", err
	}
	before := *file
	if file.ParameterFile != "" {
		return "", fmt.Errorf("%w: parameter_file names a file of the server", errWords)
	}
	if file.Player, err = c.player(file.Player); err != nil {
		return "", err
	}
	if file.Book != "" {
		if file.Book, err = c.file(file.Book); err != nil {
			return "", err
		}
	}
	if c.name == "" || file.Player == before.Player && file.Book == before.Book {
		return path, nil
	}
	path = filepath.Join(c.configs, c.name+".toml")
	return path, durable.WriteFile(path, file.TOML())
}
