package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// New returns the command assay report.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "Make a web page of a run: its settings, its results, its games",
		Long: `Write report.html into the folder of each run: one page that loads nothing from elsewhere
and opens in any browser. A run is a folder, or a name in ` + Dir + `. A run that is in progress, or was
interrupted, is shown as far as it got.`,
		Example: "  assay report runs/night",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := []string{}
			for _, arg := range args {
				dir := findRun(arg)
				page, err := Write(dir)
				if err != nil {
					return fmt.Errorf("report of %s: %w", dir, err)
				}
				if pages = append(pages, page); !ui.WantsJSON(cmd) {
					quote.Fprintf(cmd.OutOrStdout(), "%s\n", page)
				}
			}
			return ui.Show(cmd, map[string]any{"pages": pages}, ui.Text(""))
		},
	}
	ui.JSON(cmd)
	return cmd
}

// Follow writes the page of a run again and again, until the function that it returns is called. It takes a
// hundredth of a processor core at most. A run that is not saved has no page.
func Follow(dir string) (stop func()) {
	if dir == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		followed := false
		for pause := followEvery; ; {
			select {
			case <-ctx.Done():
				if followed { // the last page says that the run goes on
					_, _ = Write(dir)
				}
				return
			case <-time.After(pause):
			}
			began := time.Now()
			_, err := Write(dir) // the run writes at the same time: what this page misses, the next one shows
			followed = followed || err == nil
			pause = max(followEvery, 100*time.Since(began))
		}
	}()
	return func() { cancel(); <-done }
}

// followEvery is the time between two pages of a run.
const followEvery = 15 * time.Second

// Leave writes the page of a run that has ended, unless it was written after the result, and prints its path. A run
// that is not saved has no folder, and gets no page.
func Leave(dir string, stderr io.Writer) {
	if dir == "" {
		return
	}
	page := filepath.Join(dir, Name)
	written, err := os.Stat(page)
	result, err2 := os.Stat(filepath.Join(dir, durable.RunResultName))
	if err != nil || err2 != nil || !written.Mode().IsRegular() || written.ModTime().Before(result.ModTime()) {
		page = WriteOrWarn(dir, stderr)
	}
	if page != "" {
		quote.Fprintf(stderr, "report: %s\n", page)
	}
}

// WriteOrWarn writes the page of a run and returns its path. The run itself is complete, so
// an error here is only a warning, and there is no path.
func WriteOrWarn(dir string, stderr io.Writer) string {
	page, err := Write(dir)
	if err != nil {
		fmt.Fprintf(stderr, "report: warning: no page was written for %s: %v\n", dir, err)
		return ""
	}
	return page
}

// NewServe returns the command assay serve.
func NewServe() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show runs in a browser while they are in progress",
		Long: `Show the runs in DIR (default: ` + Dir + `) in a browser: a list of them, and the page of each,
which reloads while the run goes on. A run that was killed is shown as interrupted,
with the command that resumes it. If other machines play its games (assay work), the page
lists these workers: games/s, share of the games, when each was last seen, its version and its
failures.

The server only reads. It listens on this machine only, unless --listen gives another address;
everyone who can reach it can read every run.`,
		Example: `  assay serve
  assay serve runs --listen 127.0.0.1:9000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := Dir
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

// requestTime is how long a request may take to be read, and its answer to be written.
const requestTime = 30 * time.Second

func serve(ctx context.Context, dir, listen string, stderr io.Writer) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("%w; give another address with --listen", err)
	}
	ui.Quiet(stderr)
	fmt.Fprintf(stderr, "serve: http://%s/ (press Ctrl-C to stop)\n", l.Addr())
	server := &http.Server{Handler: Handler(dir), ReadTimeout: requestTime, WriteTimeout: requestTime,
		IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Dir is where long commands keep their runs, in the working directory.
const Dir = "runs"

// NewRuns returns the command assay runs.
func NewRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "runs [DIR]",
		Short:   "List runs, their state, and the command that resumes each",
		Example: "  assay runs",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := Dir
			if len(args) == 1 {
				dir = args[0]
				if _, err := os.Stat(dir); err != nil {
					return ui.Usagef("%w; want a folder of runs (default: %s)", err, Dir)
				}
				if Exists(dir) {
					return ui.Usagef("%s is a run; type assay report %s", dir, quote.Word(dir))
				}
			}
			runs, err := durable.List(dir)
			if err != nil {
				return err
			}
			list, t := []runJSON{}, ui.Table{Head: []string{"name", "state", "command", "last change", "resume with"}}
			for _, r := range runs {
				j := runJSON{Name: r.Name, Dir: r.Dir, State: r.State, Command: r.Info.Command, Resume: r.Info.Resume,
					Updated: r.Updated}
				resume := j.Resume
				if r.State == durable.Complete || r.State == durable.Running {
					resume = "-"
				}
				if r.Err != nil {
					j.Error = r.Err.Error()
					resume = j.Error
				}
				list = append(list, j)
				t.Add("%s\t%s\t%s\t%s\t%s", r.Name, r.State, r.Info.Command, r.Updated.Format(time.DateTime), resume)
			}
			return ui.Show(cmd, map[string]any{"runs": list}, func(w io.Writer) error {
				if len(list) == 0 {
					fmt.Fprintf(w, "no runs in %s\n", dir)
					return nil
				}
				return t.Print(w)
			})
		},
	}
	ui.JSON(cmd)
	return cmd
}

type runJSON struct {
	Name    string        `json:"name"`
	Dir     string        `json:"dir"`
	State   durable.State `json:"state"`
	Command string        `json:"command"`
	Resume  string        `json:"resume"`
	Updated time.Time     `json:"updated"`
	Error   string        `json:"error,omitempty"`
}

// findRun returns the folder of a run, given its path or its name in Dir.
func findRun(arg string) string {
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return arg
	}
	if arg == filepath.Base(arg) {
		if named := filepath.Join(Dir, arg); Exists(named) {
			return named
		}
	}
	return arg
}

// Exists reports whether the folder has a run to resume.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, durable.RunConfigName))
	return err == nil
}
