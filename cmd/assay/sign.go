package main

import (
	"fmt"
	"os"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/spf13/cobra"
)

// signingKeyEnv names the file with the key of who signs engines.
const signingKeyEnv = "ASSAY_SIGNING_KEY"

const signHelp = `Sign engines, so that those who trust the key play them on their machines and need not
approve each build by hand. The signature, an Ed25519 one of the file's name and SHA-256,
is written beside the engine, as ENGINE` + wire.SignatureSuffix + `.

A worker fetches no engines. Both files go into the folder of its owner by whatever means
the two of you like, when the worker is running too:

  assay sign --new-key dev.key --name dev      # once; prints a line with the public key
  assay sign build/engine-0124 --key dev.key   # for each build

  assay work URL --engines DIR --trust LIST    # at the owner's, who put the line into LIST

To trust a build no more, its owner deletes it from DIR; to trust a key no more, its line
from LIST, and starts the worker again.`

func newSignCommand() *cobra.Command {
	var key, newKey, name string
	cmd := &cobra.Command{
		Use:   "sign ENGINE...",
		Short: "Sign engines, so that workers of those who trust you play them",
		Long:  signHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if newKey != "" {
				if len(args) > 0 {
					return usagef("--new-key makes a key, and signs nothing: sign with --key afterwards")
				}
				return writeKey(cmd, newKey, name, wire.NewSigningKey, "the machine where builds are signed. The list of those who trust it (assay work --trust)")
			}
			if key == "" {
				key = os.Getenv(signingKeyEnv)
			}
			if key == "" {
				return usagef("no key to sign with: name its file with --key or %s, or make one with --new-key", signingKeyEnv)
			}
			if len(args) == 0 {
				return usagef("no engine to sign")
			}
			for _, engine := range args {
				path, err := wire.Sign(engine, key)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&key, "key", "", "file with the secret key (default: "+signingKeyEnv+")")
	fs.StringVar(&newKey, "new-key", "", "make a key for --name, write it to this file, print the line for the lists of those who trust it, and end")
	fs.StringVar(&name, "name", "", "with --new-key: who signs")
	return cmd
}
