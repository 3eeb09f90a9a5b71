package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/cluster/worker"
)

// workFlags are the flags of assay work.
type workFlags struct {
	cores       int
	nice        int
	hours       string
	name        string
	credentials string
	engines     []string
	signed      string
	trust       string
	library     string
	wait        time.Duration
	newKey      string
	rights      string
}

const workHelp = `Lend this machine: play games for whoever runs assay selfplay, match, ladder, spsa or
learn with --serve or --nats, until Ctrl-C. The games are, to the byte, those that the
other machine would have played; what was begun is finished and sent before the worker
leaves. A run that ends, or is not there yet, is waited for.

A worker plays only with the version of assay that the run has, and proves in a short game
that its build plays the same. It fetches weights, and nothing that it would run: a
foreign engine is played only if it is the same file, of the same name and to the byte, as
the coordinator's, and the worker's owner either

  names the program:    --engine PATH (what is there now is allowed, and nothing else), or
  trusts who signed it: --engines DIR --trust LIST. DIR holds engines, and with each ENGINE
                        its ENGINE` + wire.SignatureSuffix + `, as assay sign makes it; they may come while
                        the worker works. LIST has lines NAME PUBLICKEY.

A worker that has not all engines of a run leaves, and says to both sides what is missing.
A program's arguments, and options of it that name files, are not taken from elsewhere.

Credentials come from a file or the environment, at the worker and at the coordinator:

  ASSAY_TOKEN         a secret that all share, and that goes over the wire; or, better, a
                      key for each worker, which stays where it is:
  ASSAY_CREDENTIALS   the file with the key, as --new-key makes it, of a worker, and of a
                      coordinator with --nats; or a .creds file of NATS
  ASSAY_WORKER_KEYS   with --serve, the list of the workers' names and public keys
  ASSAY_TLS_CERT, ASSAY_TLS_KEY  with --serve, the server's certificate and key, in PEM
                      files: what goes over the wire is encrypted then, and the address
                      is tls://
  ASSAY_TLS_CA        at the worker, and with --nats, a PEM file with the certificate that
                      signed the server's, if the system does not know it

Without credentials a coordinator with --serve serves this machine only.

NATS servers that are there (--nats), with JetStream, have the keys in a file of their own,
which --rights makes of such a list. Each worker may do there what it must, and the key
called coordinator, which is for whoever starts runs, everything. Three servers that are a
cluster keep the queue three times: one of them may fail, and when the others have chosen
another leader, after some ten seconds at most, the run goes on.`

func newWorkCommand() *cobra.Command {
	var f workFlags
	cmd := &cobra.Command{
		Use:   "work URL",
		Short: "Lend this machine: play games for a run on another",
		Long:  workHelp,
		Example: `  assay selfplay --out games --games 100000 --serve 127.0.0.1:4222   # here,
  assay work nats://127.0.0.1:4222                                   # and in as many terminals as you like

  assay work --new-key bob.key --name bob            # once; send the line that it prints
  assay work tls://big.example.org:4222 --credentials bob.key --concurrency 6 --hours 22-7

  assay work --new-key coordinator.key --name coordinator >>list   # for servers that are there:
  assay work --new-key bob.key --name bob >>list
  assay work --rights list >assay.conf                             # in nats-server.conf: include assay.conf
  ASSAY_CREDENTIALS=coordinator.key assay selfplay --out games --nats nats://one:4222,nats://two:4222,nats://three:4222`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && (f.newKey != "" || f.rights != "") {
				return usagef("--new-key and --rights work for nobody: leave out the URL")
			}
			if f.newKey != "" {
				return writeKey(cmd, f.newKey, f.name, wire.NewKey, "its owner's machine. The coordinator's list ("+keysEnv+")")
			}
			if f.rights != "" {
				return writeRights(cmd.OutOrStdout(), f.rights)
			}
			if len(args) != 1 {
				return usagef("the URL of a coordinator's server is missing, as nats://HOST:4222")
			}
			return f.work(cmd, args[0])
		},
	}
	fs := cmd.Flags()
	concurrencyFlag(cmd, &f.cores, "games at once (default: one a core)")
	fs.IntVar(&f.nice, "nice", 10, "niceness, 0 to 19: how readily this work makes way for other work")
	fs.StringVar(&f.hours, "hours", "", "hours of the day, local time, in which to work, as 22-7 (default: always)")
	fs.StringVar(&f.name, "name", "", "name of this worker (default: that of its key, or of the machine and the process)")
	fs.StringVar(&f.credentials, "credentials", "", "file with this worker's key (default: "+credentialsEnv+")")
	fs.StringArrayVar(&f.engines, "engine", nil, "foreign engine that may be played here: path of the program; may be given several times")
	fs.StringVar(&f.signed, "engines", "", "folder of foreign engines that may be played here if somebody of --trust signed them")
	fs.StringVar(&f.trust, "trust", "", "list of those whose signatures are believed: lines NAME PUBLICKEY, as assay sign --new-key prints them")
	fs.StringVar(&f.library, "library", "", "folder that keeps weights (default: in the user's cache)")
	fs.DurationVar(&f.wait, "wait", 0, "leave after so long without work, hours of rest included (default: never)")
	fs.StringVar(&f.newKey, "new-key", "", "make a key for --name, write it to this file, print the line for the coordinator's list, and end")
	fs.StringVar(&f.rights, "rights", "", "print what a server for --nats has to say of the keys in this list in its nats-server.conf, and end")
	return cmd
}

