package uci

import "time"

// Ask sends lines that are not part of the protocol, such as "eval" for Stockfish and
// its relatives, then isready, and passes every line of output to each until readyok
// arrives or the timeout expires. A line is valid until each returns. Ask starts the
// program if it is not running. The lines must be shorter than a pipe's buffer, 64 KiB:
// the output is read only after all of them are written.
func (c *Client) Ask(lines []byte, timeout time.Duration, each func(line []byte)) error {
	if err := c.Start(); err != nil {
		return err
	}
	c.writer.reset() // the lines may have set up another position
	return c.await(string(lines)+"isready\n", "readyok", timeout, each)
}
