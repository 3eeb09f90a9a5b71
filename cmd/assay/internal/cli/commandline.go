package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CommandLine returns the command line that does again what cmd was asked to do, quoted for a
// shell. Concurrency, workers, json and all, which change no result, are left out.
func CommandLine(cmd *cobra.Command, args []string) string {
	words := CommandWords(cmd, args)
	for i, w := range words {
		words[i] = ShellQuote(w)
	}
	return strings.Join(words, " ")
}

// CommandWords returns the words of CommandLine.
func CommandWords(cmd *cobra.Command, args []string) []string {
	words := append(strings.Fields(cmd.CommandPath()), args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"concurrency", "workers", "json", "all"}, f.Name) {
			return
		}
		switch value := f.Value.String(); f.Value.Type() {
		case "bool":
			words = append(words, "--"+f.Name+"="+value)
		case "stringArray":
			for _, v := range f.Value.(pflag.SliceValue).GetSlice() {
				words = append(words, "--"+f.Name, v)
			}
		case "stringSlice": // pflag prints it in brackets, as the commas and quotes that it reads
			words = append(words, "--"+f.Name, strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"))
		default:
			words = append(words, "--"+f.Name, value)
		}
	})
	return words
}
