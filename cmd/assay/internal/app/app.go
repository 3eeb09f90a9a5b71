// Package app is the command assay, which cmd/assay starts; tests start it too.
//
// Each subcommand has a file with a newXxxCommand function, or a package beside this one with
// New; root.go lists them. Commands parse flags, call a package, and print. The packages
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
	"strings"
	"syscall"
	"time"

	"github.com/assay-chess/assay/cmd/assay/internal/cli"
	"github.com/assay-chess/assay/cmd/assay/internal/queue"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/selfplay/gamelog"
)

// Main is the function main of the command.
func Main() {
	if len(os.Args) == 2 && os.Args[1] == queue.GameArgument {
		os.Exit(queue.PlayGame(os.Stdin, os.Stdout, os.Stderr))
	}
	reportGoroutines(os.Getenv("ASSAY_GOROUTINES"), os.Stderr)
	os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// finishAfter is how long a command may take to end after Ctrl-C before it says that it has not hung.
const finishAfter = 700 * time.Millisecond

// Run executes one command line and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	screen, messages := cli.NewScreens(stdout, stderr)
	context.AfterFunc(ctx, func() {
		stop()                                       // a second Ctrl-C ends the process at once
		pressed := time.Now().Add(-finishAfter / 10) // the command may have said just now that it is finishing
		time.Sleep(finishAfter)
		messages.Finishing(pressed)
	})
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checkedWriter{Screen: screen}
	root.SetOut(out)
	root.SetErr(messages)
	cmd, err := root.ExecuteContextC(ctx)
	interrupted := ctx.Err() != nil
	messages.End()
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	if err == nil {
		return cli.ExitDone
	}
	var code cli.ExitCode
	if errors.As(err, &code) {
		return int(code)
	}
	var usage cli.UsageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		text := cmp.Or(inAssay(args), unknownCommand(root, cli.Plain(err.Error())))
		fmt.Fprintf(messages, "assay: %s\nSee '%s --help'.\n", text, cmd.CommandPath())
		return cli.ExitUsage
	}
	say := func(text string) { fmt.Fprintf(messages, "assay: %s\n", text) }
	text, last := cli.Plain(cli.DiskAdvice(err).Error())+otherRun(err, cmd.Name(), args), cli.InterruptedBy(cmd, err)
	if !interrupted {
		say(text)
		return cli.ExitFailed
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, last) {
		say(text)
	}
	say(last.Error())
	return cli.ExitInterrupted
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
			text += fmt.Sprintf(", or assay data positions %s --out positions for its positions", quote.Word(games))
		}
		return text
	}
	return ""
}

// checkedWriter remembers the first error, so that a command whose output was not written
// does not exit with success.
type checkedWriter struct {
	*cli.Screen
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.Screen.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
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
