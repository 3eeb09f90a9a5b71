package app

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/cmd/assay/guide"
	"github.com/assay-chess/assay/cmd/internal/opts"
	"github.com/assay-chess/assay/cmd/internal/translate"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// addTemplates adds what the templates of helpText call. cobra keeps it in one map for all commands.
var addTemplates = sync.OnceFunc(func() {
	cobra.AddTemplateFunc("overview", overview)
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	cobra.AddTemplateFunc("paragraphs", paragraphs)
})

// helpText makes the help of a command with many flags short, unless all of it is wanted, and fit a
// terminal.
func helpText(root *cobra.Command) {
	addTemplates()
	const flags = "\n\nFlags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	usage := strings.Replace(root.UsageTemplate(), flags, "\n\n{{flagUsages . | trimTrailingWhitespaces}}", 1)
	usage, _, _ = strings.Cut(usage, "{{if .HasAvailableSubCommands}}\n\nUse ")
	root.SetUsageTemplate(usage + "\n")
	root.SetHelpTemplate(`{{if .HasParent}}{{with (or .Long .Short)}}{{paragraphs $ .}}

{{end}}{{.UsageString}}{{else}}{{overview .}}{{end}}`)
}

// overview is the help of the root: all commands, on one screen.
func overview(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", root.Long, root.Example)
	for _, group := range root.Groups() {
		fmt.Fprint(&b, group.Title)
		for _, cmd := range root.Commands() {
			switch {
			case cmd.GroupID != group.ID:
			case group.ID == setUp: // on one line
				fmt.Fprintf(&b, " %s", cmd.Name())
			default:
				fmt.Fprintf(&b, "\n  %-10s %s", cmd.Name(), cmd.Short)
			}
		}
		fmt.Fprintln(&b)
	}
	return b.String() + "Flags and examples: assay COMMAND --help. Everything: assay help COMMAND --all.\n"
}

// everything is the annotation of a command whose help has all of its flags and text.
const everything = "assay_everything"

// shortHelp returns the flags that a short help shows; nil if the help has everything.
func shortHelp(cmd *cobra.Command) *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	for _, group := range opts.Grouped(cmd.Flags()) {
		group.VisitAll(func(f *pflag.Flag) {
			if _, shown := f.Annotations[ui.ShortHelpFlag]; shown {
				fs.AddFlag(f)
			}
		})
	}
	if _, wanted := cmd.Annotations[everything]; wanted || cmd.Flags().Changed("all") || !fs.HasFlags() {
		return nil
	}
	return fs
}

// columns returns the width of a help. The root knows the terminal: cobra has the command itself write into memory.
func columns(cmd *cobra.Command) int { return cmp.Or(ui.Columns(cmd.Root().OutOrStdout()), 80) }

func flagUsages(cmd *cobra.Command) string {
	columns, all := columns(cmd), cmd.LocalFlags()
	if fs := shortHelp(cmd); fs != nil {
		return fmt.Sprintf("Usual flags:\n%s\nAll flags, and how it works: assay help %s --all",
			fs.FlagUsagesWrapped(columns), strings.TrimPrefix(cmd.CommandPath(), "assay "))
	}
	groups := opts.Grouped(cmd.Flags())
	if len(groups) < 2 {
		return "Flags:\n" + all.FlagUsagesWrapped(columns)
	}
	var b strings.Builder
	for _, group := range groups {
		b.WriteString(group.Name() + ":\n" + group.FlagUsagesWrapped(columns) + "\n")
	}
	return b.String()
}

// paragraphs returns the text of a help, of a short one the first paragraph.
func paragraphs(cmd *cobra.Command, text string) string {
	text = strings.TrimRight(text, " \n")
	if shortHelp(cmd) != nil {
		text, _, _ = strings.Cut(text, "\n\n")
	}
	return ui.Reflow(text, columns(cmd))
}

func newHelpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "help [COMMAND]...",
		Short:   "Show how to use a command; with --all, everything about it",
		Example: "  assay help match\n  assay help match --all\n  assay help data import",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if parent, _, err := cmd.Root().Find(args); err == nil {
				for _, child := range parent.Commands() {
					names = append(names, child.Name()+"\t"+child.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	all := cmd.Flags().Bool("all", false, "show all flags and the whole text")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		about, rest, err := cmd.Root().Find(args)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("unknown command %q for %q%s", rest[0], about.CommandPath(),
				ui.DidYouMean(rest[0], "", commandNames(about)))
		}
		if err != nil {
			return ui.Usage(err)
		}
		if *all {
			about.Annotations = map[string]string{everything: ""}
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
	return cmd
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, child := range cmd.Commands() {
		names = append(names, child.Name())
	}
	return names
}

// bashWords is what cobra's script for bash calls of the package bash-completion, if that is not loaded. Words
// end at blanks alone: = and : are in many arguments of assay.
const bashWords = `# Works without the package bash-completion.
declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=("")
    cword=$((${#words[@]} - 1))
    cur=${words[cword]} prev=${words[cword - 1]}
}

`

func newCompletionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that completes commands and flags in a shell",
		Example: `  source <(assay completion bash)    # in ~/.bashrc
  source <(assay completion zsh)     # in ~/.zshrc, after compinit
  assay completion fish >~/.config/fish/completions/assay.fish
  assay completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			if _, err := io.WriteString(out, bashWords); err != nil {
				return err
			}
			return root.GenBashCompletionV2(out, true)
		},
	}
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the bench signature and the build",
		Long: `Print the version and the bench signature, which files record as their maker, then the Go version
and the target of the build. Two builds with the same signature play the same games with the same
settings. On amd64 the last line says which instruction set level this machine has; a build for v3
is faster than one for v1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s %s\n", ui.Version(), runtime.Version(), durable.BuildTarget())
			if text := levelAdvice(durable.BuildTarget(), cpuid.CPU.X64Level()); text != "" {
				fmt.Fprintln(cmd.OutOrStdout(), text)
			}
			return nil
		},
	}
}

// levelAdvice says which builds a machine runs, and whether one is faster than this.
func levelAdvice(build string, level int) string {
	switch {
	case level == 0: // not amd64
		return ""
	case level >= 3 && build < "amd64/v3":
		return fmt.Sprintf("this machine runs amd64/v%d: the build for amd64/v3 is faster", level)
	}
	return fmt.Sprintf("this machine runs amd64/v%d", level)
}

func newGuideCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "guide [NAME | NUMBER]",
		Short:   "Print a guide: test a patch, tune your engine, step by step",
		Long:    "Print a guide for authors of engines, as Markdown; without NAME, list all of them.",
		Example: "  assay guide test-my-patch",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			var t ui.Table
			for i, name := range guide.Names {
				text, err := guide.Pages.ReadFile(name + ".md")
				if err != nil {
					return err
				}
				if len(args) == 1 && (args[0] == name || args[0] == strconv.Itoa(i+1)) {
					if columns := ui.Columns(cmd.Root().OutOrStdout()); columns > 0 {
						text = []byte(ui.Reflow(string(text), columns))
					}
					_, err := out.Write(text)
					return err
				}
				title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
				t.Add("%d\t%s\t%s", i+1, name, title)
			}
			if len(args) == 1 {
				return ui.Usagef("there is no guide %q; there are: %s", args[0], strings.Join(guide.Names, ", "))
			}
			return t.Print(out)
		},
	}
}

// swallowed returns an error if a flag took the name of the next flag for its value.
func swallowed(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		value := strings.Trim(f.Value.String(), "[]")
		if name, ok := strings.CutPrefix(value, "--"); ok && cmd.Flags().Lookup(name) != nil {
			err = ui.Usagef("--%s needs a value, but %s follows it", f.Name, value)
		}
	})
	return err
}

// flagsOf returns what knows the flags of a command.
func flagsOf(cmd *cobra.Command) func(string) bool {
	return func(name string) bool { return cmd.Flags().Lookup(name) != nil }
}

func unknownCommand(root *cobra.Command, text string) string {
	var word, parent string
	if _, err := fmt.Sscanf(text, "unknown command %q for %q", &word, &parent); err != nil {
		return text
	}
	first, _, _ := strings.Cut(text, "\n")
	name := strings.TrimPrefix(parent, "assay ")
	if cmd, _, err := root.Find(strings.Fields(parent)[1:]); err == nil && cmd != root {
		return first + cmp.Or(translate.Instead(name, flagsOf(cmd), word), ui.DidYouMean(word, "", commandNames(cmd)),
			translate.Argument(name, flagsOf(cmd), []string{word}))
	}
	if say := translate.Instead(name, flagsOf(root), strings.ToLower(word)); say != "" {
		return first + say
	}
	for _, group := range root.Commands() {
		if cmd, _, err := group.Find([]string{word}); err == nil && cmd != group {
			return first + "; type " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
		}
	}
	return first + ui.DidYouMean(word, "assay ", commandNames(root))
}

