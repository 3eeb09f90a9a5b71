package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/selfplay"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// server plays the tests of a store in this process. Each has a run folder, and a runner that shares the
// workers of the hub. A server that is started again resumes their folders.
type server struct {
	store   *queue.Store
	hub     *coordinator.Hub
	hooks   *Hooks
	trusted []wire.Key    // whose engines run here
	most    int           // active tests
	room    *room         // memory for the games that are played here
	pause   time.Duration // of the first pause of a test; 0: firstPause
	log     func(string)
	pages   *report.Server
	started time.Time

	mu     sync.Mutex
	active map[string]*activeTest
}

// activeTest is a test that is being played.
type activeTest struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	runner  *coordinator.Coordinator // nil before it has one
	weight  float64
	cores   int
	waits   string   // why it is paused: an error of the machine or its network
	samples []sample // lately, for the rate
}

// sample is how many games were played at a time.
type sample struct {
	at    time.Time
	games int64
}

// run plays tests until ctx ends, and then waits for them to stop.
func (s *server) run(ctx context.Context) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		changed := s.store.Changed()
		switch err := s.schedule(ctx); {
		case transient(err):
			s.log(err.Error())
		case err != nil:
			return err
		}
		select {
		case <-ctx.Done():
			s.mu.Lock()
			active := maps.Clone(s.active)
			s.mu.Unlock()
			for _, a := range active {
				<-a.done
			}
			return nil
		case <-changed:
		case <-tick.C:
			s.sample()
		}
	}
}

// schedule starts the tests that should be active and stops those that should not be.
func (s *server) schedule(ctx context.Context) error {
	next := s.store.Next(s.most)
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, a := range s.active {
		i := slices.IndexFunc(next, func(t queue.Test) bool { return t.Name == name })
		select {
		case <-a.done:
			delete(s.active, name)
			continue
		default:
		}
		if i < 0 {
			a.cancel()
			continue
		}
		a.share(next[i].Weight(), next[i].Cores)
	}
	for _, t := range next {
		if s.active[t.Name] != nil || len(s.active) >= s.most || ctx.Err() != nil {
			continue
		}
		if t.State == queue.Queued {
			if err := s.store.Move(queue.Server, "start", t.Name, ""); errors.Is(err, queue.ErrState) ||
				errors.Is(err, queue.ErrNoTest) {
				continue // a person was faster
			} else if err != nil {
				return err
			}
		}
		playing, cancel := context.WithCancel(ctx)
		a := &activeTest{cancel: cancel, done: make(chan struct{}), weight: t.Weight(), cores: t.Cores}
		s.active[t.Name] = a
		go func() {
			defer cancel()
			s.play(playing, t, a)
			close(a.done)
			s.store.Touch()
		}()
	}
	return nil
}

// share changes the test's share of the machines.
func (a *activeTest) share(weight float64, cores int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.weight != weight || a.cores != cores {
		if a.weight, a.cores = weight, cores; a.runner != nil {
			a.runner.Share(weight, cores)
		}
	}
}

