// Package ui is what the commands share: the terminal, progress, tables, JSON output, usage errors. It
// has no commands and knows none; the cures of errors are in package app.
package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/search"
)

// JSON adds the flag --json to a command that calls Show.
func JSON(cmd *cobra.Command) { cmd.Flags().Bool("json", false, "print one JSON object") }

// WantsJSON reports whether the command was called with --json.
func WantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	return f != nil && f.Value.String() == "true"
}

// Show prints what a command found: v as one JSON object with --json, and else what print writes.
func Show(cmd *cobra.Command, v any, print func(io.Writer) error) error {
	if !WantsJSON(cmd) {
		return print(cmd.OutOrStdout())
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", data)
	return err
}

// Text returns a function that prints a text, for Show. What others wrote is quoted.
func Text(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := quote.Fprintf(w, format, args...)
		return err
	}
}

// SilentFlag is the annotation of a flag that changes no result: CommandLine leaves it out.
const SilentFlag = "assay_silent"

// Silent annotates flags that change no result.
func Silent(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = fs.SetAnnotation(name, SilentFlag, nil) // an error says that there is no such flag
	}
}

// ShortHelpFlag is the annotation of a flag that --help shows. The other flags of its command are in
// assay help COMMAND --all.
const ShortHelpFlag = "assay_short_help"

// ShortHelp annotates the flags that a short help shows: those that are used most.
func ShortHelp(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = fs.SetAnnotation(name, ShortHelpFlag, nil) // a test finds a wrong name
	}
}

// Choice adds a flag that takes one of some words.
func Choice(fs *pflag.FlagSet, to *string, name, standard, usage string, words ...string) {
	*to = standard
	fs.Var(&choice{to, words}, name, usage)
}

type choice struct {
	to    *string
	words []string
}

func (c *choice) Type() string   { return "string" }
func (c *choice) String() string { return *c.to }

// Set takes a word. The error says which there are.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		last := len(c.words) - 1
		return fmt.Errorf("want %s or %s", strings.Join(c.words[:last], ", "), c.words[last])
	}
	*c.to = text
	return nil
}

// CommandLine returns the command line that does again what cmd was asked to do, quoted for a shell.
func CommandLine(cmd *cobra.Command, args []string) string {
	return FlagLine(cmd.CommandPath(), cmd.Flags(), args)
}

// FlagLine is CommandLine for a command of the name, with its flags.
func FlagLine(command string, flags *pflag.FlagSet, args []string) string {
	words := append(strings.Fields(command), args...)
	flags.Visit(func(f *pflag.Flag) {
		if _, silent := f.Annotations[SilentFlag]; silent {
			return
		}
		switch list, isList := f.Value.(pflag.SliceValue); {
		case f.NoOptDefVal != "": // bool, or one that needs no value
			words = append(words, "--"+f.Name+"="+f.Value.String())
		case isList && f.Value.Type() == "stringArray":
			for _, v := range list.GetSlice() {
				words = append(words, "--"+f.Name, v)
			}
		case isList: // pflag prints it in brackets, which it does not read
			text := f.Value.String()
			words = append(words, "--"+f.Name, text[1:len(text)-1])
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return Words(words)
}

// Words quotes words for a shell, and joins them to a command line.
func Words(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote.Word(w)
	}
	return strings.Join(quoted, " ")
}

// input copies the standard input from the first read on: a command that does not read it leaves it to a loop of the
// shell around it.
type input struct {
	io.Reader
	start func()
}

func (i *input) Read(p []byte) (int, error) {
	i.start()
	return i.Reader.Read(p)
}

// Input returns the standard input of a command as a reader that ends with the command's context, even while it
// waits for a line.
func Input(cmd *cobra.Command) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(cmd.Context(), func() { w.CloseWithError(context.Cause(cmd.Context())) })
	return &input{r, sync.OnceFunc(func() {
		go func() {
			_, err := io.Copy(w, cmd.InOrStdin())
			w.CloseWithError(err)
		}()
	})}
}

// number is the program's own version. Together with the bench signature, which
// changes whenever search or evaluation does, it says what made a file.
const number = "0.1.0"

// Version returns what every file that assay writes names as its maker.
func Version() string {
	return fmt.Sprintf("assay %s bench %d", number, search.Signature)
}

// The memory limit, in bytes, of a run that plays external engines only. The heap needs a few megabytes, and a tenth
// of one for each game, except while a shard of games is compressed; without a limit it would stay that large
// afterwards. A limit near the live heap would have the collector run all the time, and engines lose on time.
const foreignMemory, gameMemory = 24 << 20, 512 << 10

// SmallChecker is the engine that checks openings in such a run. Its hash table is small for the same reason.
var SmallChecker = engine.Spec{Name: "assay", Options: []engine.Option{{Name: "hash", Value: "1"}}}

// LimitMemory limits the memory of this process, which plays that many games at once, to leave it to external engines.
// GOMEMLIMIT overrides it.
func LimitMemory(games int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(foreignMemory + int64(games)*gameMemory)
	}
}

// LimitThreads limits the threads that run Go at once, until end is called. It is for a run that plays that many
// games at once, all of them between external engines, and so only waits: a second thread would wake up for each
// line of an engine, to look for more work. Hundreds of games need more threads than there are cores: each waits behind
// engines for its turn, while answers wait for it. GOMAXPROCS in the environment overrides it.
func LimitThreads(games int) (end func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(max(1+games/16, min(1+games/8, runtime.GOMAXPROCS(0))))
	return runtime.SetDefaultGOMAXPROCS
}
