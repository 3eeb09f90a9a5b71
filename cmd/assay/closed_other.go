//go:build !unix

package main

// closedOutput is known on Unix only.
func closedOutput() bool { return false }
