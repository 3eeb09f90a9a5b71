// Package ui is what the commands share: the terminal, progress, tables, JSON output, usage errors, advice on
// errors. It has no commands and knows none.
package ui

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
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
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), v)
	}
	return print(cmd.OutOrStdout())
}

// PrintJSON writes v as one JSON object on a line of its own.
func PrintJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
