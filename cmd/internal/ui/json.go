// Package ui is what the commands share: the terminal, progress, tables, JSON output, usage errors. It
// has no commands and knows none; the cures of errors are in package app.
package ui

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/engine/quote"
)

// JSON adds the flag --json to a command that calls Show.
func JSON(cmd *cobra.Command) { cmd.Flags().Bool("json", false, "print one JSON object") }

// WantsJSON reports whether the command was called with --json.
func WantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	return f != nil && f.Value.String() == "true"
}

// Output is where a command prints.
type Output struct {
	Out, Err io.Writer
	JSON     bool // print one JSON object
}

// OutputOf returns where a command prints.
func OutputOf(cmd *cobra.Command) Output {
	return Output{cmd.OutOrStdout(), cmd.ErrOrStderr(), WantsJSON(cmd)}
}

// Show prints what was found: v as one JSON object with --json, and else what print writes.
func (o Output) Show(v any, print func(io.Writer) error) error {
	if o.JSON {
		return PrintJSON(o.Out, v)
	}
	return print(o.Out)
}

// Show prints what a command found.
func Show(cmd *cobra.Command, v any, print func(io.Writer) error) error {
	return OutputOf(cmd).Show(v, print)
}

// Text returns a function that prints a text, for Show. What others wrote is quoted.
func Text(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := quote.Fprintf(w, format, args...)
		return err
	}
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
