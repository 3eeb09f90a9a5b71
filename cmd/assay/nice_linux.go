package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// setNice sets the niceness of this process: on Linux that is one of each thread, and
// new ones have that of the thread they come from.
func setNice(n int) error {
	if n < 0 || n > 19 {
		return errors.New("want 0 to 19")
	}
	if n == 0 {
		return nil
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return syscall.Setpriority(syscall.PRIO_PROCESS, 0, n)
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, n); err != nil && !errors.Is(err, syscall.ESRCH) {
			if errors.Is(err, syscall.EACCES) {
				return nil // it is nicer than that already
			}
			return err
		}
	}
	return nil
}
