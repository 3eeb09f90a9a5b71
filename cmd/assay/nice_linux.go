package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// setNice sets the niceness of this process. On Linux each thread has its own; a new one
// inherits that of the thread that starts it.
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
				return nil // its niceness is higher already
			}
			return err
		}
	}
	return nil
}
