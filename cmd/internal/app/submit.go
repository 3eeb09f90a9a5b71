package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/queue"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	store "github.com/assay-chess/assay/selfplay/queue"
)

// queueHooks are what assay queue needs of the commands that play.
func queueHooks() *queue.Hooks {
	return &queue.Hooks{
		Parse: parseJob, Check: checkJob, Run: runJob,
		ServerTLS: serverTLS, ClientTLS: clientTLS, Token: takeToken, Advice: clusterAdvice,
		Connect: func(url string, log func(string)) (func() (*nats.Conn, error), error) { return connect(url, log) },
	}
}

// parseJob reads a command line as a test of a queue. Allow says whether a player may be opened, or a
// CONFIG read.
func parseJob(words []string, allow queue.Allow) (j store.Job, err error) {
	command, ok := settings.Command(words[0])
	if !ok {
		return j, queue.Refusef("%q is not one of %s", words[0], strings.Join(settings.Queued, ", "))
	}
	s := &session{Set: settings.New(command, nil), name: words[0]}
	args, err := s.Parse(words[1:])
	if err == nil {
		args, err = s.sprtWords(args)
	}
	switch {
	case err != nil:
		return j, fmt.Errorf("%s: %w", words[0], err)
	case command&(settings.Match|settings.Ladder|settings.Screen) == 0 && len(args) > 1,
		command == settings.Selfplay && len(args) > 0:
		return j, queue.Refusef("%s: %d players or files: see assay %s --help", words[0], len(args), words[0])
	}
	j = store.Job{Command: words[0], Settings: s.Texts(), Players: args}
	if command == settings.Selfplay {
		j.Players = s.Players
		delete(j.Settings, "players")
	}
	for name := range j.Settings {
		if row := command.Lookup(name); row.Use&settings.InQueue == 0 && command != settings.SPSA {
			return j, queue.Refusef("--%s: the queue decides that", name)
		}
	}
	if command == settings.SPSA {
		return spsaJob(s, j, allow)
	}
	return j, nil
}

// spsaJob reads what spsa tunes.
func spsaJob(s *session, j store.Job, allow queue.Allow) (store.Job, error) {
	if len(j.Players) != 1 {
		return j, queue.Refusef("spsa: %d arguments, want a CONFIG", len(j.Players))
	}
	err := allow("assay", j.Players[0])
	if err != nil {
		return j, err
	}
	if s.config, err = readSpsaConfig(j.Players[0]); err != nil {
		return j, err
	}
	texts := s.config.Texts()
	for name, text := range j.Settings {
		switch row := settings.SPSA.Lookup(name); {
		case row.Use&settings.InQueue != 0:
			texts[name] = text
		default:
			return j, queue.Refusef("--%s: the queue decides that", name)
		}
	}
	j.Settings, j.Players = texts, []string{s.config.Player}
	j.Parameters, err = json.Marshal(s.config.Parameters)
	return j, err
}

// jobSession returns a test of a queue as a session of its command.
func jobSession(ctx context.Context, j store.Job, at queue.Place) (*session, error) {
	command, ok := settings.Command(j.Command)
	if !ok {
		return nil, queue.Refusef("%q is not one of %s", j.Command, strings.Join(settings.Queued, ", "))
	}
	s := &session{Set: settings.New(command, nil), ctx: ctx, name: j.Command, stdout: at.Log, stderr: at.Log,
		queue: at.Runner, test: filepath.Base(at.Dir)}
	s.git.none, s.Elsewhere = true, at.Play
	if command == settings.SPSA {
		s.config = &spsaConfig{Set: settings.NewConfig(), source: "spsa"}
		if len(j.Players) != 1 {
			return nil, queue.Refusef("spsa: %d players, want 1", len(j.Players))
		}
		s.config.Player = j.Players[0]
		if err := json.Unmarshal(j.Parameters, &s.config.Parameters); err != nil {
			return nil, queue.Refusef("the parameters: %v", err)
		}
	}
	for name, text := range j.Settings {
		set := s.Set
		if s.config != nil && s.config.Has(name) {
			set = s.config.Set
		}
		if row := set.Command.Lookup(name); row == nil || row.Use&settings.InQueue == 0 {
			return nil, queue.Refusef("%s has no setting %q in a queue", j.Command, name)
		}
		if err := set.Put(name, text); err != nil {
			return nil, err
		}
	}
	s.Out = at.Dir
	return s, nil
}

// prepareJob returns what plays a test of a queue.
func prepareJob(s *session, j store.Job) (func() error, error) {
	if n := len(j.Players); s.Command&(settings.Match|settings.Ladder) != 0 && n < 2 {
		return nil, queue.Refusef("a %s needs two players or more, not %d", j.Command, n)
	} else if s.Command == settings.Screen && n < 3 {
		return nil, queue.Refusef("a screen needs a player and two factors or more")
	}
	return s.prepare(j.Players)
}

