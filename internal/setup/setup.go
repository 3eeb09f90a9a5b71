// Package setup has what tests prepare with.
package setup

import "testing"

// Must returns the value of a call that prepares a test. An error is a panic.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Check ends the test if what prepares it has failed.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
