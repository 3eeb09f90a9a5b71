// Package uci implements the Universal Chess Interface on both sides: a Server makes a
// UCI program of any engine.Player, and a Client makes an engine.Player of any UCI
// program.
//
// The server also survives what a GUI should not send: endless lines, impossible
// positions, illegal moves, commands at the wrong time. It reports in an "info string"
// whatever it ignores. After a position that it refuses, a search answers with the null
// move. Searches end at the latest when the input ends.
//
// Every wait of the client has a timeout. If a program misbehaves, the search in progress
// returns an error, and the program is killed with all that it has started; see Client.
//
// The server handles only the options of the protocol itself and passes all others to its
// player. Package selfplay/roster opens players by name.
//
// No promise of stability. Start reading at Server.Serve and Client.Search.
package uci