// checkJob reports values that the command would refuse.
func checkJob(j store.Job) error {
	s, err := jobSession(context.Background(), j, queue.Place{Dir: "test", Log: io.Discard})
	if err != nil {
		return err
	}
	defer s.close()
	_, err = prepareJob(s, j)
	return err
}

// runJob plays a test of a queue.
func runJob(ctx context.Context, j store.Job, at queue.Place) error {
	s, err := jobSession(ctx, j, at)
	if err != nil {
		return err
	}
	defer s.close()
	play, err := prepareJob(s, j)
	if err != nil {
		return err
	}
	return play()
}

func newTestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test A B",
		Short: "Build two commits, and submit their match to a queue",
		Long: `Build the players git:REF of two commits on this machine, sign the engines with your key, and
submit their match to a queue (see assay queue). The commits are pinned: the queue gets the
engines, not the repository.

Limits, test and openings come from the flags, which are those of assay match, or from the
file assay.toml at the top of the repository (assay guide test-my-patch). If neither says how
the match ends, it is --preset stc. Presets: stc, 8+0.08 and [0, 5]; ltc, 40+0.4 and [0, 5];
nonreg, 8+0.08 and [-5, 0]. With --then ltc a test that passes is followed by the long one.`,
		Example: `  assay test git:HEAD git:main --build 'make -j EXE={out}' --key dev.key
  assay test git:HEAD git:main --preset stc --then ltc --note 'late move reductions by history'`,
		Args: cobra.ExactArgs(2),
	}
	var key string
	set := settings.New(settings.Match, cmd.Flags(), settings.InQueue, settings.Builds)
	cmd.Flags().StringVar(&key, "key", "", "file with the secret key to sign with (default: "+settings.SigningKeyEnv+")")
	submitter := queue.NewSubmitter(queueHooks(), cmd)
	cli.Often(cmd.Flags(), "key", "then", "note")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if key = cmp.Or(key, os.Getenv(settings.SigningKeyEnv)); key == "" {
			return cli.Usagef("want a key to sign the engines with: pass its file with --key or %s, "+
				"or make one with assay sign --new-key", settings.SigningKeyEnv)
		}
		s := newSession(cmd, set)
		defer s.close()
		j, err := s.signedMatch(args, key)
		if err != nil {
			return err
		}
		return submitter.Submit(cmd, j)
	}
	return cmd
}

// signedMatch builds and signs the players, and returns their match.
func (s *session) signedMatch(args []string, key string) (j store.Job, err error) {
	players, err := parsePlayers(args)
	if err != nil {
		return j, err
	}
	if err := s.git.prepare(s, players...); err != nil {
		return j, err
	}
	folder, err := os.MkdirTemp("", "assay-test-")
	if err != nil {
		return j, err
	}
	s.done = append(s.done, func() { os.RemoveAll(folder) })
	j.Command = "match"
	for i, spec := range players {
		player := args[i]
		if spec.FromGit() {
			if player, err = s.signed(spec, folder, key); err != nil {
				return j, err
			}
		}
		j.Players = append(j.Players, player)
	}
	if !s.Given("preset", "sprt", "games", "rounds") {
		if err := s.Put("preset", "stc"); err != nil {
			return j, err
		}
	}
	j.Settings = s.Texts()
	for name := range j.Settings {
		if row := settings.Match.Lookup(name); row == nil || row.Use&settings.InQueue == 0 {
			delete(j.Settings, name) // it says how to build, or where the queue is
		}
	}
	return j, nil
}

// signed builds a commit's engine, signs a copy that is named after the commit, and returns
// the copy as a player.
func (s *session) signed(spec engine.Spec, folder, key string) (player string, err error) {
	e, err := s.entrant(spec, "test")
	if err != nil {
		return "", err
	}
	ref := spec.Command[0]
	source, err := s.git.source(ref)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(roster.Program(e.Spec))
	if err != nil {
		return "", err
	}
	name := "engine-" + source.Short()
	copied := filepath.Join(folder, name)
	if err := os.WriteFile(copied, data, 0o700); err != nil {
		return "", err
	}
	if _, err := wire.Sign(copied, key); err != nil {
		return "", err
	}
	if err := roster.CheckPortable(e.Spec); err != nil {
		return "", err
	}
	return "name=" + strings.ReplaceAll(ref, ":", "-") + "-" + source.Short() + ":" +
		e.Spec.WithProgram(copied).String(), nil
}
