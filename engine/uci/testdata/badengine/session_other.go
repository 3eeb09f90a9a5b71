//go:build !unix

package main

import (
	"os"
	"syscall"
	"time"
)

func newSession() *syscall.SysProcAttr { return nil }

func sendSelf(syscall.Signal) { os.Exit(2) }

func stopSelf() { time.Sleep(time.Hour) }
