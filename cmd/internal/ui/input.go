package ui

import (
	"context"
	"io"
	"sync"

	"github.com/spf13/cobra"
)

// input copies the standard input from the first read on: a command that does not read it leaves it to a loop of the
// shell around it.
type input struct {
	io.Reader
	start func()
}

func (i *input) Read(p []byte) (int, error) {
	i.start()
	return i.Reader.Read(p)
}

// Input returns the standard input of a command as a reader that ends with the command's context, even while it
// waits for a line.
func Input(cmd *cobra.Command) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(cmd.Context(), func() { w.CloseWithError(context.Cause(cmd.Context())) })
	return &input{r, sync.OnceFunc(func() {
		go func() {
			_, err := io.Copy(w, cmd.InOrStdin())
			w.CloseWithError(err)
		}()
	})}
}
