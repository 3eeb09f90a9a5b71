package machine

import (
	"crypto/rand"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// Mark returns a variable for the environment of programs that this process starts. When this process ends, if only by
// kill -9, all processes that have the variable are killed: the programs and what they started, in whatever process
// group. A process without it escapes: one that was started with another environment, or whose environment this user
// may not read. So does everything where there is no sh or no grep.
//
// A text may follow the variable's value, to tell programs apart.
var Mark = sync.OnceValue(func() string {
	mark := "ASSAY_ENGINE=" + rand.Text()
	cmd := exec.Command("/bin/sh", "-c", killMarked, mark)
	// Without the mark, or another process's.
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is for us alone
	if _, err := cmd.StdinPipe(); err == nil && cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // it keeps the pipe open as long as we live
	}
	return mark
})

// killMarked waits for the end of its input, which is ours, and then kills the processes that have the mark $0, until
// it finds none: they may start others meanwhile.
const killMarked = `read -r _
for _ in 1 2 3 4 5 6 7 8 9; do
	found=$(grep -lsF "$0" /proc/[0-9]*/environ)
	[ "$found" ] || exit
	for file in $found; do
		file=${file#/proc/}
		kill -9 "${file%/environ}"
	done
	sleep .1
done`
