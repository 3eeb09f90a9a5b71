// Package ui is what the commands share: progress, JSON output, usage errors, flags with
// old spellings, advice on errors, texts of tables. It has no commands and knows none.
package ui

import (
	"encoding/json"
	"fmt"
	"io"
)

// PrintJSON writes v as one JSON object on a line of its own.
func PrintJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
