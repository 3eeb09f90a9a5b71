package ui

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/engine/quote"
)

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
		default:
			words = append(words, "--"+f.Name, FlagText(f))
		}
	})
	for i, w := range words {
		words[i] = quote.Word(w)
	}
	return strings.Join(words, " ")
}

// FlagText returns the value of a flag as on a command line.
func FlagText(f *pflag.Flag) string {
	text := f.Value.String()
	if f.Value.Type() == "stringSlice" { // pflag prints it in brackets, with the commas and quotes that it reads
		text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	return text
}
