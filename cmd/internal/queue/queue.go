// Package queue is the command assay queue: a server that holds many tests and has workers
// play them, the commands that submit and steer tests, and a page. The tests themselves are
// the commands match, spsa, selfplay, ladder and screen; the state is selfplay/queue's, the sharing of
// workers selfplay/cluster/coordinator's.
//
// Start reading at server.run, api.handler and Submitter.
package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// New returns the command assay queue.
func New(h *Hooks) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Share machines among many tests: submit, rank, approve, watch",
		Long: `A queue holds the tests (matches, tunes, ladders, data) of many people, and many workers
play them. One machine runs assay queue serve; assay work URL lends it another. A
test's games and result are, to the byte, those of its own command on one machine.

The other commands find the queue by --queue or $` + urlEnv + `, and show the key in
$` + KeyEnv + `. A key has roles: read (see everything), submit (add tests, and stop, resume,
remove and lower the own ones), approve (approve tests, and do all that with any), work
(connect a worker). Tests of those without the role approve wait until someone approves.

The guide share-machines has the steps (assay guide share-machines).`,
	}
	cmd.AddCommand(newServe(h), newAdd(h), newList(h), newShow(h), newKey())
	for _, x := range []struct{ name, short string }{
		{"stop", "Stop a test; it can be resumed"},
		{"resume", "Go on with a test that was stopped or has failed"},
		{"approve", "Allow a test to be played"},
		{"remove", "Take a test off the list; its folder stays"},
	} {
		cmd.AddCommand(newAct(h, x.name, x.short))
	}
	cmd.AddCommand(newPriority(h))
	return cmd
}

// Submitter adds tests.
type Submitter struct {
	client
	submission
	asJSON bool
	hooks  *Hooks
}

// NewSubmitter returns one with the flags of a command.
func NewSubmitter(h *Hooks, cmd *cobra.Command) *Submitter {
	s := &Submitter{client: client{tls: h.ClientTLS}, hooks: h}
	s.client.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&s.Name, "name", "", "name of the test (default: its command and a number)")
	fs.StringVar(&s.Note, "note", "", "what the test is about")
	fs.IntVar(&s.Priority, "priority", 0, fmt.Sprintf("-%d to %d: each step doubles the test's share of the machines",
		queue.MaxPriority, queue.MaxPriority))
	fs.IntVar(&s.Cores, "max-cores", 0, "cores that the test may use at once (default: any number)")
	fs.StringVar(&s.Then, "then", "", "preset of the test that follows if this one, with a --preset, passes: ltc")
	return s
}

// Add submits a command line, whose first word is the command.
func (s *Submitter) Add(cmd *cobra.Command, args []string) error {
	j, err := s.hooks.Parse(args, func(string, string) error { return nil })
	if err != nil {
		return err
	}
	return s.Submit(cmd, j)
}

// Submit submits a test.
func (s *Submitter) Submit(cmd *cobra.Command, j queue.Job) (err error) {
	if err := checkThen(s.Then, &j); err != nil {
		return err
	}
	var c collector
	if s.Job, err = renamed(j, c.player, c.file); err != nil {
		return err
	}
	if err := s.hooks.Check(s.Job); err != nil {
		return err
	}
	t, err := s.submit(cmd.Context(), s.submission, c.files)
	if err != nil {
		return err
	}
	if s.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), t)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is %s\n", t.Name, t.State)
	return err
}

// preset is the setting whose place a follow-up takes.
const preset = "preset"

// checkThen reports a follow-up that cannot be made.
func checkThen(then string, j *queue.Job) error {
	switch {
	case then == "":
		return nil
	case !settings.IsPreset(then):
		return settings.UnknownPreset("--then", then)
	case j.Command != "match" || j.Settings[preset] == "":
		return cli.Usagef("--then %s is for a match with --preset, whose place it takes", then)
	}
	return nil
}

func newAdd(h *Hooks) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add COMMAND...",
		Short: "Submit a match, a tune, a ladder, a screen or games for training",
		Long: `Submit a test: match, spsa, selfplay, ladder, or a screen of options, with everything that
these commands take, except where to play and where to write. Flags of the queue come before the
command.

Books, weight files and engines of the command line are uploaded, by content. An engine
needs its signature beside it (assay sign), and the owners of the server and of each worker
decide whom they trust.`,
		Example: `  assay queue add match assay:weights=new.json assay --preset stc
  assay queue add --priority 2 --then ltc match ./engine-new ./engine-base --preset stc --book openings.epd
  assay queue add --name tune-1 spsa tune.toml
  assay queue add --max-cores 4 selfplay --games 100000`,
		Args: cobra.MinimumNArgs(1),
	}
	s := NewSubmitter(h, cmd)
	cmd.Flags().BoolVar(&s.asJSON, "json", false, "print one JSON object")
	cmd.Flags().SetInterspersed(false)
	cmd.RunE = s.Add
	return cmd
}

