// Package uci speaks the Universal Chess Interface, both ways: a Server makes a UCI
// program of any engine.Player, and a Client makes an engine.Player of any UCI program.
//
// The server answers everything a GUI may say, and survives what it should not: lines
// without end, positions that cannot be, moves that are not legal, commands at the
// wrong time. Whatever it ignores it says so, in an "info string". A position that is
// refused is not replaced by another: a search asked for next is answered with the
// null move. Searches end with the input, if nothing else ends them.
//
// The client waits for nothing without an end. What a program does wrong is an error of
// the search it was asked for, and costs nobody else anything; the program, and what it
// has started, is killed. See Client.
//
// The server knows no player and no options but those of the protocol itself; players
// are found by engine/roster.
//
// Start reading at Server.Serve and Client.Search.
package uci
