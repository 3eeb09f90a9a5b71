package main

import (
	"fmt"
	"os"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/spf13/cobra"
)

// signingKeyEnv names the file with the secret signing key.
const signingKeyEnv = "ASSAY_SIGNING_KEY"

const signHelp = `Sign engines, so that workers whose owners trust your key play them, and the owners need
not approve each build. The signature is written beside the engine, as ENGINE` + wire.SignatureSuffix + `. It is an
Ed25519 signature of the file's name and SHA-256.

A worker does not fetch engines. Copy both files into the folder of its owner in any way
you like, also while the worker runs:

  assay sign --new-key dev.key --name dev      # once; prints a line with the public key
  assay sign build/engine-0124 --key dev.key   # for each build

  assay work URL --engines DIR --trust LIST    # the owner, who has put the line into LIST

To stop trusting a build, the owner deletes it from DIR. To stop trusting a key, the owner
deletes its line from LIST and restarts the worker.`

func newSignCommand() *cobra.Command {
	var key, newKey, name string
	cmd := &cobra.Command{
		Use:   "sign ENGINE...",
		Short: "Sign engines, so that workers whose owners trust you play them",
		Long:  signHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if newKey != "" {
				if len(args) > 0 {
					return usagef("--new-key makes a key and does not take an ENGINE: sign with --key afterwards")
				}
				return writeKey(cmd, newKey, name, wire.NewSigningKey, "the machine where you sign. Those who trust it add this line to their list (assay work --trust)")
			}
			if key == "" {
				key = os.Getenv(signingKeyEnv)
			}
			if key == "" {
				return usagef("want a key to sign with: pass its file with --key or %s, or make one with --new-key", signingKeyEnv)
			}
			if len(args) == 0 {
				return usagef("want an engine to sign: assay sign ENGINE...")
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
	fs.StringVar(&newKey, "new-key", "", "make a key for --name, write it to this file, print the line for the lists of those who trust it, and exit")
	fs.StringVar(&name, "name", "", "with --new-key: name of the signer")
	return cmd
}