// newAsk returns a command that asks the queue.
func newAsk(h *Hooks, use, short, example string, args cobra.PositionalArgs,
	run func(cmd *cobra.Command, c *client, args []string) error) *cobra.Command {
	c := &client{tls: h.ClientTLS}
	cmd := &cobra.Command{Use: use, Short: short, Example: example, Args: args}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, c, args) }
	c.register(cmd)
	return cmd
}

func newList(h *Hooks) *cobra.Command {
	var asJSON bool
	cmd := newAsk(h, "list", "List tests: state, result, speed, share, who", "  assay queue list", cobra.NoArgs,
		func(cmd *cobra.Command, c *client, _ []string) error {
			all := tests{Tests: []status{}}
			for path := fmt.Sprintf("/api/tests?limit=%d", maxTestsOnPage); ; {
				var page tests
				if _, err := c.do(cmd.Context(), http.MethodGet, path, nil, &page); err != nil {
					return err
				}
				if all.Tests = append(page.Tests, all.Tests...); page.Older == 0 {
					break
				}
				path = fmt.Sprintf("/api/tests?limit=%d&before=%d", maxTestsOnPage, page.Older)
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), all)
			}
			return printList(cmd.OutOrStdout(), all.Tests)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printList(out io.Writer, list []status) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "no tests")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tPRIORITY\tWHO\tDONE\tGAMES/S\tSHARE\tRESULT")
	for i := range list {
		x := &list[i]
		done := ""
		if x.Result.Unit != "" {
			done = fmt.Sprintf("%d %s", x.Result.Done, x.Result.Unit)
		}
		share := ""
		if x.Share > 0 {
			share = fmt.Sprintf("%.0f %%", 100*x.Share)
		}
		quote.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%.1f\t%s\t%s\n", x.Name, x.State, x.Priority, x.Who, done, x.Rate, share,
			x.outcome())
	}
	return w.Flush()
}

// outcome is the result so far, in a line.
func (x *status) outcome() string {
	text := x.Result.Text
	if x.Result.Verdict != "" {
		text = x.Result.Verdict + ": " + text
	}
	if l := x.Result.LLR; len(l) == 3 && x.State != queue.Complete {
		text += fmt.Sprintf(" LLR %.2f (%.2f, %.2f)", l[0], l[1], l[2])
	}
	if text == "" {
		text = x.Reason
	}
	return text
}

func newShow(h *Hooks) *cobra.Command {
	var asJSON bool
	var wait time.Duration
	cmd := newAsk(h, "show TEST", "Show a test; with --wait when it has ended", `  assay queue show match-7
  assay queue show match-7 --wait 12h      # in a CI job`, cobra.ExactArgs(1),
		func(cmd *cobra.Command, c *client, args []string) error {
			x, raw, err := c.awaitTest(cmd.Context(), args[0], wait)
			if err != nil {
				return err
			}
			if asJSON {
				_, err = cmd.OutOrStdout().Write(raw)
			} else {
				err = x.print(cmd.OutOrStdout())
			}
			if err == nil && wait > 0 && (x.State != queue.Complete || x.Result.Class == "bad") {
				err = fmt.Errorf("%s is %s: %s", x.Name, x.State, x.outcome())
			}
			return err
		})
	cmd.Long = `Show a test: its command, its state and its result, as text for a commit message.

With --wait the command ends when the test has: with exit code 0 if it passed, or ended
without a verdict to pass, and 1 if it did not pass, failed, was stopped, or the time is over.`
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().DurationVar(&wait, "wait", 0, "wait up to this time for the test to end")
	return cmd
}

// awaitTest returns a test, and its JSON, when it has ended or the time is over.
func (c *client) awaitTest(ctx context.Context, name string, wait time.Duration) (x status, raw []byte, err error) {
	for until := time.Now().Add(wait); ; {
		once := max(0, min(time.Until(until), 50*time.Second).Round(time.Second))
		raw, err = c.do(ctx, http.MethodGet, "/api/tests/"+url.PathEscape(name)+"?wait="+once.String(), nil, &x)
		if err != nil || x.State.Ended() || time.Now().After(until) {
			return x, raw, err
		}
	}
}

