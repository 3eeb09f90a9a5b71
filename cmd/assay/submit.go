package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/queue"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// queueHooks are what assay queue needs of the commands that play.
func queueHooks() *queue.Hooks {
	return &queue.Hooks{
		Create: func(name string) *cobra.Command {
			return map[string]func() *cobra.Command{"match": newMatchCommand, "spsa": newSpsaCommand, "selfplay": newSelfplayCommand, "ladder": newLadderCommand}[name]()
		},
		ServerTLS: serverTLS, ClientTLS: clientTLS, Token: takeToken, Advice: clusterAdvice,
		Connect: func(url string, log func(string)) (func() (*nats.Conn, error), error) {
			f := clusterFlags{nats: url}
			return f.connect(log)
		},
	}
}

// testFlags are the flags of assay test: those of a match, and a key to sign with.
type testFlags struct {
	matchFlags
	key string
}

func newTestCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test A B",
		Short: "Build two commits, sign the engines, and submit their match to a queue",
		Long: `Build the players git:REF of two commits on this machine, sign the engines with your key, and
submit their match to a queue (see assay queue). The commits are pinned: the queue has the
engines, by content, and not the repository.

Limits, test and openings come from the flags, which are those of assay match, or from the
file assay.toml at the top of the repository (assay guide test-my-patch). If neither says how
the match ends, it is --preset stc. Presets: stc, 8+0.08 and [0, 5]; ltc, 40+0.4 and [0, 5];
nonreg, 8+0.08 and [-5, 0]. With --then ltc a test that passes is followed by the long one.`,
		Example: `  assay test git:HEAD git:main --build 'make -j EXE={out}' --key dev.key
  assay test git:HEAD git:main --preset stc --then ltc --note 'late move reductions by history'`,
		Args: cobra.ExactArgs(2),
	}
	f.register(cmd)
	cmd.Flags().VisitAll(func(x *pflag.Flag) { x.Hidden = x.Hidden || queue.Decides(x.Name) && !builds[x.Name] })
	cmd.Flags().StringVar(&f.key, "key", "", "file with the secret key to sign with (default: "+signingKeyEnv+")")
	s := queue.NewSubmitter(queueHooks(), cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.submit(cmd, args, s) }
	return cmd
}

// builds are the flags of assay test that say how to build the engines.
var builds = map[string]bool{"build": true, "repo": true, "no-bench": true}

// submit builds and signs the players, and submits their match.
func (f *testFlags) submit(cmd *cobra.Command, args []string, s *queue.Submitter) error {
	if f.key == "" {
		f.key = os.Getenv(signingKeyEnv)
	}
	if f.key == "" {
		return cli.Usagef("want a key to sign the engines with: pass its file with --key or %s, or make one with assay sign --new-key", signingKeyEnv)
	}
	players, err := namePlayers(args)
	if err != nil {
		return err
	}
	defer f.git.close()
	if err := f.git.prepare(cmd, "", players.specs...); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "assay-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	words := []string{"match"}
	for i, spec := range players.specs {
		player := args[i]
		if roster.FromGit(spec) {
			if player, err = f.signed(spec, folder); err != nil {
				return err
			}
		}
		words = append(words, player)
	}
	m := newMatchCommand()
	cmd.Flags().Visit(func(x *pflag.Flag) {
		switch {
		case err != nil || builds[x.Name] || m.Flags().Lookup(x.Name) == nil:
		case queue.Decides(x.Name):
			err = cli.Usagef("--%s is for the queue to say", x.Name)
		default:
			err = m.Flags().Set(x.Name, x.Value.String())
		}
	})
	if given := m.Flags().Changed; err == nil && !given("preset") && !given("sprt") && !given("games") && !given("rounds") {
		err = m.Flags().Set("preset", "stc")
	}
	if err != nil {
		return err
	}
	return s.Add(cmd, append(words, cli.CommandWords(m, nil)[1:]...))
}

// signed builds a commit's engine, signs a copy that is named after the commit, and returns
// the copy as a player.
func (f *testFlags) signed(spec, folder string) (player string, err error) {
	e, err := f.times.entrant(&f.git, spec, "test")
	if err != nil {
		return "", err
	}
	path, with, err := roster.Command(e.Spec)
	if err != nil {
		return "", err
	}
	p, err := roster.ParseSource(spec)
	if err != nil {
		return "", err
	}
	source, err := f.git.source(p.Ref)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	name := "engine-" + source.Short()
	copied := filepath.Join(folder, name)
	if err := os.WriteFile(copied, data, 0o700); err != nil {
		return "", err
	}
	if _, err := wire.Sign(copied, f.key); err != nil {
		return "", err
	}
	if spec, err = with(copied); err != nil {
		return "", err
	}
	return "name=" + strings.NewReplacer(":", "-").Replace(p.Ref) + "-" + source.Short() + ":" + spec, nil
}
