// Package processtest has only tests: what only a process can show, of kills, signals, terminals and other processes.
package processtest