// print prints a test as text for a commit message.
func (x *status) print(out io.Writer) error {
	quoted := x.Words()
	for i, w := range quoted {
		quoted[i] = quote.Word(w)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	quote.Fprintf(w, "test\t%s, %s, by %s\n", x.Name, x.State, x.Who)
	if text := x.outcome(); text != "" {
		quote.Fprintf(w, "result\t%s\n", text)
	}
	if l := x.Result.LLR; len(l) == 3 {
		quote.Fprintf(w, "LLR\t%.2f (%.2f, %.2f)\n", l[0], l[1], l[2])
	}
	if p := x.Result.Pentanomial; len(p) == 5 {
		quote.Fprintf(w, "games\t%d, %s; pairs %d %d %d %d %d\n", x.Result.Done, x.Result.WDL, p[0], p[1], p[2], p[3], p[4])
	}
	for worker, why := range x.Declined {
		quote.Fprintf(w, "declined\t%s: %s\n", worker, why)
	}
	quote.Fprintf(w, "command\tassay %s\n", strings.Join(quoted, " "))
	return w.Flush()
}

func newAct(h *Hooks, name, short string) *cobra.Command {
	var store string
	cmd := newAsk(h, name+" TEST...", short, "  assay queue "+name+" match-7", cobra.MinimumNArgs(1),
		func(cmd *cobra.Command, c *client, args []string) error {
			if store != "" {
				return actOffline(cmd.OutOrStdout(), store, name, args)
			}
			for _, test := range args {
				t, err := c.act(cmd.Context(), test, name, struct{}{})
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is %s\n", t.Name, t.State)
			}
			return nil
		})
	if name == "stop" {
		cmd.Flags().StringVar(&store, "offline", "", "folder of a queue whose server does not run")
	}
	return cmd
}

// actOffline changes tests in the store of a server that does not run.
func actOffline(out io.Writer, dir, what string, tests []string) (err error) {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%w; want the folder of a queue", err)
	}
	store, err := queue.Open(dir)
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("%w; the server runs: leave out --offline", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, name := range tests {
		if err := store.Move(local, what, name, ""); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s is %s\n", name, queue.Stopped)
	}
	return nil
}

func newPriority(h *Hooks) *cobra.Command {
	return newAsk(h, "priority TEST N", "Change a test's priority; each step doubles its share",
		"  assay queue priority match-7 2\n  assay queue priority -- match-7 -1", cobra.ExactArgs(2),
		func(cmd *cobra.Command, c *client, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return cli.Usagef("priority %s: want a whole number from -%d to %d", args[1], queue.MaxPriority, queue.MaxPriority)
			}
			t, err := c.act(cmd.Context(), args[0], "priority", map[string]int{"priority": n})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has priority %d\n", t.Name, t.Priority)
			return err
		})
}

func newKey() *cobra.Command {
	var store, public string
	var roles []string
	cmd := &cobra.Command{
		Use:   "key NAME --store DIR",
		Short: "Make a key for a person, on the server's machine",
		Long: `Make or replace a key in the store of a queue. The secret is printed once and not kept: its
holder sets $` + KeyEnv + ` to it, or types it into the page. A running server picks it up.
Without --roles the key is deleted.

The role work needs the public key of the person's worker, from assay work --new-key.`,
		Example: `  assay queue key anna --store queue --roles read,submit
  assay queue key bob --store queue --roles work --public U...`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if store == "" {
				return cli.Usagef("no folder of a queue: give --store DIR")
			}
			k := queue.Key{Name: args[0], Public: public}
			for _, r := range roles {
				k.Roles = append(k.Roles, queue.Role(r))
			}
			if k.May(queue.Work) != (public != "") {
				return cli.Usagef("the role work and --public go together: the public key of the worker, as assay work --new-key " +
					"prints it")
			}
			if public != "" && !wire.ValidPublic(public) {
				return cli.Usagef("--public %q: want U and 55 letters and digits, as assay work --new-key prints it", public)
			}
			secret, err := queue.SetKey(store, k)
			if err != nil || secret == "" {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "key: this is the secret of %s, for %s; it is not shown again:\n", k.Name, KeyEnv)
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	cmd.Flags().StringVar(&store, "store", "", "folder of the queue (required)")
	cmd.Flags().StringSliceVar(&roles, "roles", nil, "read, submit, approve, work")
	cmd.Flags().StringVar(&public, "public", "", "public key of the person's worker")
	return cmd
}
