// Package sandbox runs a program that is not trusted: an engine that came over the network.
//
// The program has an empty folder of its own, in which it may keep a few small files. It reads
// shared libraries and facts about the processor, and no other file. It has no environment, no
// network, no other processes, and limits of memory and processor time. What it tries and may
// not do fails, as if the system did not have it, and is reported in words.
//
// This needs Linux 5.13 on amd64 or arm64, and no privileges: Landlock decides about files,
// a seccomp filter about system calls, and resource limits about the rest. User namespaces
// would do the same, but some distributions and most containers forbid them.
//
// No promise of stability. Start reading at Limits.Contain, then enter (enter_linux.go).
package sandbox

import (
	"errors"
	"fmt"
	"time"
)

// errUnavailable is wrapped by errors that say why this system has no sandbox.
var errUnavailable = errors.New("this system cannot contain engines")

// Limits bound a contained program.
type Limits struct {
	Memory int           // in MB, of what it can write
	Time   time.Duration // of all its processor cores together; 0: defaultTime
}

const (
	// DefaultMemory is the limit of memory, in MB, of those who set none.
	DefaultMemory = 1024
	// defaultTime is the limit of processor time of those who set none.
	defaultTime = time.Hour
	// minMemory is what a program needs to start, in MB.
	minMemory = 64
	// maxFiles, maxFileSize and maxOpen bound what a program can put into its folder.
	maxFiles    = 16
	maxFileSize = 16 << 20
	maxOpen     = 64
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

func (l Limits) time() time.Duration {
	if l.Time == 0 {
		return defaultTime
	}
	return l.Time
}
