package uci

import "time"

// Ask sends lines that are no part of the protocol, such as the "eval" of Stockfish and
// its relatives, then isready, and hands on each line that the program says until it is
// ready; a line is valid until each returns. The program is started if it is not running.
// The lines should stay below the size of a pipe, 64 KiB: nothing is read until all are
// written.
func (c *Client) Ask(lines []byte, within time.Duration, each func(line []byte)) error {
	if err := c.Start(); err != nil {
		return err
	}
	c.setup.forget() // the lines may have set up another position
	return c.await(string(lines)+"isready\n", "readyok", within, each)
}
