package gitbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/internal/durable"
)

// Keep is how many builds a cache keeps: those that were used last. A build that a process
// uses is never removed.
const Keep = 20

// cacheEnv names the folder of builds.
const cacheEnv = "ASSAY_CACHE"

const (
	infoName   = "build.json" // in the folder of a build
	lockSuffix = ".lock"
	tempPrefix = ".tmp-"
)

// pollEvery is how often a process looks whether another has finished a build.
const pollEvery = 100 * time.Millisecond

// Cache is a folder of builds. Several processes may use it at once.
type Cache struct {
	dir string
	log func(format string, args ...any)
}

// OpenCache opens the cache: $ASSAY_CACHE, or else assay/builds in the user's cache folder.
// Log is called with each step.
func OpenCache(log func(format string, args ...any)) (*Cache, error) {
	dir := os.Getenv(cacheEnv)
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no folder for builds: %w; set %s", err, cacheEnv)
		}
		dir = filepath.Join(user, "assay", "builds")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	c := &Cache{dir: dir, log: log}
	c.removeTemps()
	return c, nil
}

// Build is an engine that was built.
type Build struct {
	Path   string // of the engine
	SHA256 string // of the engine's file
	New    bool   // this process built it
	Took   time.Duration
	info   info
	dir    string
	lock   *durable.Lock
}

// info is what build.json says.
type info struct {
	ID      string  `json:"id"` // of the commit or the tree
	Command string  `json:"command"`
	System  string  `json:"system"`
	Engine  string  `json:"engine"` // file name
	SHA256  string  `json:"sha256"` // of the engine
	Seconds float64 `json:"seconds"`
	Bench   *Bench  `json:"bench,omitempty"` // nil: not run yet
}

// key returns the name of a build's folder. Besides the commit and the command it depends on
// the system, because several may share a home folder.
func key(id, command string) string {
	return durable.SumBytes([]byte(id + "\x00" + command + "\x00" + system))[:20]
}

const system = runtime.GOOS + "/" + runtime.GOARCH

// Close lets others remove the build.
func (b *Build) Close() { b.lock.Unlock() }

// Build returns the engine that the command makes of the source: from the cache, or built
// now. In the command {out} is the file to write. If another process is building it, Build
// waits. The caller must Close the build when the engine is not started any more.
func (c *Cache) Build(ctx context.Context, s *Source, command string) (*Build, error) {
	dir := filepath.Join(c.dir, key(s.ID, command))
	made, waiting := false, false
	for {
		b, err := c.take(dir)
		if b != nil {
			b.New = made
			return b, nil
		}
		if err == nil {
			made, err = c.makeLocked(ctx, dir, s, command)
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, durable.ErrLocked):
			return nil, err
		case !waiting:
			waiting = true
			c.log("another process is building %s: waiting for it", s.Short())
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pollEvery):
		}
	}
}

// take returns the build in a folder, locked against removal; nil if there is none.
func (c *Cache) take(dir string) (*Build, error) {
	lock, err := durable.TrySharedLock(dir + lockSuffix)
	if err != nil {
		return nil, err
	}
	i, err := readInfo(dir)
	if err != nil {
		lock.Unlock()
		return nil, nil // absent, or damaged: it is made again
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // prune removes what was used long ago; a read-only cache still works
	return &Build{Path: filepath.Join(dir, i.Engine), SHA256: i.SHA256,
		Took: time.Duration(i.Seconds * float64(time.Second)), info: *i, dir: dir, lock: lock}, nil
}

// readInfo reads build.json, and compares the engine with it.
func readInfo(dir string) (*info, error) {
	var i info
	if err := durable.ReadJSON(filepath.Join(dir, infoName), &i); err != nil {
		return nil, err
	}
	sum, err := durable.SumFile(filepath.Join(dir, filepath.Base(i.Engine)))
	if err == nil && sum != i.SHA256 {
		err = durable.ErrDamaged
	}
	return &i, err
}

func (i *info) write(dir string) error {
	return durable.WriteJSON(filepath.Join(dir, infoName), i)
}

// makeLocked builds an engine while no other process does, and reports whether it did.
func (c *Cache) makeLocked(ctx context.Context, dir string, s *Source, command string) (bool, error) {
	lock, err := durable.TryLock(dir + lockSuffix)
	if err != nil {
		return false, err
	}
	defer lock.Unlock()
	if _, err := readInfo(dir); err == nil {
		return false, nil // another process was faster
	}
	if s.IsTree && s.objects == "" {
		return false, fmt.Errorf("the working tree has changed since the run started, and the engine built then is not in "+
			"%s any more", c.dir)
	}
	temp, done, err := c.Temp()
	if err != nil {
		return false, err
	}
	defer done()
	ready, err := c.make(ctx, temp, s, command)
	if err != nil {
		return false, err
	}
	if err := os.RemoveAll(dir); err != nil { // a damaged one
		return false, err
	}
	if err := os.Rename(ready, dir); err != nil {
		return false, err
	}
	if err := durable.SyncDir(c.dir); err != nil {
		return false, err
	}
	c.prune()
	return true, nil
}

// make builds an engine in a new folder within temp, and returns that folder.
func (c *Cache) make(ctx context.Context, temp string, s *Source, command string) (string, error) {
	ready, source := filepath.Join(temp, "build"), filepath.Join(temp, "source")
	if err := os.Mkdir(ready, 0o777); err != nil {
		return "", err
	}
	if err := s.Checkout(ctx, source); err != nil {
		return "", err
	}
	i := info{ID: s.ID, Command: command, System: system, Engine: s.repo.Name() + "-" + s.Short()}
	if runtime.GOOS == "windows" {
		i.Engine += ".exe"
	}
	out := filepath.Join(ready, i.Engine)
	start := time.Now()
	if err := c.run(ctx, s.Short(), source, command, out); err != nil {
		return "", s.Unfilled(ctx, err)
	}
	i.Seconds = time.Since(start).Seconds()
	if err := syncEngine(out); err != nil {
		return "", fmt.Errorf("the command ended without an error but wrote no program to {out}: %w", err)
	}
	sum, err := durable.SumFile(out)
	if err != nil {
		return "", err
	}
	i.SHA256 = sum
	return ready, i.write(ready)
}

// syncEngine makes the engine executable and syncs it.
func syncEngine(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return fs.ErrInvalid
	}
	if err := f.Chmod(info.Mode() | 0o111); err != nil && runtime.GOOS != "windows" {
		return err
	}
	return f.Sync()
}

