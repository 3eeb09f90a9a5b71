// Package app is the command assay, which cmd/assay starts; tests start it too.
//
// Each subcommand has a file with a newXxxCommand function, or a package beside this one with
// New; newRootCommand lists them. Commands parse flags, call a package, and print. The packages
// compute; advice to the user belongs here. See cmd/README.md.
//
// Start reading at Run.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/data"
	"github.com/assay-chess/assay/cmd/internal/engines"
	"github.com/assay-chess/assay/cmd/internal/historic"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/translate"
	"github.com/assay-chess/assay/cmd/internal/tune"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/cmd/internal/weights"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Main is the function main of the command.
func Main() {
	ui.CloseOnExec()
	reportGoroutines(os.Getenv("ASSAY_GOROUTINES"), os.Stderr)
	os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// finishAfter is how long a command may take to end after Ctrl-C before it says that it has not hung.
const finishAfter = 700 * time.Millisecond

// Run executes one command line and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	screen, messages := ui.NewScreens(stdout, stderr)
	context.AfterFunc(ctx, func() {
		stop()                                       // a second Ctrl-C ends the process at once
		pressed := time.Now().Add(-finishAfter / 10) // the command may have said just now that it is finishing
		time.Sleep(finishAfter)
		messages.Finishing(pressed)
	})
	root := newRootCommand()
	root.SetArgs(meant(root, args))
	root.SetIn(stdin)
	root.SetOut(screen)
	root.SetErr(messages)
	cmd, err := root.ExecuteContextC(ctx)
	interrupted := ctx.Err() != nil
	messages.End()
	if lost := screen.Lost(); err == nil && lost != nil {
		err = fmt.Errorf("writing the output: %w", lost)
	}
	if err == nil {
		return ui.ExitDone
	}
	var code ui.ExitCode
	if errors.As(err, &code) {
		return int(code)
	}
	err = advise(cmd, err)
	var usage ui.UsageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		text := cmp.Or(translate.InAssay(args), unknownCommand(root, ui.Plain(err.Error())))
		fmt.Fprintf(messages, "assay: %s\nSee '%s --help'.\n", translate.Fill(text, args), cmd.CommandPath())
		return ui.ExitUsage
	}
	say := func(text string) { fmt.Fprintf(messages, "assay: %s\n", text) }
	text, last := ui.Plain(err.Error())+otherRun(err, cmd.Name(), args), interruptedBy(cmd, err)
	if !interrupted {
		say(text)
		return ui.ExitFailed
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, last) {
		say(text)
	}
	say(last.Error())
	return ui.ExitInterrupted
}

// meant returns a command line as meant: COMMAND help asks for help, and so does -help.
func meant(root *cobra.Command, args []string) []string {
	words := slices.Clone(args)
	for i, word := range words {
		words[i] = cmp.Or(map[string]string{"-help": "--help", "-version": "--version", "-V": "--version"}[word], word)
	}
	if last := len(words) - 1; last > 0 && words[last] == "help" {
		if cmd, rest, err := root.Find(words[:last]); err == nil && len(rest) == 0 && cmd != root {
			return append([]string{"help"}, words[:last]...)
		}
	}
	return words
}

// otherRun says what a folder of the command line holds, if it is the run of another command, after an error
// about what was expected there. Else it is empty.
func otherRun(err error, command string, args []string) string {
	var changed *durable.ConfigChangedError
	if !errors.Is(err, dataset.ErrNoData) && !errors.Is(err, syscall.EISDIR) && !errors.As(err, &changed) {
		return ""
	}
	for _, dir := range args {
		info, e := durable.ReadRunInfo(dir)
		if e != nil || info.Command == command {
			continue
		}
		text := fmt.Sprintf("\n%s holds a run of assay %s; type assay report %[1]s to see it", quote.Word(dir), info.Command)
		games := filepath.Join(dir, gamelog.GamesName)
		if _, e := os.Stat(games); e == nil {
			return text + fmt.Sprintf(", or assay data positions %s --out positions for its positions", quote.Word(games))
		}
		if pgn := filepath.Join(dir, gamelog.PGNName); isFile(pgn) {
			text += fmt.Sprintf(", or assay data import %s --out games for its games so far", quote.Word(pgn))
		}
		return text
	}
	return ""
}

