package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// Input returns the standard input of a command as a reader that ends with the command's context, even while it
// waits for what is typed.
func Input(cmd *cobra.Command) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, cmd.InOrStdin())
		w.CloseWithError(err)
	}()
	context.AfterFunc(cmd.Context(), func() { w.CloseWithError(context.Cause(cmd.Context())) })
	return r
}