// Times between the tries of a test that the machine or its network stops.
const (
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// play plays a test, and records how it ended, unless it was stopped. While files, room on the disk or the workers'
// server are missing, the test is paused: only a fault of its own makes it fail.
func (s *server) play(ctx context.Context, t queue.Test, a *activeTest) {
	for pause := cmp.Or(s.pause, firstPause); ; pause = min(2*pause, lastPause) {
		err := s.playOnce(ctx, t, a)
		if ctx.Err() != nil {
			return
		}
		if !transient(err) {
			if err != nil && !errors.Is(err, queue.ErrState) && !errors.Is(err, queue.ErrNoTest) {
				s.log(err.Error())
			}
			return
		}
		s.log(fmt.Sprintf("test %s is paused for %v: %v", t.Name, pause, err))
		a.wait(fmt.Sprintf("paused: %v; it is tried again", err))
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		a.wait("")
	}
}

func (a *activeTest) wait(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waits, a.runner = why, nil
}

// playOnce plays a test as far as it comes, and records how it ended.
func (s *server) playOnce(ctx context.Context, t queue.Test, a *activeTest) error {
	log, err := os.OpenFile(s.store.LogPath(t.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		err = s.execute(ctx, t, a, log)
		err = errors.Join(err, log.Close())
	}
	switch {
	case ctx.Err() != nil || transient(err):
		return err
	case err != nil:
		s.log(fmt.Sprintf("test %s failed: %v", t.Name, err))
		return s.store.Move(queue.Server, "fail", t.Name, err.Error())
	}
	return s.complete(t)
}

// execute plays a test, with the engines and files of the store.
func (s *server) execute(ctx context.Context, t queue.Test, a *activeTest, log *os.File) error {
	job, err := s.allowed(t.Job)
	if err != nil {
		return err
	}
	return s.hooks.Run(ctx, job, Place{Dir: s.store.RunDir(t.Name), Log: log, Runner: s.runnerOf(a), Play: s.room.play})
}

// allowed returns a test with paths on this machine in place of the names of its files, or why the
// server does not play it.
func (s *server) allowed(j queue.Job) (queue.Job, error) {
	c := checker{store: s.store, trusted: s.trusted}
	return renamed(j, c.player, c.file)
}

// runnerOf returns what makes the runner of a test.
func (s *server) runnerOf(a *activeTest) RunnerOf {
	return func(out string, replayShare float64, log func(string)) (selfplay.Runner, func(), error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		c := coordinator.Config{Dir: filepath.Join(out, coordinator.DirName), Elsewhere: s.room.play,
			ReplayShare: replayShare, Signature: wire.ReadSignature, Log: log}
		a.runner = s.hub.Coordinator(c, a.weight, a.cores)
		k := a.runner
		return k, func() {
			if err := k.Close(); err != nil {
				log(err.Error())
			}
		}, nil
	}
}

// complete records that a test has ended, and adds the one that follows.
func (s *server) complete(t queue.Test) error {
	sum, err := s.pages.Summary(s.store.RunDir(t.Name))
	if err != nil {
		return err
	}
	result := sum.Text
	if sum.Verdict != "" {
		result = sum.Verdict + ": " + sum.Text
	}
	s.log(fmt.Sprintf("test %s is complete: %s", t.Name, result))
	if t.Then != "" && sum.Verdict == "PASSED" {
		switch err := s.follow(t); {
		case errors.Is(err, queue.ErrAdd): // it may be there since before a crash
			s.log(fmt.Sprintf("test %s: what follows it was not added: %v", t.Name, err))
		case err != nil:
			return err
		}
	}
	return s.store.Move(queue.Server, "complete", t.Name, result)
}

// follow adds the test of the next preset. It has the rights of the first: who approved that
// one, approved both.
func (s *server) follow(t queue.Test) error {
	next := t
	next.Name, next.Then, next.After, next.State, next.Reason = t.Name+"-"+t.Then, "", t.Name, queue.Queued, ""
	if next.Settings = maps.Clone(t.Settings); next.Settings[preset] == "" {
		return fmt.Errorf("%w: %s has no --preset", queue.ErrAdd, t.Name)
	}
	next.Settings[preset] = t.Then
	_, err := s.store.Add(next)
	return err
}

const (
	sampleEvery = 3 * time.Second
	samplesKept = 20
)

// sample notes how many games were played.
func (s *server) sample() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.active {
		a.mu.Lock()
		if a.runner != nil {
			a.samples = append(a.samples, sample{time.Now(), a.runner.Usage().Games})
			a.samples = a.samples[max(0, len(a.samples)-samplesKept):]
		}
		a.mu.Unlock()
	}
}

// rate returns the games a second lately.
func (a *activeTest) rate() float64 {
	if len(a.samples) < 2 {
		return 0
	}
	first, last := a.samples[0], a.samples[len(a.samples)-1]
	return float64(last.games-first.games) / last.at.Sub(first.at).Seconds()
}

// status is a test as scripts and pages see it.
type status struct {
	queue.Test
	Args     []string          `json:"args"` // the test as a command line
	Result   report.Summary    `json:"result"`
	Rate     float64           `json:"games_per_second,omitempty"` // lately
	Left     float64           `json:"seconds_left,omitempty"`     // at this rate; 0: not known
	Seconds  float64           `json:"core_seconds,omitempty"`     // of play on workers' cores, since the server started
	Share    float64           `json:"share,omitempty"`            // of these, among active tests
	Held     int               `json:"units_at_workers,omitempty"`
	Waiting  int               `json:"units_waiting,omitempty"`
	Declined map[string]string `json:"declined,omitempty"` // workers that do not play it, and why
}

// statuses returns tests with what is known about them.
func (s *server) statuses(tests []queue.Test) []status {
	s.mu.Lock()
	active := maps.Clone(s.active)
	s.mu.Unlock()
	all := 0.
	for _, a := range active {
		a.mu.Lock()
		if a.runner != nil {
			all += a.runner.Usage().Seconds
		}
		a.mu.Unlock()
	}
	list := []status{}
	for _, t := range tests {
		x := status{Test: t, Args: t.Words()}
		if a := active[t.Name]; a != nil && t.State == queue.Active {
			a.mu.Lock()
			x.Reason = cmp.Or(a.waits, x.Reason)
			if x.Rate = a.rate(); a.runner != nil {
				u := a.runner.Usage()
				x.Seconds, x.Held, x.Waiting, x.Declined = u.Seconds, u.Held, u.Waiting, u.Declined
			}
			a.mu.Unlock()
		}
		if t.State != queue.Unapproved && t.State != queue.Queued {
			sum, err := s.pages.Summary(s.store.RunDir(t.Name))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				sum = report.Summary{} // it was never played
			case err != nil:
				sum.Text = err.Error()
			}
			x.Result = sum
			x.Left = left(&x)
		}
		list = append(list, x)
	}
	for i := range list {
		if all > 0 {
			list[i].Share = list[i].Seconds / all
		}
	}
	return list
}

// left estimates the seconds until a test ends: from its games, or from the drift of its LLR.
func left(x *status) float64 {
	if x.Rate <= 0 || x.Result.Unit != "games" {
		return 0
	}
	if l := x.Result.LLR; len(l) == 3 && l[0] != 0 && x.Result.Done > 0 {
		bound := l[2]
		if l[0] < 0 {
			bound = l[1]
		}
		return float64(x.Result.Done) * (bound/l[0] - 1) / x.Rate
	}
	if x.Result.Total > 0 {
		return float64(x.Result.Total-x.Result.Done) / x.Rate
	}
	return 0
}
