// Package processtest has only tests: of what only a process can show (kills, signals, terminals, other processes), and
// of the guides for authors of engines.
package processtest