// reportGoroutines writes the number of goroutines to w at each interval, for the soak
// test, which cannot count them from outside. Without an interval it does nothing.
func reportGoroutines(interval string, w io.Writer) {
	every, err := time.ParseDuration(interval)
	if err != nil || every <= 0 {
		return
	}
	go func() {
		for range time.Tick(every) {
			fmt.Fprintf(w, "goroutines: %d\n", runtime.NumGoroutine())
		}
	}()
}

// setUp is the last group of commands.
const setUp = "Set up:"

func newRootCommand() *cobra.Command {
	cobra.EnableTraverseRunHooks = true // the root's hook runs before the hook of assay data
	root := &cobra.Command{
		Use:   "assay",
		Short: "Generate self-play data, tune a chess evaluation, and prove the gain",
		Long:  `assay turns games into a better chess evaluation, and proves that it is better.`,
		Example: `  assay learn                                      # the whole loop, 4 minutes
  assay match ./new ./base --tc 8+0.08 --sprt 0,5  # is my patch stronger?`,
		Version:       ui.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := swallowed(cmd); err != nil {
				return err
			}
			ui.Begin(cmd.ErrOrStderr(), strings.TrimPrefix(cmd.CommandPath(), "assay "))
			if ui.WantsJSON(cmd) && ui.ClosedOutput() {
				return errors.New("standard output is closed: there is nowhere to print what --json asks for; >" + os.DevNull +
					" discards it")
			}
			return nil
		},
	}
	root.SetFlagErrorFunc(flagError)
	help := newHelpCommand()
	root.SetHelpCommand(help)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Learn and measure:", []*cobra.Command{newInitCommand(), newLearnCommand(), tune.New(), newSpsaCommand(),
			newScreenCommand(),
			newMatchCommand(), newLadderCommand(), newSprtCommand(), tune.NewWDL(),
			translate.New(), newGuideCommand()}},
		{"Make data:", []*cobra.Command{newSelfplayCommand(), data.New(), tune.NewFeatures()}},
		{"Look at runs, and share them with other machines:", []*cobra.Command{report.NewRuns(), report.New(),
			report.NewServe(),
			newWorkCommand()}},
		{"Engines and evaluations:", []*cobra.Command{engines.NewUCI(), weights.NewEval(), weights.New(),
			engines.NewCheck(), engines.NewPerft(), engines.NewBench(), historic.New()}},
		{setUp, []*cobra.Command{newCompletionCommand(), help, newVersionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	helpText(root)
	markUsageErrors(root)
	return root
}

// markUsageErrors makes wrong arguments of the command and of all commands below it usage
// errors. Unknown subcommands count too: cobra answers them with help and success.
func markUsageErrors(cmd *cobra.Command) {
	if cmd.HasParent() && cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = cobra.NoArgs
		cmd.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				if e := swallowed(c); e != nil {
					return e
				}
				return ui.Usage(argumentsError(c, args, err))
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		markUsageErrors(child)
	}
}

// argumentsError says which arguments a command takes. Cobra's own text, "accepts 1 arg(s),
// received 0", names none of them.
func argumentsError(cmd *cobra.Command, args []string, err error) error {
	if cmd.HasSubCommands() && strings.HasPrefix(err.Error(), "unknown command") {
		return err // an unknown subcommand
	}
	for _, name := range []string{"wdl", "penta"} { // of assay sprt: numbers that the shell split
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && !strings.Contains(f.Value.String(), ",") {
			return fmt.Errorf("--%s %s: want all counts in one word; type --%[1]s %[3]s", name, f.Value,
				quote.Word(strings.Join(append([]string{f.Value.String()}, args...), ",")))
		}
	}
	if cmd.Use == cmd.Name() {
		return fmt.Errorf("%s takes no arguments, got %q%s", cmd.Name(), strings.Join(args, " "),
			translate.Fill(translate.Argument(cmd.Name(), flagsOf(cmd), args), args))
	}
	if len(args) == 1 && len(cmd.ValidArgs) > 0 {
		return fmt.Errorf("%s %s: want one of %s", cmd.Name(), args[0], strings.Join(cmd.ValidArgs, ", "))
	}
	if name := missingArgument(cmd, args); name != "" {
		return fmt.Errorf("%s is missing; usage: %s", name, strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	}
	return fmt.Errorf("wrong number of arguments: %d; usage: %s%s", len(args),
		strings.TrimSuffix(cmd.UseLine(), " [flags]"),
		translate.Fill(translate.Argument(cmd.Name(), flagsOf(cmd), args), args))
}
