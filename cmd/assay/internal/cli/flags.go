package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AliasFlag makes --old another spelling of the flag --current of cmd. Help and errors
// name only the current spelling. Old spellings stay for one version.
func AliasFlag(cmd *cobra.Command, old, current string) {
	fs := cmd.Flags()
	next := fs.GetNormalizeFunc()
	fs.SetNormalizeFunc(func(f *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == old {
			name = current
		}
		return next(f, name)
	})
}

// ConcurrencyFlag registers --concurrency, how many games are played at once, with the
// spellings that other programs and earlier versions use.
func ConcurrencyFlag(cmd *cobra.Command, games *int, usage string) {
	cmd.Flags().IntVar(games, "concurrency", 0, usage)
	for _, old := range []string{"workers", "cores", "procs"} {
		AliasFlag(cmd, old, "concurrency")
	}
}
