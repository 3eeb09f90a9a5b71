package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/assay/internal/report"
)

func newServeCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show runs in a browser while they are in progress",
		Long: `Show the runs in DIR (default: ` + runsDir + `) in a browser: a list of them, a page for each that
follows the run, any of its games on a board, and two runs side by side. A run that was
killed is shown as interrupted, with the command that resumes it. If other machines play
its games (assay work), the page lists these workers: games/s, share of the games, when
each was last seen, its version and its failures. /run/NAME/workers.json is the same list.

The server only reads, and shows no run with a link out of its folder. It listens on this machine only, unless --listen gives another
address; everyone who can reach it can read every run.`,
		Example: `  assay serve
  assay serve runs --listen 127.0.0.1:9000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := runsDir
			if len(args) == 1 {
				dir = args[0]
				if info, err := os.Stat(dir); err != nil {
					return fmt.Errorf("%w; want a folder of runs", err)
				} else if !info.IsDir() {
					return fmt.Errorf("%s is a file; want a folder of runs", dir)
				}
			}
			return serve(cmd.Context(), dir, listen, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8347", "address to listen on; port 0 is any free port")
	return cmd
}

func serve(ctx context.Context, dir, listen string, stderr io.Writer) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("%w; give another address with --listen", err)
	}
	fmt.Fprintf(stderr, "serve: http://%s/ (press Ctrl-C to stop)\n", l.Addr())
	server := &http.Server{
		Handler:           (&report.Server{Dir: dir}).Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends the streams
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