// onlyPlayers explains an argument that is no player, but a KEY=VALUE of another runner, a file or a commit.
func onlyPlayers(args []string) error {
	for i, text := range args {
		if i+1 < len(args) && !isFile(text) && isFile(text+" "+args[i+1]) {
			return ui.Usagef("%s is no file; type %s", text, quote.Word(text+" "+args[i+1]))
		}
		if at := strings.IndexAny(text, ":,"); at > 0 && !isFile(text) &&
			strings.ContainsAny(text[:at], `/\`) && isFile(text[:at]) { // a name is none, such as assay:hash=1 beside a build
			return ui.Usagef("%s is no file; type %s", text, quote.Word(strings.TrimSuffix(text[:at]+"?"+text[at+1:], "?")))
		}
		if say := translate.Argument("match", func(flag string) bool { return flag != "pgn" }, []string{text}); say != "" {
			return ui.Usagef("%s is not a player%s", text, say)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// flagError explains an unknown flag: the nearest one, or the way from another runner's
// command line.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 { // its flags belong to no command
		return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: --"); ok {
		return ui.Usagef("--%s needs a value: %s", name, cmd.Flags().Lookup(name).Usage)
	}
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		return ui.Usage(fmt.Errorf("%w%s", err, noFlag(cmd, name)))
	}
	if _, word, ok := strings.Cut(text, "unknown shorthand flag: "); ok {
		if _, word, ok = strings.Cut(word, " in -"); ok {
			return ui.Usage(fmt.Errorf("unknown flag: -%s%s", word, noFlag(cmd, strings.TrimRight(word, "0123456789."))))
		}
	}
	var value, flag string
	_, _ = fmt.Sscanf(text, "invalid argument %q for %q", &value, &flag) // pflag's own text
	_, want, known := strings.Cut(text, " flag: want ")
	text, kind, number := strings.Cut(text, ": strconv.Parse")
	switch {
	case (known || number) && strings.HasPrefix(value, "--"):
		return ui.Usagef("%s needs a value, but %s follows it", flag, value)
	case known:
		return ui.Usagef("%s %s: want %s", flag, value, want)
	case number:
		return ui.Usagef("%s: want %s%s", text, map[bool]string{true: "true or false", false: "a number"}[kind[0] == 'B'],
			inDigits(flag, value))
	}
	return ui.Usage(err)
}

// inDigits says how to write a number that ends with a unit or has an exponent: 10k, 1e6, 8h.
func inDigits(flag, value string) string {
	if value == "" {
		return ""
	}
	unit := map[byte]float64{'k': 1e3, 'K': 1e3, 'm': 1e6, 'M': 1e6, 'h': 1}[value[len(value)-1]]
	number, err := strconv.ParseFloat(value[:len(value)-1], 64)
	if unit == 0 {
		number, err = strconv.ParseFloat(value, 64)
		unit = 1
	}
	text := fmt.Sprintf("%.10g", number*unit)
	if err != nil || text == value || !(number > 0 && number < 1e12) {
		return ""
	}
	return fmt.Sprintf("; type %s %s", flag, text)
}

// noFlag says what to type in place of a flag with one dash or two that the command does not have.
func noFlag(cmd *cobra.Command, name string) string {
	if name == "all" && cmd.HasParent() {
		return "; type assay help " + strings.TrimPrefix(cmd.CommandPath(), "assay ") + " --all for all of the help"
	}
	if name, _, _ = strings.Cut(name, "."); cmd.Flags().Lookup(name) != nil {
		return "; flags have two dashes: --" + name
	}
	for _, name := range []string{name, strings.ToLower(name)} {
		if say := translate.Instead(cmd.Name(), flagsOf(cmd), "--"+name); say != "" {
			return say
		}
	}
	if why := translate.Why("-" + name); why != "" && cmd.Flags().Lookup("win-score") != nil {
		return "; " + why
	}
	return ui.DidYouMean(name, "--", opts.Names(cmd.Flags()))
}

// missingArgument names the first argument of the usage line that is not there.
func missingArgument(cmd *cobra.Command, args []string) string {
	required := 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "[") || strings.HasPrefix(word, "--") {
			break
		}
		if required == len(args) {
			return strings.TrimRight(word, ".")
		}
		required++
	}
	return ""
}