// Temp makes a folder in the cache that is removed by done, or by the next process that opens
// the cache if this one is killed.
func (c *Cache) Temp() (dir string, done func(), err error) {
	f, err := os.CreateTemp(c.dir, tempPrefix+"*"+lockSuffix)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	lock, err := durable.TryLock(f.Name())
	if err != nil {
		return "", nil, err
	}
	dir = strings.TrimSuffix(f.Name(), lockSuffix)
	if err := os.Mkdir(dir, 0o777); err != nil {
		lock.Unlock()
		return "", nil, err
	}
	return dir, func() {
		_ = os.RemoveAll(dir) // if something of it stays, the next process removes it
		lock.Unlock()
	}, nil
}

// removeTemps removes what killed processes left.
func (c *Cache) removeTemps() {
	names, err := filepath.Glob(filepath.Join(c.dir, tempPrefix+"*"))
	if err != nil {
		return
	}
	for _, name := range names {
		name = strings.TrimSuffix(name, lockSuffix)
		if lock, err := durable.TryLock(name + lockSuffix); err == nil {
			_ = os.RemoveAll(name) // a compiler may still be writing into it; then the next process removes it
			lock.Unlock()
		}
	}
}

// prune removes the builds that were used longest ago, but for the last Keep.
func (c *Cache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var builds []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			builds = append(builds, info)
		}
	}
	slices.SortFunc(builds, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, b := range builds[min(Keep, len(builds)):] {
		dir := filepath.Join(c.dir, b.Name())
		lock, err := durable.TryLock(dir + lockSuffix)
		if err != nil {
			continue // in use
		}
		// Renamed first, so that no half of it keeps the name of a build.
		if gone := filepath.Join(c.dir, tempPrefix+b.Name()); os.Rename(dir, gone) == nil {
			_ = os.RemoveAll(gone) // if something of it stays, the next process removes it
		}
		lock.Unlock()
	}
}

// Out is what a command writes the engine to.
const Out = "{out}"

// maxOutput is how much of a failed command's output is shown, in bytes: the end.
const maxOutput = 16 << 10

// ErrBuild is wrapped by the error of a command that failed.
var ErrBuild = errors.New("the build failed")

// run runs the command in a folder. The command is shown before, and its output if it fails.
// Short names the commit.
func (c *Cache) run(ctx context.Context, short, dir, command, out string) error {
	command = strings.ReplaceAll(command, Out, shellWord(out))
	c.log("building %s: %s", short, command)
	shell, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/C"
	}
	cmd := machine.Command(ctx, shell, flag, command)
	cmd.Dir, cmd.Env = dir, append(cleanEnvironment(), machine.Mark())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 2 * time.Second // for a child that keeps the output open
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	text := said.Bytes()
	if cut := len(text) - maxOutput; cut > 0 {
		text = append([]byte("...\n"), text[cut:]...)
	}
	return fmt.Errorf("%w: %w: %s\n%s", ErrBuild, err, command, bytes.TrimRight(text, "\n"))
}

// shellWord quotes a path for the shell, if it needs quotes.
func shellWord(path string) string {
	if runtime.GOOS != "windows" {
		return quote.Word(path)
	}
	if strings.ContainsAny(path, " \t'&|;<>()%!") {
		return `"` + path + `"`
	}
	return path
}