// writeKey writes a new key of the name to a file, and the line for the list of others,
// which has a use, to standard output.
func writeKey(cmd *cobra.Command, path, name string, create func(name string) ([]byte, string, error), use string) error {
	if name == "" {
		return usagef("--new-key needs a --name")
	}
	private, line, err := create(name)
	if err != nil {
		return usageError{err}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: a key is not overwritten; name another file", err)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(private)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s is secret: it stays on %s gets this line:\n", cmd.Name(), path, use)
	_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
	return err
}

// writeRights writes what a server elsewhere has to know of the keys in a list.
func writeRights(to io.Writer, list string) error {
	keys, err := wire.ReadKeys(list)
	if err != nil {
		return err
	}
	text, err := broker.Conf(keys)
	if err != nil {
		return fmt.Errorf("%s: %w", list, clusterAdvice(err))
	}
	_, err = io.WriteString(to, text)
	return err
}

func (f *workFlags) work(cmd *cobra.Command, url string) error {
	p := newProgress(cmd.ErrOrStderr(), "work")
	w, err := f.worker(url, p.say)
	if err != nil {
		return err
	}
	if err := setNice(f.nice); err != nil {
		return fmt.Errorf("--nice %d: %w", f.nice, err)
	}
	engines, err := w.Engines.Describe()
	if err != nil {
		return err
	}
	for _, line := range engines {
		p.say(line)
	}
	ctx := cmd.Context()
	told := make(chan struct{})
	untold := context.AfterFunc(ctx, func() {
		defer close(told)
		p.say("finishing the games under way; Ctrl-C again leaves at once, and others play them")
	})
	reporting, stop := context.WithCancel(ctx)
	defer stop()
	go reportWork(reporting, w, p.say)
	err = w.Run(ctx)
	if !untold() {
		<-told // before what was done
	}
	t := w.Tally()
	if t.Units == 0 && err != nil {
		p.finish("nothing was played")
	} else {
		p.finish(fmt.Sprintf("%d games and %d checks of openings", t.Games, t.Units-t.Games))
	}
	if errors.Is(err, worker.ErrIdle) {
		return nil // as it was told
	}
	return clusterAdvice(err)
}

// worker makes a worker of the flags, which tells what happens.
func (f *workFlags) worker(url string, tell func(string)) (*worker.Worker, error) {
	if err := wire.CheckURL(url); err != nil {
		return nil, usageError{err}
	}
	if f.cores < 0 || f.wait < 0 {
		return nil, usagef("--concurrency %d, --wait %v: want 0 or more", f.cores, f.wait)
	}
	w := &worker.Worker{Open: roster.Open, Program: programVersion(), Cores: f.cores, Measure: measureSpeed, Wait: f.wait, Library: f.library, Log: tell}
	w.Access = wire.Access{URL: url, Name: f.name, Token: takeToken(), Credentials: f.credentials}
	if w.Access.Credentials == "" {
		w.Access.Credentials = os.Getenv(credentialsEnv)
	}
	var err error
	if w.Access.TLS, err = clientTLS(); err != nil {
		return nil, err
	}
	if w.Access.Name == "" {
		if w.Access.Name, err = wire.KeyName(w.Access.Credentials); err != nil {
			return nil, err
		}
	}
	if w.Access.Name == "" {
		w.Access.Name = machineName()
	}
	if err := wire.CheckName(w.Access.Name); err != nil {
		return nil, usageError{err}
	}
	if f.hours != "" {
		h, err := parseHours(f.hours)
		if err != nil {
			return nil, err
		}
		w.Resting = h.rest(time.Now, tell)
	}
	if w.Engines, err = f.allowed(); err != nil {
		return nil, err
	}
	if w.Library == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("%w; name a folder with --library", err)
		}
		w.Library = filepath.Join(cache, "assay", "weights")
	}
	if err := durable.MakeDir(w.Library); err != nil {
		return nil, fmt.Errorf("%w; weights are kept there: name another folder with --library", err)
	}
	return w, nil
}

// allowed returns the foreign engines that may be played here.
func (f *workFlags) allowed() (*worker.AllowedEngines, error) {
	if (f.signed == "") != (f.trust == "") {
		return nil, usagef("--engines is the folder of what may be played if it is signed, and --trust the list of who may sign: give both")
	}
	var trusted []wire.Key
	if f.trust != "" {
		var err error
		if trusted, err = wire.ReadTrusted(f.trust); err != nil {
			return nil, err
		}
	}
	return worker.AllowEngines(f.engines, f.signed, trusted)
}

// machineName returns a name that no other worker has, as far as the machine knows.
func machineName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "worker"
	}
	host = strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-') {
			return r
		}
		return '-'
	}, host)
	host = strings.TrimLeft(host, "-")
	return fmt.Sprintf("%.32s-%d", "w"[:max(0, 1-len(host))]+host, os.Getpid())
}

// reportEvery is how often a worker says what it did.
const reportEvery = time.Minute

// reportWork says every minute what was done in it.
func reportWork(ctx context.Context, w *worker.Worker, say func(string)) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	last := w.Tally()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		t := w.Tally()
		say(fmt.Sprintf("%d games, %.0f nodes/s in the last minute; %d games in all", t.Games-last.Games, float64(t.Nodes-last.Nodes)/reportEvery.Seconds(), t.Games))
		last = t
	}
}
