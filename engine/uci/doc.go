// Package uci speaks the Universal Chess Interface: a Server makes a UCI program of
// any engine.Player.
//
// The server answers everything a GUI may say, and survives what it should not: lines
// without end, positions that cannot be, moves that are not legal, commands at the
// wrong time. Whatever it ignores it says so, in an "info string". A position that is
// refused is not replaced by another: a search asked for next is answered with the
// null move.
//
// It knows no player and no options but those of the protocol itself; players are
// found by engine/roster.
//
// Start reading at Server.Serve.
package uci
