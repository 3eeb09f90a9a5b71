// Package sandbox runs a program that is not trusted: an engine that came over the network.
//
// The program reads shared libraries and facts about the processor, and no other file. It has no environment,
// no network, no other processes, and limits of memory, threads and processor time. It makes only system calls
// that engines need; what else it tries fails, as if the system did not have it, and is reported in words.
//
// This needs Linux 5.13 on amd64 or arm64, and no privileges: Landlock decides about files, a seccomp filter with
// a list of what is allowed about system calls, and a watch about the rest. Where bubblewrap is installed and may
// make namespaces, the program also has a small folder in memory, and sees no names of files or processes.
//
// No promise of stability. Start reading at Limits.Contain, then enter (enter_linux.go).
package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// errUnavailable is wrapped by errors that say why this system has no sandbox.
var errUnavailable = errors.New("this system cannot contain engines")

// Limits bound a contained program.
type Limits struct {
	Memory int           // in MB, of what it can write
	Time   time.Duration // of all its processor cores together; 0: defaultTime
	Files  []string      // that it may read, by absolute paths, beside those that its arguments name
}

const (
	// DefaultMemory is the limit of memory, in MB, of those who set none.
	DefaultMemory = 1024
	// defaultTime is the limit of processor time of those who set none.
	defaultTime = time.Hour
	// minMemory is what a program needs to start, in MB.
	minMemory = 64
	// slack is what a program may hold beyond its memory, in MB: page tables, stack and its folder.
	slack = 32
	// maxThreads and maxOpen bound the threads and the open files of a program.
	maxThreads = 512
	maxOpen    = 64
	// folderSize and folderFiles bound the folder of a program, in bytes and in files, links and folders.
	folderSize  = 16 << 20
	folderFiles = 32
)

// Check reports limits with which no program starts.
func (l Limits) Check() error {
	if l.Memory < minMemory || l.Memory > 1<<20 {
		return fmt.Errorf("a sandbox of %d MB: want %d to %d", l.Memory, minMemory, 1<<20)
	}
	if l.Time != 0 && l.Time < time.Second {
		return fmt.Errorf("a sandbox of %v of processor time: want 1s or more", l.Time)
	}
	return nil
}

// String describes the limits.
func (l Limits) String() string {
	return fmt.Sprintf("%d MB of memory and %v of processor time", l.Memory, l.time())
}

func (l Limits) time() time.Duration { return cmp.Or(l.Time, defaultTime) }

// Protection is one thing that a sandbox keeps from a program.
type Protection struct {
	From string // what the program cannot do
	Not  string // why it can do that here; empty: it cannot
}

// String is a row of a table: whether the protection holds, and why not.
func (p Protection) String() string {
	if p.Not == "" {
		return "yes  engines cannot " + p.From
	}
	return fmt.Sprintf("no   engines can %s: %s", p.From, p.Not)
}

// Levels of sandboxes, for those who require one.
const (
	None      = "none"
	Contained = "contained" // every protection that needs no namespaces
	Isolated  = "isolated"  // every protection
)

// Levels are all levels, the lowest first.
var Levels = []string{None, Contained, Isolated}

// Level returns the level of this system's sandbox.
func Level() string {
	level := None
	for _, l := range Levels[1:] {
		if Require(l) == nil {
			level = l
		}
	}
	return level
}

// Require returns an error if this system's sandbox is below a level.
func Require(level string) error {
	if !slices.Contains(Levels[1:], level) {
		return fmt.Errorf("a sandbox of level %q: want %s or %s", level, Contained, Isolated)
	}
	if err := Available(); err != nil || level == Contained {
		return err
	}
	for _, p := range Protections() {
		if p.Not != "" {
			return fmt.Errorf("%w as required: they could %s, because %s", errUnavailable, p.From, p.Not)
		}
	}
	return nil
}
