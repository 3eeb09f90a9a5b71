package ui

import "fmt"

// UsageError marks an error in how a command was called: main exits with 2 and names --help.
type UsageError struct{ err error }

func (e UsageError) Error() string { return e.err.Error() }
func (e UsageError) Unwrap() error { return e.err }

// Usage marks err as an error in how a command was called.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a usage error with the message.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }
